// What is wider than the page can be scrolled by keys, also where there is no mouse: the theme takes
// the tab stop of code away there, and gives tables none.
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
