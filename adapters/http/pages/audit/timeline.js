/* The searchable timeline: every event of the account, newest first, each of which opens to what is stored. */

import { ask } from './api.js'
import {
  begin,
  clockOf,
  dayOf,
  empty,
  failed,
  fieldsOf,
  fill,
  firstTime,
  go,
  h,
  idOf,
  linkTo,
  loading,
  nameOf,
  say,
  setFields,
} from './dom.js'
import { markOf, onScreen, seeLine } from './proved.js'

const PAGE = 50

/** The places where the newer pages begin, so that one can go back also in a tab that was opened anew. */
const newer = []

export const showTimeline = async (section, params, signal) => {
  const form = section.querySelector('form')
  const body = section.querySelector('.body')
  firstTime(section, () => prepare(section, form))
  setFields(form, params)
  const { before, ...filters } = params
  if (!before) newer.length = 0
  form.querySelector('details').open ||= ['type', 'stream', 'transaction_id', 'correlation_id'].some(
    (name) => filters[name],
  )
  begin(body, 'Reading the timeline')
  const page = await ask('/v1/audit/events', { ...filters, before, limit: PAGE }, signal)
  onScreen(page.events)
  if (page.events.length === 0) {
    fill(body, nothing(filters, before, page.next))
    return
  }
  fill(body, days(page.events), pager(filters, before, page.next))
  say(`${page.events.length} events`)
}

const nothing = (filters, before, next) => {
  // One answer looks through a limited number of events; a search for something rare goes on from there.
  if (next) {
    const on = h(
      'a',
      { class: 'button plain', href: linkTo('timeline', { ...filters, before: next }) },
      'Search older events',
    )
    return empty(
      'Nothing here yet',
      'None of the newest 50 000 events before this place fits. Older ones were not looked at.',
      on,
    )
  }
  const all = h('a', { class: 'button plain', href: '#/timeline' }, 'Show everything')
  if (before) return empty('The log begins here', 'There is nothing older.', all)
  return Object.keys(filters).length > 0
    ? empty('Nothing fits', 'No event of your account fits all of these filters.', all)
    : empty('Nothing happened yet', 'What happens in your account stands here, from its first event on.')
}

const days = (events) =>
  Object.entries(Object.groupBy(events, ({ at }) => dayOf(at))).map(([day, list]) => [
    h('h2', { class: 'day' }, h('time', { datetime: day }, readable(day))),
    h('ol', { class: 'events', keydown: moved }, list.map(row)),
  ])

const readable = (day) =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', { dateStyle: 'full', timeZone: 'UTC' })

const row = (event) => {
  const panel = h('div', { class: 'stored', hidden: true })
  const button = h(
    'button',
    { type: 'button', class: 'event', 'aria-expanded': 'false', click: () => toggle(button, panel, event.position) },
    h('time', { datetime: event.at }, clockOf(event.at)),
    h('b', {}, nameOf(event.type)),
    h('code', { class: 'id' }, event.stream),
    h('span', { class: 'by' }, event.actor),
    markOf(event.position),
  )
  return h('li', {}, button, panel)
}

const toggle = async (button, panel, position) => {
  const open = button.getAttribute('aria-expanded') === 'true'
  button.setAttribute('aria-expanded', String(!open))
  panel.hidden = open
  if (open || panel.childElementCount > 0) return
  fill(panel, loading('Reading the event'))
  try {
    const event = await ask(`/v1/audit/events/${position}`)
    seeLine(position, event.line)
    fill(panel, stored(event))
  } catch (error) {
    panel.replaceChildren(failed(error, () => toggle(button, panel, position)))
    button.setAttribute('aria-expanded', 'false')
  }
}

/** An event as the log holds it, read from the line that is hashed. Personal data in it is sealed, and stays so. */
const stored = ({ line, transaction_id }) => {
  const { order, id, stream, revision, metadata, data } = JSON.parse(line)
  const { actor, correlationId, causationId } = metadata.cause
  return [
    h(
      'dl',
      { class: 'facts' },
      fact('Position', idOf(order)),
      fact('Time', idOf(metadata.at)),
      fact('Stream', h('a', { href: linkTo('timeline', { stream }) }, idOf(stream)), ` revision ${revision}`),
      fact('Event', idOf(id)),
      fact('By', idOf(actor)),
      fact('Call', h('a', { href: linkTo('timeline', { correlation_id: correlationId }) }, idOf(correlationId))),
      causationId && fact('Caused by', h('a', { href: linkTo('timeline', { q: causationId }) }, idOf(causationId))),
      transaction_id &&
        fact('Transaction', h('a', { href: linkTo('transaction', { transaction_id }) }, `${transaction_id}: its life`)),
    ),
    h('pre', { tabindex: '0', 'aria-label': 'Data of the event' }, JSON.stringify(data, null, 2)),
  ]
}

const fact = (name, ...value) => h('div', {}, h('dt', {}, name), h('dd', {}, ...value))

const pager = (filters, before, next) => {
  const back = newer.at(-1)
  const older =
    next &&
    h(
      'a',
      {
        class: 'button plain',
        href: linkTo('timeline', { ...filters, before: next }),
        click: () => newer.push(before ?? ''),
      },
      'Older',
    )
  return h(
    'nav',
    { class: 'pager', 'aria-label': 'Pages' },
    before && h('a', { class: 'button plain', href: linkTo('timeline', filters) }, 'Newest'),
    back !== undefined &&
      h(
        'a',
        { class: 'button plain', href: linkTo('timeline', { ...filters, before: back }), click: () => newer.pop() },
        'Newer',
      ),
    older ||
      h(
        'span',
        { class: 'hint' },
        Object.keys(filters).length > 0 ? 'Nothing older fits.' : 'The log of your account begins here.',
      ),
    h('a', { class: 'aside', href: '#/seals' }, 'Verify these events'),
  )
}

/** Arrows move from event to event, also over the days. */
const moved = (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const button = event.target.closest?.('button.event')
  if (!step || !button) return
  const all = [...document.querySelectorAll('#timeline button.event')]
  const next = all[all.indexOf(button) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}

const prepare = (section, form) => {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    go(linkTo('timeline', fieldsOf(form)))
  })
  form.addEventListener('reset', (event) => {
    event.preventDefault()
    go('#/timeline')
  })
  addEventListener('keydown', (event) => {
    if (
      event.key !== '/' ||
      section.hidden ||
      event.ctrlKey ||
      event.metaKey ||
      /INPUT|TEXTAREA/.test(event.target.tagName)
    )
      return
    event.preventDefault()
    form.elements.namedItem('q').select()
    form.elements.namedItem('q').focus()
  })
  form.elements.namedItem('q').addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown') return
    event.preventDefault()
    section.querySelector('button.event')?.focus()
  })
}
