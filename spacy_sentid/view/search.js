// Search. The browser highlights the matches without adding elements.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const count = (n) => n.toLocaleString("en");
  const listen = (id, kind, act) => byId(id)?.addEventListener(kind, act);
  function textNodes(element) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    return nodes;
  }

  // Search: across line ends, ignoring case

  const MOST_SHOWN = 2000;
  let query = "", found = [], nHidden = 0, current = -1, timer = 0;
  function later(act) {
    clearTimeout(timer);
    timer = setTimeout(act, 150);
  }
  function search() {
    clearTimeout(timer);
    const before = byId("query").value.trim() === query ? found[current] : undefined;
    query = byId("query").value.trim();
    found = [];
    nHidden = 0;
    const pattern = query && new RegExp(
      query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/\s+/g, "\\s+"), "giu");
    for (const text of query ? document.querySelectorAll("main .text") : []) {
      for (const match of text.textContent.matchAll(pattern)) {
        const one = { text, start: match.index, end: match.index + match[0].length };
        if (isShown(one)) found.push(one); else nHidden += 1;
      }
    }
    current = !before ? -1
      : found.findIndex((one) => one.text === before.text && one.start === before.start);
    highlight();
    showMatches();
  }
  let nodesOf = new WeakMap(); // valid until the nodes change
  function nodeAt(text, place) {
    if (!nodesOf.has(text)) {
      let start = 0;
      nodesOf.set(text, textNodes(text).map((node) => {
        start += node.length;
        return [node, start - node.length];
      }));
    }
    const nodes = nodesOf.get(text);
    let low = 0, high = nodes.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (nodes[middle][1] <= place) low = middle; else high = middle - 1;
    }
    return nodes[low];
  }
  function isShown({ text, start, end }) {
    const { hides } = byId("main").dataset;
    return [start, end - 1].some((place) => !nodeAt(text, place)[0].parentElement.closest(hides));
  }
  function makeRange({ text, start, end }) {
    const [first, before] = nodeAt(text, start);
    const [last, beforeLast] = nodeAt(text, end - 1);
    const range = document.createRange();
    range.setStart(first, start - before);
    range.setEnd(last, end - beforeLast);
    return range;
  }
  function highlight() {
    if (!globalThis.CSS?.highlights) return;
    CSS.highlights.clear();
    if (!found.length) return;
    CSS.highlights.set("found", new Highlight(...found.slice(0, MOST_SHOWN).map(makeRange)));
    if (current >= 0) highlightCurrent(makeRange(found[current]));
  }
  function highlightCurrent(range) {
    if (globalThis.CSS?.highlights) CSS.highlights.set("found-now", new Highlight(range));
  }
  function showMatches() {
    const place = current < 0 ? "" : `${count(current + 1)} of `;
    const hidden = nHidden ? `, ${count(nHidden)} hidden` : "";
    byId("matches").textContent = query && `${place}${count(found.length)}${hidden}`;
  }
  function goToMatch(by) {
    if (byId("query").value.trim() !== query) search();
    if (!found.length) return;
    current = current < 0 && by < 0 ? found.length - 1
      : (current + by + found.length) % found.length;
    const range = makeRange(found[current]);
    range.startContainer.parentElement.scrollIntoView({ block: "center" });
    // Scroll to the match itself, which may be anywhere in a long unit.
    const { top, bottom } = range.getBoundingClientRect();
    scrollBy(0, (top + bottom - innerHeight) / 2);
    highlightCurrent(range);
    showMatches();
  }
  listen("query", "input", () => later(search));
  listen("query", "keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    goToMatch(event.shiftKey ? -1 : 1);
  });
  listen("next", "click", () => goToMatch(1));
  listen("back", "click", () => goToMatch(-1));
  document.addEventListener("units-changed", () => {
    nodesOf = new WeakMap();
    if (query) search();
  });
  // Creating elements for tokens replaces the text nodes that were highlighted.
  document.addEventListener("tokens-made", () => {
    nodesOf = new WeakMap();
    if (query) later(search);
  });
  document.addEventListener("units-hidden", () => { if (query) later(search); });
})();
