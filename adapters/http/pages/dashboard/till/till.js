// The keypad, and the sound of a payment. Without script the amount is typed, and pages are looked at again by hand.
const keypad = document.querySelector('[data-keypad]')
const LOOK_MS = 3_000
const BACK_MS = 2_000
const sale = document.getElementById('sale')

const TYPED = 'till-typed'

if (keypad) startKeypad(keypad)
if (sale) listen(sale)
watchNetwork()
navigator.serviceWorker?.register('/dashboard/till/worker.js', { scope: '/dashboard/till' }).catch(() => {})

// Nothing is offered that cannot work: what needs the network waits for it.
function watchNetwork() {
  const show = () => {
    document.querySelector('[data-offline]').hidden = navigator.onLine
    for (const button of document.querySelectorAll('[type=submit]')) button.disabled = !navigator.onLine
  }
  addEventListener('offline', show)
  addEventListener('online', show)
  const back = document.querySelector('[data-back]')
  if (back) returnTo(back.href)
  else show()
}

// A browser that says it is online may still reach nobody, so the service itself is asked until it answers.
function returnTo(address) {
  const ask = async () => {
    const answer = navigator.onLine && (await fetch('/healthz', { cache: 'no-store' }).catch(() => undefined))
    if (answer?.ok) location.replace(address)
  }
  addEventListener('online', ask)
  setInterval(ask, BACK_MS)
}

// What was typed stays where the page was lost, until it has become a sale.
function keepTyped({ amount, note }) {
  const typed = JSON.parse(sessionStorage.getItem(TYPED) ?? '{}')
  if (amount.value === '' && typed.amount) amount.value = typed.amount
  if (note.value === '' && typed.note) note.value = typed.note
  const keep = () => sessionStorage.setItem(TYPED, JSON.stringify({ amount: amount.value, note: note.value }))
  for (const field of [amount, note]) field.addEventListener('input', keep)
}

function startKeypad(form) {
  const { amount, note } = form.elements
  form.querySelector('.keys').hidden = false
  keepTyped(form.elements)
  form.addEventListener('click', ({ target }) => {
    const key = target.closest('[data-key]')?.dataset.key
    if (key !== undefined) press(amount, key)
  })
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || [amount, note].includes(event.target)) return
    const key = keyOf(event.key)
    if (key === undefined) return
    event.preventDefault()
    press(amount, key)
  })
  // Whoever taps twice asks once; the form that is left behind can be sent again when the page comes back.
  form.addEventListener('submit', () => setBusy(form, true))
  addEventListener('pageshow', () => setBusy(form, false))
}

function setBusy(form, isBusy) {
  const button = form.querySelector('[type=submit]')
  setTimeout(() => {
    if (button) button.disabled = isBusy || !navigator.onLine
  })
}

function keyOf(key) {
  if (/^\d$/.test(key)) return key
  if (key === '.' || key === ',') return '.'
  return key === 'Backspace' ? 'erase' : undefined
}

function press(amount, key) {
  const { value } = amount
  if (key === 'erase') amount.value = value.slice(0, -1)
  else if (key !== '.') amount.value = value === '0' ? key : value + key
  else if (!/[.,]/.test(value)) amount.value = `${value === '' ? '0' : value}.`
  amount.dispatchEvent(new Event('input', { bubbles: true }))
}

function listen(part) {
  sessionStorage.removeItem(TYPED)
  const stateOf = () => part.querySelector('[data-state]')?.dataset.state
  let before = stateOf()
  // Confirmations, and the end of the time to pay, are told by nobody.
  setInterval(() => {
    if (!document.hidden && !part.querySelector('[data-over]')) dispatchEvent(new Event('look'))
  }, LOOK_MS)
  new MutationObserver(() => {
    const now = stateOf()
    if (now === 'paid' && before !== 'paid') ring()
    before = now
  }).observe(part, { childList: true, subtree: true })
}

// Two notes upwards, made here: nothing has to be loaded while the buyer waits.
function ring() {
  const NOTES_HZ = [880, 1318.5]
  const NOTE_S = 0.18
  try {
    const context = new AudioContext()
    for (const [n, hertz] of NOTES_HZ.entries()) {
      const from = context.currentTime + n * NOTE_S
      const [tone, loudness] = [context.createOscillator(), context.createGain()]
      tone.frequency.value = hertz
      loudness.gain.setValueAtTime(0.3, from)
      loudness.gain.exponentialRampToValueAtTime(0.001, from + NOTE_S)
      tone.connect(loudness).connect(context.destination)
      tone.start(from)
      tone.stop(from + NOTE_S)
    }
    setTimeout(() => context.close(), 2_000)
  } catch {
    // A browser without sound still shows that it is paid.
  }
}
