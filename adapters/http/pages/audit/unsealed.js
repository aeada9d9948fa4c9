/*
 * What is said of events that no head covers: nobody vouches for them, so they have to be few and new. The functions
 * are pure, and know nothing of the page.
 */

/** Milliseconds after which an event without a head is one that is being kept out. */
const UNSEALED_MAX_MS = 600_000

/** What is to be told of a log without any head, as `{ state, title, text }`; `now` is the browser's own time. */
export const nothingSealed = ({ events, hasHead, hasKey, now }) => {
  if (hasHead) return bad('The heads are gone', 'This browser has verified heads of this log before.')
  if (hasKey) return bad('Nothing is sealed', 'You pinned a key, and nothing here is signed by it.')
  if (events.some(({ at }) => now - Date.parse(at) > UNSEALED_MAX_MS))
    return bad(
      'Nothing is sealed',
      'There are events that are old enough to be sealed, so nothing of this log is proved.',
    )
  return {
    state: 'open',
    title: 'Nothing is sealed yet',
    text: 'The first head is signed within a minute after the first event. Until then nothing is proved.',
  }
}

/** The same of the events after the newest head, newest first as the page has them. */
export const notSealed = ({ events, newest, now }) => {
  const left = events.filter(({ position }) => BigInt(position) > BigInt(newest.order))
  if (left.length === 0)
    return { state: 'good', title: 'All are sealed', text: `Every event on the screen is under the head. ${TIMES}` }
  const isOlder = (time) => left.find(({ at }) => !(time - Date.parse(at) <= UNSEALED_MAX_MS))
  const late = isOlder(Date.parse(newest.sealedAt))
  if (late) return bad('Events are kept out', `The event at position ${late.position} is old and yet not sealed.`)
  const slow = isOlder(now)
  if (slow) {
    const text = `By this browser’s clock the event at position ${slow.position} has long waited for a head.`
    return { state: 'open', title: 'No new heads', text }
  }
  const count = left.length === events.length ? `At least ${left.length}` : `Up to ${left.length}`
  const seconds = Math.max(0, ...left.map(({ at }) => Math.ceil((now - Date.parse(at)) / 1_000)))
  const text = `${count} events of the last ${seconds} s wait for the next head: nobody vouches for them. ${TIMES}`
  return { state: 'good', title: 'Not sealed yet', text }
}

const TIMES = 'Times are the operator’s.'

const bad = (title, text) => ({ state: 'bad', title, text })
