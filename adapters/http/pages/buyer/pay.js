/*
 * Keeps a payment page as it is on the server while somebody looks at it: hears of changes, fetches the page anew and
 * puts its middle in the place of the old one. Without it everything works all the same, by links, forms and
 * refreshing. Its words stand in the page, in the language of who reads it.
 */
;(() => {
  /** Milliseconds between two fetches of the page when no events can be had. */
  const ASK_MS = 15_000
  const SECOND_MS = 1_000
  const COPIED_MS = 2_000
  /** Seconds for which a buyer may read the receipt before being taken back to the shop. */
  const LEAVE_S = 10

  let events
  let asking
  let leaving
  /**
   * The end of the time to pay, by the clock of this device: the server says how long is left, because clocks differ.
   */
  let ends
  let fetching = false

  const main = () => document.querySelector('main')
  const state = () => main().dataset.state

  /** Has screen readers read a text aloud, because they do not notice that the page has changed. */
  const say = (text) => {
    document.getElementById('said').textContent = text
  }

  const update = async () => {
    if (fetching) return
    fetching = true
    try {
      const answer = await fetch(location.href, { headers: { accept: 'text/html' }, cache: 'no-store' })
      if (!answer.ok) return
      const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
      const next = fresh.querySelector('main')
      if (!next || next.dataset.state === state()) return
      const was = state()
      main().replaceWith(document.adoptNode(next))
      document.title = fresh.title
      say([...next.querySelectorAll('h1, [for=depth]')].map(({ textContent }) => textContent).join(' '))
      begin(was)
    } catch {
      // The network may be back at the next change.
    } finally {
      fetching = false
    }
  }

  const listen = () => {
    const { events: address } = main().dataset
    events?.close()
    clearInterval(asking)
    events = undefined
    if (!address) return
    events = new EventSource(address)
    events.addEventListener('state', ({ data }) => {
      if (data !== state()) update()
    })
    events.addEventListener('end', () => events.close())
    events.addEventListener('error', () => {
      // It connects again by itself unless it was refused.
      if (events.readyState !== EventSource.CLOSED) return
      clearInterval(asking)
      asking = setInterval(update, ASK_MS)
    })
  }

  const tick = () => {
    const left = document.querySelector('[data-left]')
    if (!left) return
    const seconds = Math.max(0, Math.round((ends - Date.now()) / SECOND_MS))
    left.textContent = left.dataset.unit.replace(
      '0',
      `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`,
    )
  }

  const copy = async (button) => {
    const { copy: text, copied, select, done, failed } = button.dataset
    // A second click finds the word of the first one, which is not what the button is called.
    button.dataset.label ??= button.textContent
    try {
      await navigator.clipboard.writeText(text)
      say(done)
      button.textContent = copied
    } catch {
      say(failed)
      button.textContent = select
    }
    setTimeout(() => {
      button.textContent = button.dataset.label
    }, COPIED_MS)
  }

  /** Leads a buyer who has just paid back to the shop; a buyer who opens a receipt again stays. */
  const leave = () => {
    const link = document.querySelector('[data-onward]')
    const note = document.querySelector('[data-leaving]')
    if (!link || !note) return
    let seconds = LEAVE_S
    const count = () => {
      note.querySelector('[data-seconds]').textContent = String(seconds)
      if (seconds-- > 0) return
      clearInterval(leaving)
      location.assign(link.href)
    }
    note.hidden = false
    count()
    leaving = setInterval(count, SECOND_MS)
  }

  const begin = (was) => {
    for (const button of document.querySelectorAll('[data-copy], [data-print]')) button.hidden = false
    ends = Date.now() + Number(document.querySelector('[data-left]')?.dataset.left ?? 0) * SECOND_MS
    tick()
    listen()
    if (was !== undefined) document.dispatchEvent(new Event('daybook:page'))
    if (was !== undefined && state() === 'settled') leave()
  }

  document.addEventListener('click', ({ target }) => {
    const button = target.closest?.('button')
    if (button?.dataset.copy !== undefined) copy(button)
    if (button?.dataset.print !== undefined) print()
    if (button?.dataset.stay === undefined) return
    clearInterval(leaving)
    button.closest('[data-leaving]').hidden = true
  })
  setInterval(tick, SECOND_MS)
  begin()
})()
