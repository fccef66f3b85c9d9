// Reading text files that the user opens or drops. demo.js receives their texts.
"use strict";
(() => {
  const find = (id) => document.getElementById(id);
  const data = JSON.parse(find("data").textContent);

  // detail: {value, box}, or {problem}
  const send = (detail) => document.dispatchEvent(new CustomEvent("file-read", { detail }));

  async function read(file, box) {
    if (!file) return;
    if (file.size > data.max_bytes) {
      const { max_chars: maxChars } = data.pipelines[find("pipeline").value];
      send({ problem: `The file must have at most ${maxChars.toLocaleString("en")} characters.` });
      return;
    }
    try {
      const value = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      send({ value, box });
    } catch {
      send({ problem: `${file.name} must be a text file in UTF-8. Save it as UTF-8, or paste its `
        + "text." });
    }
  }

  find("open").addEventListener("click", () => find("file").click());
  find("file").addEventListener("change", ({ target }) => {
    read(target.files[0], find("text"));
    target.value = "";
  });
  // Listen on the whole page, because the browser would open a file dropped next to the box.
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer.types.includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    read(event.dataTransfer.files[0], event.target.id === "ref" ? find("ref") : find("text"));
  });
})();
