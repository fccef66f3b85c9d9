// Search. Matches are highlighted by the browser, without an element for each.
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

  // Search: over line ends too, in small or capital letters

  const MOST_SHOWN = 2000;
  let query = "", found = [], current = -1, timer = 0;
  function later(act) {
    clearTimeout(timer);
    timer = setTimeout(act, 150);
  }
  function search(from) {
    query = byId("query").value.trim();
    found = [];
    const keep = from === undefined ? current : -1;
    const pattern = query && new RegExp(
      query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/\s+/g, "\\s+"), "giu");
    for (const text of query ? document.querySelectorAll("main .text") : []) {
      for (const match of text.textContent.matchAll(pattern)) {
        found.push({ text, start: match.index, end: match.index + match[0].length });
      }
    }
    current = Math.min(keep, found.length - 1);
    highlight();
    tellMatches();
  }
  const nodesOf = new WeakMap();
  function makeRange({ text, start, end }) {
    let nodes = nodesOf.get(text);
    if (!nodes || nodes.some(([node]) => !node.isConnected)) {
      let place = 0;
      nodes = textNodes(text).map((node) => {
        place += node.length;
        return [node, place - node.length];
      });
      nodesOf.set(text, nodes);
    }
    const at = (place) => {
      let low = 0, high = nodes.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (nodes[middle][1] <= place) low = middle; else high = middle - 1;
      }
      return nodes[low];
    };
    const [first, before] = at(start);
    const [last, beforeLast] = at(end - 1);
    const range = document.createRange();
    range.setStart(first, start - before);
    range.setEnd(last, end - beforeLast);
    return range;
  }
  function highlight() {
    if (!globalThis.CSS?.highlights) return;
    CSS.highlights.clear();
    if (!found.length) return;
    for (const text of new Set(found.map((one) => one.text))) nodesOf.delete(text);
    CSS.highlights.set("found", new Highlight(...found.slice(0, MOST_SHOWN).map(makeRange)));
  }
  function tellMatches() {
    byId("matches").textContent = !query ? ""
      : current < 0 ? count(found.length) : `${count(current + 1)} of ${count(found.length)}`;
  }
  function goToMatch(by) {
    if (byId("query").value.trim() !== query) search(0);
    if (!found.length) return;
    current = current < 0 && by < 0 ? found.length - 1
      : (current + by + found.length) % found.length;
    const range = makeRange(found[current]);
    range.startContainer.parentElement.scrollIntoView({ block: "center" });
    if (globalThis.CSS?.highlights) CSS.highlights.set("found-now", new Highlight(range));
    tellMatches();
  }
  listen("query", "input", () => later(() => search(0)));
  listen("query", "keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    goToMatch(event.shiftKey ? -1 : 1);
  });
  listen("next", "click", () => goToMatch(1));
  listen("back", "click", () => goToMatch(-1));
  document.addEventListener("units-changed", () => { if (query) search(0); });
  // Where tokens have become elements, highlights have lost their text.
  document.addEventListener("tokens-made", () => { if (query) later(() => search()); });
})();
