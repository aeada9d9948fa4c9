import { html } from 'htm/preact'
import type { StockLevel } from '../../../../../domain/use-cases/selling/stock/change-stock.ts'
import { hiddenFields } from '../../people/fields.ts'
import type { PageMember } from '../frame.ts'
import type { Messages } from '../messages/en.ts'
import type { Locale } from '../messages/locale.ts'
import { formRow } from '../parts/form-row.ts'
import { choiceRow } from '../parts/other-rows.ts'
import { KINDS, type LinkKind, linkAt } from './paths.ts'

/** How many pieces there are of what a link sells, and the form in which a seller says so (N-97). */

/** What a number does to the pieces: they came, they are gone, or so many were counted. */
export type PieceWay = keyof Messages['pieceWays']

/** What was typed, or what the form says at first. */
export type PieceValues = { readonly way?: string; readonly pieces?: string; readonly reason?: string }

export type PiecesView = {
  readonly level: StockLevel
  /** Names this form, so that it counts once however often it is sent. */
  readonly once: string
  readonly values?: PieceValues | undefined
  readonly faults?: Readonly<Record<string, string>> | undefined
}

type PiecesOf = { readonly member: PageMember; readonly kind: LinkKind; readonly id: string }

const TYPED_MAX = 20

export const piecesCard = (locale: Locale, of: PiecesOf, view: PiecesView) => html`
  <section class="card" aria-labelledby="pieces">
    <h2 id="pieces">${locale.words.pieces.title}</h2>
    ${levelOf(locale, view.level)} ${of.member.actor.can(KINDS[of.kind].edit) && changeForm(locale, of, view)}
  </section>
`

const levelOf = (locale: Locale, { count, lent, available }: StockLevel) => {
  const { pieces: words } = locale.words
  if (count === null) return html`<p>${words.uncounted}</p>`
  return html`
    <dl>
      <dt>${words.there}</dt>
      <dd class="number">${locale.number(count)}</dd>
      <dt>${words.lent}</dt>
      <dd class="number">${locale.number(lent)}</dd>
      <dt>${words.available}</dt>
      <dd class="number">${available === 0 ? words.soldOut : locale.number(available ?? 0)}</dd>
    </dl>
  `
}

const changeForm = ({ words }: Locale, { member, kind, id }: PiecesOf, { level, once, values, faults }: PiecesView) => {
  const { pieces: said, pieceWays, pieceReasons } = words
  const first = level.count === null ? ({ way: 'set', reason: 'counted' } as const) : { way: 'add', reason: 'received' }
  const { way, pieces, reason }: PieceValues = values ?? first
  return html`
    <form method="post" action=${linkAt(kind, id)} class="narrow">
      ${hiddenFields({ csrf: member.csrf, act: 'stock', once })}
      ${choiceRow({ name: 'way', label: said.way, value: way, error: faults?.way, options: Object.entries(pieceWays) })}
      ${formRow({ name: 'pieces', label: said.pieces, hint: said.hint, value: pieces, error: faults?.pieces, maxlength: TYPED_MAX })}
      ${choiceRow({ name: 'reason', label: said.reason, value: reason, error: faults?.reason, options: Object.entries(pieceReasons) })}
      <button type="submit">${said.save}</button>
    </form>
  `
}
