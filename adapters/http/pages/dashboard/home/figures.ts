import { html } from 'htm/preact'
import { assetOf } from '../../../../../domain/kernel/assets.ts'
import type { Overview, SoldInCoin, SoldOnDay } from '../../../../../domain/use-cases/money/overview.ts'
import type { Locale } from '../messages/locale.ts'
import { type Bar, chart, SERIES_MAX } from '../parts/chart.ts'
import { table } from '../parts/table.ts'

/** The figures of the first page: what was sold, what came for it, what it cost, and the chart by day and coin. */

export const figures = (locale: Locale, overview: Overview, mayAddCredit: boolean) => {
  const { home: words } = locale.words
  const { sold, settledUsd, refundedUsd, credit } = overview
  return html`
    <section aria-label=${words.figures} class="figures">
      ${figure(words.sold, usd(locale, sold.usd), words.sales(locale.number(sold.sales), sold.sales === 1))}
      ${figure(
        words.settled,
        usd(locale, settledUsd),
        refundedUsd ? words.refunded(usd(locale, refundedUsd)) : words.settledText,
      )}
      ${figure(words.fees, usd(locale, overview.fee + (overview.gasFee ?? 0n)), gasText(locale, overview.gasFee))}
      ${
        credit &&
        figure(
          words.credit,
          usd(locale, credit.balance),
          lastsText(locale, credit.daysLeft),
          mayAddCredit && html`<a class="touch" href="/dashboard/top-up">${words.addCredit}</a>`,
        )
      }
    </section>
  `
}

const figure = (name: string, value: string, text: string, way?: unknown) => html`
  <div class="card figure">
    <h2>${name}</h2>
    <p class="value">${value}</p>
    <p class="hint">${text}</p>
    ${way}
  </div>
`

const gasText = (locale: Locale, gasFee: bigint | null): string => {
  const { home: words } = locale.words
  if (gasFee === null) return words.platformAlone
  return gasFee === 0n ? words.noGas : words.gas(usd(locale, gasFee))
}

const lastsText = (locale: Locale, daysLeft: number | null): string => {
  const { home: words } = locale.words
  if (daysLeft === null) return words.nothingCharged
  return daysLeft === 0 ? words.noDaysLeft : words.daysLeft(locale.number(daysLeft), daysLeft === 1)
}

const CENT = 10_000n

/** US dollars to the cent, which sums are read to; an amount below a cent with every digit. */
const usd = (locale: Pick<Locale, 'money'>, units: bigint): string => {
  const size = units < 0n ? -units : units
  if (size < CENT) return locale.money(units, 'USD')
  const cents = (size + CENT / 2n) / CENT
  return locale.money((units < 0n ? -cents : cents) * CENT, 'USD')
}

export const salesChart = (locale: Locale, { days, coins }: Overview) => {
  const { home: words } = locale.words
  const named = coins.length > SERIES_MAX ? coins.slice(0, SERIES_MAX - 1) : coins
  const others = coins.slice(named.length)
  const partsOf = (day: SoldOnDay): readonly bigint[] => {
    const inNamed = named.map((coin) => day.coins.find((each) => isSame(each, coin))?.usd ?? 0n)
    const rest = day.usd - inNamed.reduce((sum, each) => sum + each, 0n)
    return others.length > 0 ? [...inNamed, rest] : inNamed
  }
  const bars = days.map((day): Bar => {
    const parts = partsOf(day)
    return {
      label: locale.date(noonOf(day)),
      parts: parts.map(Number),
      text: usd(locale, day.usd),
      texts: parts.map((part) => (part === 0n ? '' : usd(locale, part))),
    }
  })
  const ofOthers = others.reduce((sum, each) => sum + each.usd, 0n)
  return chart(locale, {
    title: words.chart,
    of: words.day,
    whole: words.sold,
    series: [
      ...named.map((coin) => [nameOf(locale, coin), usd(locale, coin.usd)] as const),
      ...(others.length > 0 ? [[words.others, usd(locale, ofOthers)] as const] : []),
    ],
    bars,
    top: usd(
      locale,
      days.reduce((most, each) => (each.usd > most ? each.usd : most), 0n),
    ),
  })
}

/** Noon is on the same day in every zone that the times of the page may be written in. */
const noonOf = ({ start }: SoldOnDay): string => new Date(Date.parse(start) + HALF_DAY_MS).toISOString()
const HALF_DAY_MS = 43_200_000

const isSame = (a: SoldInCoin, b: SoldInCoin): boolean => a.asset === b.asset && a.decimals === b.decimals

/** Payments by card have a currency where others have a coin. */
const nameOf = ({ words: { home: words } }: Locale, { asset }: SoldInCoin): string =>
  /^[A-Z]{3}$/.test(asset) ? words.card(asset) : (assetOf(asset)?.name ?? asset)

/** Coins that are listed; what was sold in more of them is in the API. */
const COINS_MAX = 20

export const coinTable = (locale: Locale, { coins }: Overview) => {
  const { home: words } = locale.words
  return table(
    words.byCoin,
    [
      {
        title: words.coin,
        cell: (coin: SoldInCoin) => html`${nameOf(locale, coin)} <span class="hint came">${came(locale, coin)}</span>`,
      },
      { title: words.count, number: true, cell: ({ sales }) => locale.number(sales) },
      { title: words.sold, number: true, cell: (coin) => usd(locale, coin.usd) },
    ],
    coins.slice(0, COINS_MAX),
  )
}

/** With every digit that is there; the coin is named beside it. */
const came = (locale: Locale, { asset, settled, decimals }: SoldInCoin): string =>
  /^[A-Z]{3}$/.test(asset) ? locale.money(settled, asset) : locale.coin(settled, decimals, '').trim()
