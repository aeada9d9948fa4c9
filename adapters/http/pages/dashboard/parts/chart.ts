import { html } from 'htm/preact'
import type { Locale } from '../messages/locale.ts'
import { table } from './table.ts'

/** One bar: what it is of, the height of each of its parts in the order of the series, and what it says in words. */
export type Bar = {
  readonly label: string
  readonly parts: readonly number[]
  readonly text: string
  /** Each part in words, for the table. */
  readonly texts: readonly string[]
}

export type Chart = {
  readonly title: string
  /** What the bars are of, such as a day: the heading of the first column of the table. */
  readonly of: string
  /** What all parts together are. */
  readonly whole: string
  /** The names of the parts, with what each comes to; at most SERIES_MAX. */
  readonly series: readonly (readonly [name: string, text: string])[]
  readonly bars: readonly Bar[]
  /** What the highest bar says. */
  readonly top: string
}

/** There are so many colours. */
export const SERIES_MAX = 5

const HEIGHT = 120
const STEP = 24
const WIDTH = 16

/**
 * Bars of stacked parts, drawn on the server. The same numbers stand below as a table, for whoever does not see the
 * bars, and the name of each colour beside it.
 */
export const chart = (locale: Locale, { title, of, whole, series, bars, top }: Chart) => html`
  <figure class="chart">
    <figcaption>${title}</figcaption>
    <p class="top" aria-hidden="true">${top}</p>
    <svg viewBox=${`0 0 ${bars.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      ${drawn(bars)}
    </svg>
    <p class="ends" aria-hidden="true"><span>${bars[0]?.label}</span><span>${bars.at(-1)?.label}</span></p>
    <ul class="legend">
      ${series.map(([name, text], n) => html`<li class=${`s${n + 1}`}>${name} <span class="number">${text}</span></li>`)}
    </ul>
    <details>
      <summary>${locale.words.parts.asTable}</summary>
      ${table(
        title,
        [
          { title: of, cell: ({ label }: Bar) => label },
          { title: whole, number: true, cell: ({ text }: Bar) => text },
          ...series.map(([name], n) => ({ title: name, number: true as const, cell: ({ texts }: Bar) => texts[n] })),
        ],
        bars,
      )}
    </details>
  </figure>
`

const drawn = (bars: readonly Bar[]) => {
  const highest = Math.max(...bars.map(({ parts }) => heightOf(parts)), Number.MIN_VALUE)
  return bars.map(({ label, text, parts }, i) => {
    let y = HEIGHT
    const stacked = parts.flatMap((part, n) => {
      const height = rounded((Math.max(0, part) / highest) * HEIGHT)
      if (height === 0) return []
      y = rounded(y - height)
      return [
        html`<rect class=${`s${n + 1}`} x=${i * STEP + (STEP - WIDTH) / 2} y=${y} width=${WIDTH} height=${height} />`,
      ]
    })
    return stacked.length > 0 && html`<g><title>${`${label}: ${text}`}</title>${stacked}</g>`
  })
}

const heightOf = (parts: readonly number[]): number => parts.reduce((sum, part) => sum + Math.max(0, part), 0)

const rounded = (value: number): number => Math.round(value * 10) / 10
