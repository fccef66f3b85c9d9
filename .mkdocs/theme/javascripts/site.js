// Make code and tables that are wider than the page scrollable with the keyboard. On devices without
// a mouse, the theme removes the tab stop of code, and tables have none.
function mend(element) {
  if (element && element.scrollWidth > element.clientWidth && !element.hasAttribute("tabindex")) {
    element.setAttribute("tabindex", "0");
  }
}

for (const code of document.querySelectorAll("pre > code")) {
  new MutationObserver(() => mend(code)).observe(code, { attributeFilter: ["tabindex"] });
  new ResizeObserver(() => mend(code)).observe(code);
}
for (const table of document.querySelectorAll(".md-typeset table:not([class])")) {
  new ResizeObserver(() => mend(table.closest(".md-typeset__scrollwrap"))).observe(table);
}
