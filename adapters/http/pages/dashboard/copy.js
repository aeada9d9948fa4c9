// Shows the buttons that copy a text, and copies it. Without script, or without a clipboard, the text is there to mark.
for (const button of document.querySelectorAll('button[data-copy]'))
  if (navigator.clipboard) {
    button.hidden = false
    button.addEventListener('click', () => copy(button))
  }

async function copy(button) {
  await navigator.clipboard.writeText(button.dataset.copy)
  // A second click finds the word of the first one, which is not what the button is called.
  button.dataset.label ??= button.textContent
  button.textContent = button.dataset.copied
  setTimeout(() => {
    button.textContent = button.dataset.label
  }, 2_000)
}
