// Theme, legend, filters, and details on hover. Text is only inserted as text, not by innerHTML.
"use strict";
(() => {
  const main = document.getElementById("main");
  const byId = (id) => document.getElementById(id);
  const all = (selector, root = main) => [...root.querySelectorAll(selector)];
  const count = (n) => n.toLocaleString("en");
  const listen = (id, kind, act) => byId(id)?.addEventListener(kind, act);
  // The selectors that page.css hides. Asking the browser would force it to lay out hidden parts.
  // search.js reads these selectors from the main element.
  const kindBoxes = all("input[data-kind]");
  for (const box of all(".sign input")) box.hidden = false;
  main.dataset.hides = [".nsu-off .nsu", ".low-hide .low",
    ".low-only .u[data-s]:not(.low, .pair *)", ".low-only .pair:not(.low)",
    ...kindBoxes.map(({ dataset }) => `.${dataset.class} .u.${dataset.kind}`)].join(", ");
  const shown = (element) => !element.closest(main.dataset.hides);

  // Light and dark

  const THEME = "spacy-sentid-theme";
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const store = {
    get() { try { return localStorage.getItem(THEME); } catch { return null; } },
    set(theme) { try { localStorage.setItem(THEME, theme); } catch { /* not saved */ } },
  };
  function showTheme() {
    const theme = document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
    byId("theme").textContent = theme === "dark" ? "Light mode" : "Dark mode";
    return theme;
  }
  if (["light", "dark"].includes(store.get())) document.documentElement.dataset.theme = store.get();
  byId("theme").hidden = false;
  showTheme();
  dark.addEventListener("change", showTheme);
  listen("theme", "click", () => {
    const theme = showTheme() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    store.set(theme);
    showTheme();
  });

  // Units, which are read again after "units-changed"

  const tools = byId("tools");
  const things = tools?.dataset.things || "units";
  const arePairs = things === "pairs";
  const root = main.querySelector(".errors") || main;
  const unitOfScores = byId("score")?.dataset.unit;
  const format = (score) => (unitOfScores ? score.toFixed(0) + unitOfScores : score.toFixed(2));
  let units, filtered, scores, isLow;
  function readUnits() {
    units = all(".text .u");
    filtered = arePairs ? all(".pair") : units;
    scores = Float64Array.from(filtered, (one) => Number(one.dataset.s ?? NaN));
    showScoreTools(scores.some((score) => !Number.isNaN(score)));
    isLow = Uint8Array.from(filtered, (one) => one.classList.contains("low"));
    filterScores();
    showKinds();
    showScores();
  }
  // Gold units have no scores.
  function showScoreTools(hasScores) {
    for (const tool of all(".of-scores")) tool.hidden = !hasScores;
  }
  // The legend shows only what occurs.
  function showKinds() {
    let total = 0;
    for (const box of kindBoxes) {
      const n = all(`.text .u.${box.dataset.kind}`).length;
      box.labels[0].hidden = !n;
      box.labels[0].querySelector(".note").textContent = count(n);
      all(`.about-${box.dataset.kind}`)[0].hidden = !n;
      total += n;
    }
    if (kindBoxes.length) byId("kinds").hidden = !total;
  }

  function filterScores() {
    const slider = byId("score");
    const limit = slider ? Number(slider.value) : -Infinity;
    if (slider) byId("limit").textContent = format(limit);
    let nLow = 0;
    filtered.forEach((one, n) => {
      const low = scores[n] < limit ? 1 : 0;
      if (low !== isLow[n]) one.classList.toggle("low", Boolean(low));
      if (low && !arePairs) addScore(one);
      isLow[n] = low;
      nLow += low;
    });
    const how = byId("low")?.value || "mark";
    for (const name of ["mark", "hide", "only"]) {
      // The lowest value means no filter.
      main.classList.toggle(`low-${name}`, name === how && slider && limit > Number(slider.min));
    }
    showCounts(nLow, limit, slider);
    moveStops();
  }
  // Tab reaches one visible unit of each text.
  function moveStops() {
    for (const text of all(".text")) {
      const old = text.querySelector('.u[tabindex="0"]');
      const next = !old || shown(old) ? undefined : all(".u", text).find(shown);
      if (next) moveStop(next);
    }
    document.dispatchEvent(new Event("units-hidden"));
  }
  function moveStop(unit) {
    for (const old of all('.u[tabindex="0"]', unit.closest(".text"))) old.tabIndex = -1;
    unit.tabIndex = 0;
  }
  function showCounts(nLow, limit, slider) {
    const out = byId("counts");
    if (!out) return;
    const isStart = limit === Number(slider.defaultValue);
    const of = arePairs ? ` of ${count(filtered.length)}` : "";
    out.textContent = !arePairs && isStart ? `${count(nLow)} unsure`
      : `${count(nLow)}${of} below ${format(limit)}`;
    for (const id of ["low-back", "low-next"]) if (byId(id)) byId(id).disabled = !nLow;
  }
  // The score of a unit, as the style sheet shows it.
  function addScore(unit) {
    // A chip below 0.5, which Python wrote, was not rounded up to it.
    unit.dataset.p ??= Number(unit.dataset.s).toFixed(2);
  }
  function showScores() {
    if (!root.classList.contains("scores-on")) return;
    for (const unit of units) if (unit.dataset.s) addScore(unit);
  }
  let waiting = 0;
  listen("score", "input", () => {
    byId("limit").textContent = format(Number(byId("score").value));
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(filterScores);
  });
  listen("low", "change", filterScores);

  // Switches: each sets a class of the main element

  for (const box of tools ? all("input[data-class]") : []) {
    const show = () => {
      root.classList.toggle(box.dataset.class, box.checked !== ("kind" in box.dataset));
      if (box.dataset.class === "probs-on" && box.checked) showProbs();
      if (box.dataset.class === "scores-on" && box.checked) showScores();
    };
    box.addEventListener("change", () => {
      show();
      moveStops();
    });
    show();
  }
  tools?.addEventListener("submit", (event) => event.preventDefault());
  if (tools) tools.hidden = false;
  if (innerWidth < 992) for (const list of all(".index details")) list.open = false;

  // Probabilities: elements for tokens are created when the tokens are scrolled into view

  const rowOf = new WeakMap();
  const watcher = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach(({ target }) => {
      watcher.unobserve(target);
      for (const unit of all(".u", target)) makeTokens(unit, rowOf.get(unit) || []);
      document.dispatchEvent(new Event("tokens-made"));
    }),
    { rootMargin: "800px" },
  );
  function showProbs() {
    for (const data of all("script.probs")) {
      const rows = JSON.parse(data.textContent);
      const text = data.previousElementSibling;
      data.remove();
      all(".u", text).forEach((unit, n) => rowOf.set(unit, rows[n]));
      for (const part of all(".part", text)) watcher.observe(part);
    }
  }
  function textNodes(element) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    return nodes;
  }
  function makeTokens(unit, row) {
    const tokens = [];
    for (let n = 0, place = 0; n < row.length; n += 4) {
      const start = place + row[n];
      place = start + row[n + 1];
      tokens.push([start, place, row[n + 2], row[n + 3]]);
    }
    let begin = 0;
    for (const node of textNodes(unit)) {
      const end = begin + node.length;
      const parts = document.createDocumentFragment();
      let place = begin;
      for (const [start, stop, bos, eos] of tokens) {
        const from = Math.max(start, begin);
        const to = Math.min(stop, end);
        if (from >= to) continue;
        parts.append(node.data.slice(place - begin, from - begin));
        const token = document.createElement("span");
        token.className = "t";
        token.style.setProperty("--b", bos / 100);
        token.style.setProperty("--e", eos / 100);
        token.textContent = node.data.slice(from - begin, to - begin);
        parts.append(token);
        place = to;
      }
      parts.append(node.data.slice(place - begin));
      node.replaceWith(parts);
      begin = end;
    }
  }

  // Details of a unit, on hover and focus

  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.body.append(tip);
  function describe(target) {
    const unit = target.closest(".u");
    const mark = target.closest(".m");
    const token = root.classList.contains("probs-on") ? target.closest(".t") : null;
    const lines = [];
    if (mark) {
      const kind = ["missed", "false", "moved", "kind"].find((name) => mark.classList.contains(name));
      if (!kind || root.classList.contains(`${kind}-on`)) lines.push(mark.dataset.note);
    }
    if (unit) {
      const { label, s, l, k, c } = unit.dataset;
      const round = (score) => String(Number(Number(score).toFixed(2)));
      const name = { SU: "sentence", NSU: "not a sentence" }[label];
      const kind = unit.classList.contains("nsu") && !name ? `not a sentence: ${label}` : label;
      const unsure = unit.classList.contains("low") ? " (unsure)" : "";
      if (label) lines.push(name || kind);
      if (s) lines.push(`${arePairs ? "probability" : "score"} ${round(s)}${unsure}`);
      if (l) lines.push(`label ${round(l)}`);
      if (k) lines.push(`kind ${round(k)}`);
      lines.push(`characters ${c}`);
    }
    if (token) {
      const [bos, eos] = ["--b", "--e"].map((name) => token.style.getPropertyValue(name));
      lines.push(arePairs ? `support ${bos}` : `BOS ${bos}, EOS ${eos}`);
    }
    return lines;
  }
  let described;
  function showTip(target, x, y) {
    const lines = describe(target);
    if (!lines.length) return hideTip();
    tip.replaceChildren();
    lines.forEach((line, n) => {
      const part = document.createElement(n ? "span" : "b");
      part.textContent = (n ? " · " : "") + line;
      tip.append(part);
    });
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(x - width / 2, innerWidth - width - 8))}px`;
    tip.style.top = `${y - height - 10 < 4 ? y + 26 : y - height - 10}px`;
  }
  function hideTip() {
    tip.hidden = true;
    described?.removeAttribute("aria-describedby");
    described = undefined;
  }
  // The details of the focused unit or mark are shown next to it while it is visible.
  function showFocused() {
    const [box] = described?.getClientRects() ?? [];
    if (!described) hideTip();
    else if (!box || box.bottom < 0 || box.top > innerHeight) tip.hidden = true;
    else showTip(described, box.left + Math.min(box.width, 200) / 2, box.top);
  }
  document.addEventListener("mousemove", (event) => {
    const target = event.target.closest?.(".u, .m");
    if (target) showTip(event.target, event.clientX, event.clientY);
    else showFocused();
  });
  document.addEventListener("focusin", ({ target }) => {
    hideTip();
    if (!target.matches(".u, .m")) return;
    if (target.matches(".u")) moveStop(target);
    if (!target.getClientRects().length) return;
    described = target;
    target.setAttribute("aria-describedby", "tip");
    showFocused();
  });
  document.addEventListener("focusout", hideTip);
  document.addEventListener("keydown", ({ key }) => { if (key === "Escape") hideTip(); });
  document.addEventListener("scroll", showFocused, { passive: true, capture: true });

  // A page that changes its texts calls document.dispatchEvent(new Event("units-changed"))

  document.addEventListener("units-changed", () => {
    hideTip();
    readUnits();
    if (root.classList.contains("probs-on")) showProbs();
  });
  // The lines of a unit touch each other if the style sheet knows the height of the fonts. A canvas
  // measures it without a layout of the whole page.
  const canvas = document.createElement("canvas").getContext("2d");
  const fonts = getComputedStyle(document.documentElement);
  for (const [name, font] of [["--content", "--sans"], ["--content-mono", "--mono"]]) {
    canvas.font = `100px ${fonts.getPropertyValue(font)}`;
    const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = canvas.measureText("x");
    if (ascent > 0) main.style.setProperty(name, (ascent + descent) / 100);
  }

  readUnits();
})();
