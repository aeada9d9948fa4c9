// Reads parts of the page anew when the account's rows have changed. Without script, the page is as it was loaded.
const parts = [...document.querySelectorAll('[data-live]')]
const due = new Set()
let isReading = false

if (parts.length > 0) {
  const source = new EventSource('/dashboard/live')
  source.addEventListener('changed', ({ data }) => {
    const kinds = new Set(JSON.parse(data))
    for (const part of parts) if (part.dataset.live.split(' ').some((kind) => kinds.has(kind))) due.add(part)
    if (!isReading) read()
  })
  // The session has ended: the next page that is opened asks to sign in.
  source.addEventListener('end', () => source.close())
}

async function read() {
  isReading = true
  while (due.size > 0) {
    const now = [...due]
    due.clear()
    for (const from of new Set(now.map(addressOf)))
      await renew(
        from,
        now.filter((part) => addressOf(part) === from),
      )
  }
  isReading = false
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
    if (found && !part.contains(document.activeElement)) part.replaceChildren(...found.childNodes)
  }
}
