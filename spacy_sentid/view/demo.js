"use strict";
// The demo page: sends the text to the server, and shows the results of the pipeline.
(() => {
  const WAIT = 200; // ms after the last key
  const find = (id) => document.getElementById(id);
  const data = JSON.parse(find("data").textContent);
  const [text, ref, pipeline, kind, threshold, gallery, settings] =
    ["text", "ref", "pipeline", "kind", "threshold", "gallery", "settings"].map(find);
  const [result, error, status, jump, time] =
    ["result", "error", "status", "jump", "time"].map(find);
  const newlines = [...document.querySelectorAll("input[name=newline]")];
  const chosen = () => data.pipelines[pipeline.value];
  const number = (value) => value.toLocaleString("en");
  let timer = 0;
  let isAsking = false;
  let isStale = false; // something has changed since the request
  let example = null; // the example in the boxes, while it is unchanged

  // Pipeline and settings

  // Controls that do not apply to the chosen pipeline are hidden and switched off.
  function showPipeline() {
    const { settings: own, is_pair: isPair, note } = chosen();
    find("pair").hidden = !isPair;
    text.classList.toggle("half", isPair);
    find("note").textContent = note;
    find("found").classList.toggle("plain", own === null);
    settings.hidden = own === null;
    for (const name of ["scores-on", "probs-on"]) {
      const box = document.querySelector(`input[data-class="${name}"]`);
      box.parentElement.hidden = own === null;
      if (own === null && box.checked) box.click();
    }
    showGallery();
    showLength();
    resetSettings();
  }

  function resetSettings(value = "") {
    const own = chosen().settings;
    if (own === null) return;
    threshold.value = own.threshold;
    setKind(value);
  }

  // The kind of text chooses the meaning of line ends.
  function setKind(value) {
    kind.value = value;
    const wanted = newlineOf(value);
    for (const one of newlines) one.checked = one.value === wanted;
    showSettings();
  }

  function showSettings() {
    const percent = Math.round(threshold.value * 100);
    find("threshold-value").textContent = `${percent} %`;
    threshold.setAttribute("aria-valuetext", `${percent} percent`);
    const meaning = input()?.labels[0].textContent.trim() ?? "";
    find("kind-note").textContent = `${meaning} ${data.kinds[kind.value]?.note ?? ""}`.trim();
    find("reset").hidden = isOwnThreshold() && newline() === chosen().settings.newline;
  }

  const newlineOf = (name) => data.kinds[name]?.newline ?? chosen().settings.newline;
  const input = () => newlines.find(({ checked }) => checked);
  const newline = () => input()?.value ?? null;
  // The slider has steps. The threshold of a pipeline may be between two of them.
  const isOwnThreshold = () => Math.abs(threshold.value - chosen().settings.threshold) < 0.005;

  // Examples

  function showGallery() {
    gallery.replaceChildren(...chosen().examples.map((one) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = one.title;
      button.addEventListener("click", () => showExample(one));
      return button;
    }));
    gallery.hidden = !chosen().examples.length;
    markExample(null);
  }

  function markExample(one) {
    example = one;
    chosen().examples.forEach((other, n) => {
      gallery.children[n].setAttribute("aria-pressed", String(other === one));
    });
  }

  // Another text may be of another kind. Settings that the user has chosen stay.
  function leaveExample() {
    if (example) resetSettings();
  }

  function showExample(one) {
    resetSettings(one.kind);
    ref.value = one.ref;
    setText(one.text);
    markExample(one);
  }

  // Length of the text in code points, as the server counts

  function countChars(string) {
    let n = string.length;
    for (const _ of string.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) n -= 1;
    return n;
  }

  function showLength() {
    const n = countChars(text.value) + (chosen().is_pair ? countChars(ref.value) : 0);
    const isLong = n > chosen().max_chars;
    find("length").textContent = `${number(n)} of ${number(chosen().max_chars)} characters`;
    find("length").classList.toggle("too-long", isLong);
    text.setAttribute("aria-invalid", String(isLong));
    return isLong;
  }

  // Results

  // The server has escaped the text, and its policy allows only the page's own scripts.
  function put(html) {
    result.innerHTML = html;
    result.hidden = !html;
    jump.hidden = !html;
    document.dispatchEvent(new Event("units-changed"));
  }

  const offer = (detail) => document.dispatchEvent(new CustomEvent("result-changed", { detail }));

  function show({ html, summary }, took = "", copies = null) {
    error.hidden = true;
    error.textContent = "";
    status.textContent = summary;
    time.textContent = took;
    put(html);
    offer(copies);
  }

  function showError(message) {
    if (error.textContent !== message) error.textContent = message;
    error.hidden = false;
    result.hidden = true; // this result belongs to another text
    jump.hidden = true;
    status.textContent = "";
    time.textContent = "";
    offer(null);
  }

  // Requests, one at a time. Changes are sent after the answer has arrived.

  function makeQuestion() {
    const row = { pipeline: pipeline.value, text: text.value };
    if (chosen().settings !== null) {
      row.threshold = isOwnThreshold() ? null : Number(threshold.value);
      row.newline = newline() === chosen().settings.newline ? null : newline();
    }
    if (chosen().is_pair) row.ref = ref.value;
    return row;
  }

  async function ask() {
    clearTimeout(timer);
    if (isAsking) {
      isStale = true;
      return;
    }
    if (showLength()) {
      showError(`The text must have at most ${number(chosen().max_chars)} characters. `
        + "Try a part of it, or start the page with a higher --max-chars.");
      return;
    }
    const isPair = chosen().is_pair;
    if (!text.value.trim() || (isPair && !ref.value.trim())) {
      show({ html: "", summary: isPair ? "Both texts are needed." : "No text yet." });
      return;
    }
    isAsking = true;
    isStale = false;
    result.setAttribute("aria-busy", "true");
    try {
      const answer = await send(makeQuestion());
      const took = Math.max(1, Math.round(answer.seconds * 1000));
      const copies = { json: JSON.stringify(answer.record, null, 2), python: answer.python };
      if (!isStale) show(answer, `in ${number(took)} ms`, copies);
    } catch (problem) {
      if (!isStale) showError(problem.message);
    } finally {
      isAsking = false;
      result.removeAttribute("aria-busy");
      if (isStale) ask();
    }
  }

  async function send(question) {
    let response;
    try {
      response = await fetch(data.path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(question),
        credentials: "omit",
      });
    } catch {
      throw new Error("The server does not answer. Check that 'spacy-sentid serve' is running, "
        + "then reload this page.");
    }
    if (response.ok) return response.json();
    throw new Error((await response.text()).trim() || response.statusText);
  }

  function askSoon() {
    isStale = isAsking;
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT);
  }

  // Filling the boxes

  function setText(value, box = text) {
    markExample(null);
    box.value = value;
    box.scrollTop = 0;
    ask();
    showLength();
  }

  document.addEventListener("file-read", ({ detail: { value, box, problem } }) => {
    if (problem) return showError(problem);
    leaveExample();
    setText(value, box);
  });

  for (const box of [text, ref]) {
    box.addEventListener("input", () => {
      markExample(null);
      showLength();
      askSoon();
    });
  }
  text.addEventListener("paste", () => {
    if (text.selectionEnd - text.selectionStart === text.value.length) leaveExample();
  });
  kind.addEventListener("change", () => {
    setKind(kind.value);
    ask();
  });
  find("more").addEventListener("input", () => {
    if (newlineOf(kind.value) !== newline()) kind.value = "";
    showSettings();
    askSoon();
  });
  // An unchanged example becomes one of the new pipeline, of the same kind if there is one.
  function choosePipeline() {
    const old = example;
    showPipeline();
    const { examples } = chosen();
    const same = examples.find((one) => one.kind && one.kind === old?.kind);
    if (examples.length && (old || !text.value)) showExample(same ?? examples[0]);
    else ask();
  }
  pipeline.addEventListener("change", choosePipeline);
  find("reset").addEventListener("click", () => {
    resetSettings();
    kind.focus(); // the button disappears
    ask();
  });
  find("clear").addEventListener("click", () => {
    ref.value = "";
    leaveExample();
    setText("");
    text.focus();
  });

  choosePipeline();
})();
