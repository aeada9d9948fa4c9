/*
 * A transaction's life, from challenge to delivery: every event on a line of its own, in the lane of what it is about,
 * tied to what caused it.
 */

import { ask } from './api.js'
import {
  begin,
  clockOf,
  dayOf,
  empty,
  fieldsOf,
  fill,
  firstTime,
  go,
  h,
  linkTo,
  nameOf,
  say,
  setFields,
  spanOf,
  svg,
} from './dom.js'
import { markOf, onScreen } from './proved.js'

/** The lanes, from what is asked for to what is told about it, each with its phases. */
const LANES = [
  ['challenge', 'Challenge', ['challenge']],
  ['chain', 'Chain', ['chain', 'payment', 'relay']],
  ['settlement', 'Settled', ['settlement']],
  ['transaction', 'Transaction', ['transaction']],
  ['money', 'Money', ['billing', 'balance']],
  ['delivery', 'Delivery', ['delivery', 'letter', 'other']],
]

const laneOf = ({ phase }) => LANES.findIndex(([, , phases]) => phases.includes(phase))

export const showLife = async (section, params, signal) => {
  const form = section.querySelector('form')
  const body = section.querySelector('.body')
  firstTime(section, () => prepare(form))
  setFields(form, params)
  const { transaction_id: id } = params
  if (!id) {
    fill(body, empty('Which transaction?', 'Give its number, or open one from the timeline.'))
    return
  }
  begin(body, 'Reading its life')
  const life = await ask(`/v1/audit/transactions/${encodeURIComponent(id)}`, {}, signal)
  onScreen(life.steps.filter(({ own }) => own))
  const figure = drawing(life.steps)
  fill(body, summary(life), figure)
  say(`${life.steps.length} events`)
  ties(figure, life.steps, signal)
}

/** Whether the key may see more than lives; a key that is limited to stores may not. */
const isWhole = () => !document.body.classList.contains('limited')

const summary = ({ steps, complete, duration_ms, status, ...flags }) => {
  const also = ['test', 'refunded', 'deleted'].filter((name) => flags[name])
  const fact = (name, value) => h('div', {}, h('dt', {}, name), h('dd', {}, value))
  return h(
    'dl',
    { class: 'facts across' },
    fact('Status', [status, ...also].join(', ')),
    fact('Began', `${dayOf(steps[0].at)} ${clockOf(steps[0].at)}`),
    fact('Took', spanOf(duration_ms)),
    fact('Events', `${steps.length}${complete ? '' : ' and more'}`),
    isWhole() && fact('Proof', h('a', { href: '#/seals' }, 'Verify these events')),
  )
}

const drawing = (steps) =>
  h(
    'div',
    { class: 'life' },
    h(
      'ol',
      { class: 'lanes', 'aria-label': 'Lanes' },
      LANES.map(([lane, title]) => h('li', { class: `lane-${lane}` }, title)),
    ),
    h(
      'ol',
      { class: 'steps' },
      steps.map((step, n) => line(step, steps[n - 1])),
    ),
  )

const line = (step, before) => {
  const [lane, title] = LANES[laneOf(step)]
  const isSameDay = before && dayOf(before.at) === dayOf(step.at)
  return h(
    'li',
    { class: `step lane-${lane}`, 'data-lane': laneOf(step) },
    h(
      'p',
      {},
      h(
        'b',
        {},
        step.own && isWhole()
          ? h('a', { href: linkTo('timeline', { q: step.event_id }) }, nameOf(step.type))
          : nameOf(step.type),
      ),
      h(
        'span',
        { class: 'unseen' },
        ` in the lane ${title}${step.because ? `, brought about by step ${step.because}` : ''}`,
      ),
      markOf(step.position),
    ),
    h(
      'p',
      { class: 'hint' },
      h('time', { datetime: step.at }, `${isSameDay ? '' : `${dayOf(step.at)} `}${clockOf(step.at)}`),
      step.elapsed_ms > 0 && h('span', { class: 'waited' }, `+${spanOf(step.elapsed_ms)}`),
      h('span', {}, `by ${step.actor}`),
    ),
    told(step.facts),
  )
}

/** The facts of an event that support asks for, in short. */
const told = (facts) =>
  Object.keys(facts).length > 0 &&
  h(
    'p',
    { class: 'told' },
    Object.entries(facts).map(([name, value]) => h('span', { title: value }, h('i', {}, name), ` ${value}`)),
  )

const prepare = (form) => {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    go(linkTo('transaction', fieldsOf(form)))
  })
}

/** Draws the lanes, a dot for each event and an arrow from its cause, and again when the lines are laid out anew. */
const ties = (figure, steps, signal) => {
  const list = figure.querySelector('.steps')
  const draw = () => {
    figure.querySelector('svg')?.remove()
    const width = Number.parseFloat(getComputedStyle(list).paddingLeft)
    list.before(
      picture(
        steps,
        [...list.children].map((step) => placeOf(step, width)),
        width,
        list.offsetHeight,
      ),
    )
  }
  const watching = new ResizeObserver(draw)
  watching.observe(list)
  signal.addEventListener('abort', () => watching.disconnect())
}

/** The place of a step's dot: in the middle of its lane, on its first line. */
const placeOf = (step, width) => {
  const lane = (width - 16) / LANES.length
  return { x: (Number(step.dataset.lane) + 0.5) * lane, y: step.offsetTop + 20 }
}

const picture = (steps, places, width, height) => {
  const lane = (width - 16) / LANES.length
  const columns = LANES.map(([name], n) =>
    svg('line', { class: `column lane-${name}`, x1: (n + 0.5) * lane, x2: (n + 0.5) * lane, y1: 0, y2: height }),
  )
  const arrows = steps.flatMap(({ because }, n) => (because === null ? [] : [arrow(places[because - 1], places[n])]))
  const dots = steps.map((step, n) => [
    svg('line', { class: 'leader', x1: places[n].x, x2: width - 4, y1: places[n].y, y2: places[n].y }),
    svg('circle', { class: `dot lane-${LANES[laneOf(step)][0]}`, cx: places[n].x, cy: places[n].y, r: 5 }),
  ])
  const head = svg(
    'marker',
    { id: 'head', viewBox: '0 0 6 6', refX: 5, refY: 3, markerWidth: 6, markerHeight: 6, orient: 'auto' },
    svg('path', { d: 'M0 0L6 3L0 6Z' }),
  )
  return svg(
    'svg',
    { class: 'ties', width, height, 'aria-hidden': 'true', focusable: 'false' },
    svg('defs', {}, head),
    columns,
    dots.flat(),
    arrows,
  )
}

/**
 * The arrow from cause to effect: straight down within a lane, in a bow from one lane to another, and in a bow aside
 * past the dots in between.
 */
const arrow = (from, to) => {
  const [top, bottom] = [from.y + 6, to.y - 7]
  const middle = (top + bottom) / 2
  const aside = from.x === to.x && to.y - from.y > 90 ? 9 : 0
  const path = aside
    ? `M${from.x} ${top}C${from.x - aside} ${top + 20} ${to.x - aside} ${bottom - 20} ${to.x} ${bottom}`
    : `M${from.x} ${top}C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${bottom}`
  return svg('path', { class: 'tie', d: path, 'marker-end': 'url(#head)' })
}
