// @ts-check
// Copy buttons beside commands. They are hidden until this runs, so that no dead button is ever shown.

/**
 * Says on the button what happened, then gives it its name back.
 * @param {HTMLButtonElement} button
 * @param {string} message
 */
function say(button, message) {
  const name = button.dataset.name ?? button.textContent ?? "";
  button.dataset.name = name;
  button.textContent = message;
  window.setTimeout(() => {
    button.textContent = name;
  }, 1600);
}

/**
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} source
 */
async function copy(button, source) {
  try {
    await navigator.clipboard.writeText(source.textContent ?? "");
    say(button, "Copied");
  } catch {
    // Without a secure context there is no clipboard: select the text, and the keyboard does the rest.
    window.getSelection()?.selectAllChildren(source);
    say(button, "Selected");
  }
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = button.parentElement?.querySelector("code");
  if (button instanceof HTMLButtonElement && source) {
    button.hidden = false;
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", () => void copy(button, source));
  }
}
