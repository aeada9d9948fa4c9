/*
 * The events on the screen, and what was found out about them: the view of the seals finds it out, and every view shows
 * it.
 */

import { h } from './dom.js'

/** The verdicts, 'proved' or 'refuted', keyed by position. */
const verdicts = new Map()
/** The lines of the events that were opened, by position. */
const lines = new Map()
/** The events on the screen; undefined before any view has shown some. */
let shown

/** Notes which events are on the screen; they are what is proved. */
export const onScreen = (events) => {
  shown = events
}

export const eventsOnScreen = () => shown

export const seeLine = (position, line) => lines.set(position, line)

export const lineSeen = (position) => lines.get(position)

/** Notes what became of an event, and shows it wherever the event stands. */
export const note = (position, verdict) => {
  verdicts.set(position, verdict)
  for (const mark of document.querySelectorAll('[data-proof]'))
    if (mark.dataset.proof === position) mark.replaceWith(markOf(position))
}

const SIGNS = { proved: ['✓', 'stands in the sealed log'], refuted: ['✗', 'is not what was sealed'] }

/** A small sign beside an event. */
export const markOf = (position) => {
  const [sign, words] = SIGNS[verdicts.get(position)] ?? ['', '']
  return h(
    'span',
    { class: `proof ${verdicts.get(position) ?? ''}`, 'data-proof': position, title: words },
    sign && h('span', { 'aria-hidden': 'true' }, sign),
    words && h('span', { class: 'unseen' }, words),
  )
}
