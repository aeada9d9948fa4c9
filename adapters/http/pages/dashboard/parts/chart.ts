import { html } from 'htm/preact'
import type { Locale } from '../messages/locale.ts'
import { table } from './table.ts'

/** One bar: how it is labelled, how high it is beside the others, and what it says in words. */
export type Bar = { readonly label: string; readonly value: number; readonly text: string }

const HEIGHT = 120
const STEP = 24
const WIDTH = 16

/** Bars, drawn on the server; the same numbers stand below as a table, for whoever does not see the bars. */
export const chart = (locale: Locale, title: string, bars: readonly Bar[]) => {
  const top = Math.max(1, ...bars.map(({ value }) => value))
  return html`
    <figure class="chart">
      <figcaption>${title}</figcaption>
      <svg viewBox=${`0 0 ${bars.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        ${bars.map(({ value }, i) => {
          const height = Math.round((value / top) * HEIGHT)
          return html`<rect x=${i * STEP + (STEP - WIDTH) / 2} y=${HEIGHT - height} width=${WIDTH} height=${height} />`
        })}
      </svg>
      <details>
        <summary>${locale.words.parts.asTable}</summary>
        ${table(
          title,
          [
            { title: '', cell: ({ label }: Bar) => label },
            { title, number: true, cell: ({ text }: Bar) => text },
          ],
          bars,
        )}
      </details>
    </figure>
  `
}
