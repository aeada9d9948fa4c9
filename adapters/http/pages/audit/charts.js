/*
 * Small line charts of balances. A chart is drawn with numbers, which may be rounded; what is written beside it is
 * exact.
 */

import { amountOf, dayOf, h, placesOf, svg, timeOf } from './dom.js'

const WIDE = { width: 640, height: 160, margin: 6 }
const SMALL = { width: 120, height: 28, margin: 3 }

/** A line as high as a line of text. Beside exact numbers it says nothing new, so it is kept from screen readers. */
export const sparkline = (values) =>
  svg(
    'svg',
    { class: 'spark', viewBox: boxOf(SMALL), preserveAspectRatio: 'none', 'aria-hidden': 'true', focusable: 'false' },
    svg('path', { class: 'line', d: stepsOf(placed(values, SMALL)) }),
  )

/** A balance over time with its figures: `times` in ISO 8601, `values` as exact decimals. */
export const chart = (title, asset, times, values) => {
  const figures = placed(values, WIDE)
  const zero = placed(['0', ...values], WIDE)[0][1]
  const line = stepsOf(figures)
  const picture = svg(
    'svg',
    {
      viewBox: boxOf(WIDE),
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': `${title}, from ${values[0]} to ${values.at(-1)} ${asset}`,
    },
    svg('path', { class: 'area', d: `${line}V${zero}H${figures[0][0]}Z` }),
    svg('line', { class: 'zero', x1: 0, x2: WIDE.width, y1: zero, y2: zero }),
    svg('path', { class: 'line', d: line }),
  )
  const said = h('output', {}, pointOf(times, values, values.length - 1))
  return h(
    'figure',
    { class: 'chart' },
    h('figcaption', {}, h('span', {}, title), said),
    h(
      'div',
      { class: 'plot', pointermove: (event) => follow(event, said, times, values) },
      picture,
      scale(asset, values),
    ),
    h('p', { class: 'ends hint' }, h('span', {}, dayOf(times[0])), h('span', {}, dayOf(times.at(-1)))),
    table(asset, times, values),
  )
}

/** The highest and the lowest figure stand beside the line. */
const scale = (asset, values) => {
  const sorted = [...values, '0'].toSorted((a, b) => Number(b) - Number(a))
  const places = placesOf(asset, values)
  return h(
    'p',
    { class: 'scale' },
    [sorted[0], sorted.at(-1)].map((value) => h('span', {}, amountOf(value, places))),
  )
}

const follow = ({ currentTarget, clientX }, said, times, values) => {
  const { left, width } = currentTarget.firstElementChild.getBoundingClientRect()
  const at = Math.round(((clientX - left) / width) * (values.length - 1))
  said.replaceChildren(pointOf(times, values, Math.min(values.length - 1, Math.max(0, at))))
}

const pointOf = (times, values, n) => h('span', {}, `${times[n].slice(0, 16).replace('T', ' ')}: `, amountOf(values[n]))

const table = (asset, times, values) =>
  h(
    'details',
    {},
    h('summary', {}, 'The figures'),
    h(
      'table',
      { class: 'ledger' },
      h(
        'thead',
        {},
        h('tr', {}, h('th', { scope: 'col' }, 'Time (UTC)'), h('th', { scope: 'col', class: 'number' }, 'Balance')),
      ),
      h(
        'tbody',
        {},
        times.map((time, n) =>
          h(
            'tr',
            {},
            h('td', {}, timeOf(time)),
            h('td', { class: 'number' }, amountOf(values[n], placesOf(asset, values))),
          ),
        ),
      ),
    ),
  )

const boxOf = ({ width, height }) => `0 0 ${width} ${height}`

/** The place of each value; a line without a rise runs through the middle. Zero is always in the picture. */
const placed = (values, { width, height, margin }) => {
  const numbers = values.map(Number)
  const [low, high] = [Math.min(0, ...numbers), Math.max(0, ...numbers)]
  const step = width / Math.max(1, values.length - 1)
  const y = (value) => (high === low ? height / 2 : margin + ((high - value) / (high - low)) * (height - 2 * margin))
  return numbers.map((value, n) => [round(n * step), round(y(value))])
}

const round = (value) => Math.round(value * 10) / 10

/** A balance stays as it is until something moves it: the line goes in steps. */
const stepsOf = (points) => points.map(([x, y], n) => (n === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join('')
