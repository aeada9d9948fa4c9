// Has what is typed into a field checked at its address, and says beside it what came of that.
const PAUSE_MS = 400

for (const field of document.querySelectorAll('textarea[data-check]')) {
  let timer
  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => check(field), PAUSE_MS)
  })
}

async function check(field) {
  const said = field.parentElement.querySelector('[data-checked]')
  const typed = field.value.trim()
  if (typed === '') {
    said.textContent = ''
    return
  }
  const { asset } = field.form.elements
  const wanted = `${field.dataset.check}?${new URLSearchParams({ asset: asset.value, typed })}`
  const response = await fetch(wanted, { headers: { accept: 'application/json' } }).catch(() => undefined)
  // What was typed meanwhile is checked by itself.
  if (!response?.ok || field.value.trim() !== typed) return
  const { words, good } = await response.json()
  said.textContent = words
  said.className = good ? 'hint' : 'error'
}
