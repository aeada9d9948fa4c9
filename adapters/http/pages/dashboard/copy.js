// Shows the buttons that copy a text, and copies it. Without script, or without a clipboard, the text is there to mark.
for (const button of document.querySelectorAll('button[data-copy]'))
  if (navigator.clipboard) {
    button.hidden = false
    button.addEventListener('click', () => copy(button))
  }

async function copy(button) {
  await navigator.clipboard.writeText(button.dataset.copy)
  const { textContent } = button
  button.textContent = button.dataset.copied
  setTimeout(() => {
    button.textContent = textContent
  }, 2_000)
}
