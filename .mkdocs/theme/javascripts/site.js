// Make code and tables that are wider than the page scrollable with the keyboard. On devices without
// a mouse, the theme removes the tab stop of code, and tables have none.
function addTabStop(element) {
  if (element && element.scrollWidth > element.clientWidth && !element.hasAttribute("tabindex")) {
    element.setAttribute("tabindex", "0");
  }
}

// Mark a table that is wider than its box, and whether its last column is in view.
function markWide(box) {
  const hidden = box.scrollWidth - box.clientWidth;
  box.classList.toggle("wide", hidden > 1);
  box.classList.toggle("at-end", box.scrollLeft >= hidden - 1);
}

for (const code of document.querySelectorAll("pre > code")) {
  new MutationObserver(() => addTabStop(code)).observe(code, { attributeFilter: ["tabindex"] });
  new ResizeObserver(() => addTabStop(code)).observe(code);
}
for (const table of document.querySelectorAll(".md-typeset table:not([class])")) {
  new ResizeObserver(() => {
    const box = table.closest(".md-typeset__scrollwrap");
    if (box) {
      addTabStop(box);
      markWide(box);
      box.onscroll = () => markWide(box);
    }
  }).observe(table);
}
