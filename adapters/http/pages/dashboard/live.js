// Reads parts of the page anew when the account's rows have changed. Without script, the page is as it was loaded.
const parts = [...document.querySelectorAll('[data-live]')]
const due = new Set()
const readAt = new Map()
const shown = new Map(parts.map((part) => [part, part.innerHTML]))
const LOOK_MS = 500
let isReading = false

if (parts.some((part) => part.dataset.live)) {
  const source = new EventSource('/dashboard/live')
  source.addEventListener('changed', ({ data }) => {
    const kinds = new Set(JSON.parse(data))
    for (const part of parts) if (part.dataset.live.split(' ').some((kind) => kinds.has(kind))) due.add(part)
    if (!isReading) read()
  })
  // The session has ended: the next page that is opened asks to sign in.
  source.addEventListener('end', () => source.close())
}

// Somebody else may know that it is time to look.
addEventListener('look', () => {
  for (const part of parts) due.add(part)
  if (!isReading) read()
})

async function read() {
  isReading = true
  while (due.size > 0) {
    const now = [...due].filter(mayRead)
    for (const part of now) {
      due.delete(part)
      readAt.set(part, performance.now())
    }
    for (const from of new Set(now.map(addressOf)))
      await renew(
        from,
        now.filter((part) => addressOf(part) === from),
      )
    if (now.length === 0) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  isReading = false
}

// A part that says how often is read so often at most.
function mayRead(part) {
  const last = readAt.get(part)
  return last === undefined || performance.now() - last >= 1000 * Number(part.dataset.every ?? 0)
}

function addressOf(part) {
  return part.dataset.from ?? location.pathname + location.search
}

async function renew(from, those) {
  const response = await fetch(from, { headers: { accept: 'text/html' } }).catch(() => undefined)
  if (!response?.ok || response.redirected) return
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  for (const part of those) {
    const found = page.getElementById(part.id)
    // What somebody is typing or has opened stays as it is until they leave it.
    if (!found || found.innerHTML === shown.get(part) || part.contains(document.activeElement)) continue
    shown.set(part, found.innerHTML)
    part.replaceChildren(...found.childNodes)
  }
  dispatchEvent(new Event('renewed'))
}
