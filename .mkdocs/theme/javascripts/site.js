// Make code and tables that are wider than the page scrollable with the keyboard, and show that they
// scroll. On devices without a mouse, the theme removes the tab stop of code, and tables have none.
function markWide(box) {
  const hidden = box.scrollWidth - box.clientWidth;
  box.classList.toggle("wide", hidden > 1);
  box.classList.toggle("at-end", box.scrollLeft >= hidden - 1);
  if (hidden > 1 && !box.hasAttribute("tabindex")) {
    box.setAttribute("tabindex", "0");
  }
}

function watch(box, content) {
  new ResizeObserver(() => markWide(box)).observe(content);
  box.addEventListener("scroll", () => markWide(box), { passive: true });
}

for (const code of document.querySelectorAll("pre > code")) {
  new MutationObserver(() => markWide(code)).observe(code, { attributeFilter: ["tabindex"] });
  watch(code, code);
}

// The theme puts each table into a box, a moment after the page has loaded.
function watchTable(table) {
  const box = table.closest(".md-typeset__scrollwrap");
  if (box) {
    watch(box, table);
  } else {
    requestAnimationFrame(() => watchTable(table));
  }
}

document.querySelectorAll(".md-typeset table:not([class])").forEach(watchTable);
