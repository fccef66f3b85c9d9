// Going from unit to unit, and to the next unsure unit or error, by buttons and keys.
"use strict";
(() => {
  const main = document.getElementById("main");
  const byId = (id) => document.getElementById(id);
  const all = (selector) => [...main.querySelectorAll(selector)];
  const listen = (id, kind, act) => byId(id)?.addEventListener(kind, act);
  const shown = (element) => !element.closest(main.dataset.hides);
  const root = main.querySelector(".errors") || main;

  // The reader's position: the last unit or mark with the focus, or the target of the last link.
  let here;
  document.addEventListener("focusin", ({ target }) => { if (target.matches(".u, .m")) here = target; });
  document.addEventListener("units-changed", () => { here = undefined; });
  const followHash = (hash) => { here = byId(hash.slice(1)) ?? here; };
  addEventListener("hashchange", () => followHash(location.hash));
  document.addEventListener("click", ({ target }) => {
    const link = target.closest?.('a[href^="#"]');
    if (link) followHash(link.hash); // "hashchange" does not fire if the address stays the same
    const unit = target.closest?.(".text .u");
    if (unit && getSelection().isCollapsed) unit.focus({ preventScroll: true });
  });
  followHash(location.hash);

  function goTo(element, block = "nearest") {
    if (!element) return;
    element.scrollIntoView({ block });
    element.focus({ preventScroll: true });
  }

  // Units

  function stepUnit(by) {
    const units = all(".text .u");
    let n = here?.matches(".u") ? units.indexOf(here) : findNext(units, by) - by;
    do n += by; while (units[n] && !shown(units[n]));
    goTo(units[n]);
  }
  // The number of the next element after the reader's position, or before it.
  function findNext(list, by) {
    const side = by > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
    const isAhead = (one) => !here || here.compareDocumentPosition(one) & side;
    return by > 0 ? list.findIndex(isAhead) : list.findLastIndex(isAhead);
  }

  // Unsure units and errors

  const isOn = (mark) => !["missed", "false", "moved", "kind"].some(
    (kind) => mark.classList.contains(kind) && !root.classList.contains(`${kind}-on`));
  const finders = {
    low: () => all(".text .u.low").filter(shown),
    mark: () => all(".m[data-label], .u.unsupported").filter((one) => isOn(one) && shown(one)),
  };
  const things = { low: "unsure", mark: main.querySelector(".errors") ? "errors" : "marked spans" };
  function jump(name, by) {
    const list = finders[name]();
    if (!list.length) return;
    let n = findNext(list, by);
    if (n < 0) n = by > 0 ? 0 : list.length - 1;
    goTo(list[n], "center");
    showPlace(name, list.length, n);
  }
  function showPlace(name, total, n) {
    const out = byId(name === "low" ? "counts" : "mark-count");
    const place = n === undefined ? "" : `${(n + 1).toLocaleString("en")} of `;
    if (out) out.textContent = `${place}${total.toLocaleString("en")} ${things[name]}`;
  }
  const names = ["mark", "low"].filter((name) => byId(`${name}-next`));
  for (const name of names) {
    listen(`${name}-next`, "click", () => jump(name, 1));
    listen(`${name}-back`, "click", () => jump(name, -1));
    if (name === names[0]) {
      byId(`${name}-next`).setAttribute("aria-keyshortcuts", "n");
      byId(`${name}-next`).title = "Key: n";
      byId(`${name}-back`).setAttribute("aria-keyshortcuts", "p");
      byId(`${name}-back`).title = "Key: p";
    }
  }
  function countMarks() {
    if (names.includes("mark")) showPlace("mark", finders.mark().length);
  }
  document.addEventListener("units-hidden", countMarks);
  countMarks();

  // Keys

  const keys = {
    n: () => jump(names[0], 1),
    p: () => jump(names[0], -1),
    j: () => stepUnit(1),
    k: () => stepUnit(-1),
    "/": () => byId("query")?.focus(),
  };
  const keysOfUnits = {
    ArrowRight: () => stepUnit(1),
    ArrowLeft: () => stepUnit(-1),
    Home: () => goTo(all(".text .u").find(shown)),
    End: () => goTo(all(".text .u").findLast(shown)),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
    if (target.matches?.("input:not([type=checkbox]), textarea, select")) return;
    const act = target.closest?.(".u") ? keysOfUnits[key] ?? keys[key] : keys[key];
    if (!act || (["n", "p"].includes(key) && !names.length)) return;
    event.preventDefault();
    act();
  });
})();
