// Shows the buttons that copy a text, and copies it. Without script, or without a clipboard, the text is there to mark.
show()
// A part of the page that was read anew has its buttons anew.
addEventListener('renewed', show)
document.addEventListener('click', ({ target }) => {
  const button = target.closest?.('button[data-copy]')
  if (button) copy(button)
})

function show() {
  if (navigator.clipboard) for (const button of document.querySelectorAll('button[data-copy]')) button.hidden = false
}

async function copy(button) {
  const { copy: text, copied, select } = button.dataset
  // A second click finds the word of the first one, which is not what the button is called.
  button.dataset.label ??= button.textContent
  button.textContent = await navigator.clipboard.writeText(text).then(
    () => copied,
    () => select,
  )
  setTimeout(() => {
    button.textContent = button.dataset.label
  }, 2_000)
}
