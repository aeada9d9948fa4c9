import { html } from 'htm/preact'

/** Something that is sold, as it stands among others. */
export type Goods = {
  readonly title: string
  readonly description: string
  /** "48.00 USD" */
  readonly price: string
  /** The path of a picture of ours; undefined when there is none. */
  readonly picture: string | undefined
  readonly href: string
  /** "Sold out", where there is no piece left. */
  readonly soldOut?: string | undefined
}

/** The picture of a product, or its initial. It needs no text of its own, because the title says what it shows. */
export const picture = ({ picture: path, title }: Pick<Goods, 'picture' | 'title'>, eager = false) =>
  path === undefined
    ? initial(title)
    : html`<img class="tile" src=${path} alt="" loading=${eager ? 'eager' : 'lazy'} decoding="async" />`

/**
 * The same title always gets the same shape, and the shapes differ, so that products without pictures do not look all
 * the same.
 */
const initial = (title: string) => {
  const shape = [...title].reduce((sum, each) => (sum * 31 + (each.codePointAt(0) ?? 0)) % SHAPES.length, 7)
  const [cx, cy, r] = SHAPES[shape] ?? SHAPES[0]
  const letter = /[\p{L}\p{N}]/u.exec(title)?.[0]?.toUpperCase() ?? '·'
  return html`
    <svg class="tile" viewBox="0 0 120 120" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      <rect width="120" height="120" opacity="0.06" />
      <circle cx=${cx} cy=${cy} r=${r} opacity="0.1" />
      <circle cx=${120 - cx} cy=${120 - cy + 14} r=${r * 0.62} opacity="0.08" />
      <text x="60" y="60" text-anchor="middle" dominant-baseline="central">${letter}</text>
    </svg>
  `
}

const SHAPES = [
  [18, 22, 58],
  [104, 18, 62],
  [60, 128, 66],
  [8, 96, 56],
  [112, 88, 50],
  [60, -8, 64],
] as const

/** Cards of equal weight, in so many columns where there is room; in one column they are a list. */
export const cards = (goods: readonly Goods[], columns: number) => html`
  <ul class=${`cards columns-${columns}`}>
    ${goods.map(
      (each) => html`
        <li>
          <a href=${each.href}>
            ${picture(each)}
            <h3 dir="auto">${each.title}</h3>
            <p class="price">${each.price}</p>
            ${each.soldOut && html`<p class="hint">${each.soldOut}</p>`}
          </a>
        </li>
      `,
    )}
  </ul>
`

/** One product before all others. */
export const spot = (goods: Goods) => html`
  <div class="spot">
    <a href=${goods.href}>
      ${picture(goods, true)}
      <div>
        <h3 dir="auto">${goods.title}</h3>
        ${goods.description && html`<p class="lead" dir="auto">${goods.description}</p>`}
        <p class="price">${goods.price}</p>
        ${goods.soldOut && html`<p class="hint">${goods.soldOut}</p>`}
      </div>
    </a>
  </div>
`
