// Buttons that copy the result, and the help.
"use strict";
(() => {
  const SHOWN = 2000; // ms that a button says "Copied"
  const find = (id) => document.getElementById(id);
  const buttons = { "copy-json": "json", "copy-python": "python" };
  let texts = {};

  // demo.js sends what can be copied, or null.
  document.addEventListener("result-changed", ({ detail }) => {
    texts = detail ?? {};
    for (const id of Object.keys(buttons)) find(id).disabled = !detail;
  });

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // no permission, or a page that is not from this computer
      copyFromBox(text);
    }
  }
  function copyFromBox(text) {
    const focused = document.activeElement;
    const box = document.createElement("textarea");
    box.value = text;
    box.className = "unseen";
    box.setAttribute("aria-hidden", "true");
    document.body.append(box);
    box.select();
    const isCopied = document.execCommand("copy");
    box.remove();
    focused?.focus();
    if (!isCopied) throw new Error("The browser does not allow copying.");
  }

  for (const [id, key] of Object.entries(buttons)) {
    const button = find(id);
    const name = button.textContent;
    let timer = 0;
    const show = (label) => {
      clearTimeout(timer);
      button.textContent = label;
      find("copied").textContent = label;
      timer = setTimeout(() => {
        button.textContent = name;
        find("copied").textContent = "";
      }, SHOWN);
    };
    button.addEventListener("click", async () => {
      button.style.minWidth = `${button.offsetWidth}px`;
      try {
        await copy(texts[key]);
        show("Copied");
      } catch {
        show("Not copied");
      }
    });
  }

  const help = find("help");
  find("help-open").addEventListener("click", () => {
    help.showModal();
    help.querySelector(".pages").scrollTop = 0;
  });
  find("help-close").addEventListener("click", () => help.close());
  help.addEventListener("click", (event) => {
    if (event.target === help) help.close(); // a click outside of the box
  });
})();
