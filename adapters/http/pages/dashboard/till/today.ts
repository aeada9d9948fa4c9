import { html } from 'htm/preact'
import type { TillSaleRow, TillTotal } from '../../../../../projections/selling/till-queries.ts'
import type { Reply } from '../../../core/endpoint.ts'
import { symbolOf } from '../../plain-words.ts'
import type { PageMember } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { money, time } from '../parts/figures.ts'
import { chip } from '../parts/notices.ts'
import { pager } from '../parts/pager.ts'
import { tillPage } from './frame.ts'
import { saleAt, TILL_SALES } from './paths.ts'

/** The sales of today, and what was taken. */

export type TodayPage = {
  readonly member: PageMember
  readonly storeId: number
  readonly sales: readonly TillSaleRow[]
  readonly totals: readonly TillTotal[]
  readonly coins: readonly TillTotal[]
  readonly older: string | undefined
  readonly isFirst: boolean
}

export const todayPage = ({ member, storeId, sales, totals, coins, older, isFirst }: TodayPage): Reply => {
  const locale = localeFor(member)
  const words = locale.words.till
  const at = `${TILL_SALES}?store=${storeId}`
  return tillPage({
    title: words.today,
    member,
    storeId,
    main: html`
      <dl class="totals">
        ${totals.map(
          ({ unit, sum, count }) =>
            html`<dt>${words.salesIn(count)}</dt>
              <dd>${money(locale, BigInt(sum), unit)}</dd>`,
        )}
        ${coins.map(
          ({ unit, sum }) =>
            html`<dt>${words.takenIn(symbolOf(unit))}</dt>
              <dd>${locale.decimal(sum)} ${symbolOf(unit)}</dd>`,
        )}
      </dl>
      ${sales.length === 0 && html`<p>${words.noSales}</p>`}
      <ul class="sales">
        ${sales.map((sale) => line(sale, locale))}
      </ul>
      ${pager(locale, { older: older && `${at}&before=${older}`, newest: isFirst ? undefined : at })}
    `,
  })
}

const line = ({ requestId, amount, currency, note, isPaid, createdAt }: TillSaleRow, locale: Locale) => html`
  <li>
    <a class="touch" href=${saleAt(requestId)}>${money(locale, BigInt(amount), currency)}</a>
    ${isPaid && chip(locale.words.tillStates.paid[0] ?? '', 'good')} <small>${time(locale, createdAt)}</small>
    ${note && html`<small class="note">${note}</small>`}
  </li>
`
