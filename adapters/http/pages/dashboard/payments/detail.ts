import { html } from 'htm/preact'
import { toDecimal } from '../../../../../domain/kernel/money.ts'
import { networkOf } from '../../../../../domain/kernel/networks.ts'
import type { Life } from '../../../../../domain/reading/life.ts'
import type { Reply } from '../../../core/endpoint.ts'
import { dashboardPage } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { address, COPY_SCRIPT } from '../parts/address.ts'
import { money, time } from '../parts/figures.ts'
import { LIVE_SCRIPT, live } from '../parts/live.ts'
import { notice } from '../parts/notices.ts'
import { actForms } from './acts.ts'
import { coins, price, statusChips } from './figures.ts'
import { PAYMENTS } from './paths.ts'
import type { PaymentPage, PendingProgress } from './payment.ts'
import { webhooksOf } from './webhooks.ts'

/** The page of one payment. */

export const paymentPage = (page: PaymentPage): Reply => {
  const { member, record, row, life, done, failed } = page
  const locale = localeFor(member)
  const { payments: words } = locale.words
  return dashboardPage({
    ...(failed && { status: 422 }),
    title: record.title || words.payment,
    member,
    current: 'payments',
    scripts: [LIVE_SCRIPT, COPY_SCRIPT],
    main: html`
      <p><a href=${row.test ? `${PAYMENTS}?test=1` : PAYMENTS}>${words.back}</a></p>
      ${notice(done && words[DONE[done]])}
      ${live(
        { id: 'payment', kinds: ['transaction', 'challenge'] },
        html`<section class="card" aria-labelledby="facts"><h2 id="facts">${words.facts}</h2>${facts(locale, page)}</section>`,
      )}
      ${webhooksOf(locale, page)}
      ${actForms(locale, page)}
      ${
        life &&
        live(
          { id: 'life-of-it', kinds: ['transaction', 'challenge', 'delivery'] },
          html`<section class="card" aria-labelledby="life"><h2 id="life">${words.life}</h2>${lifeOf(locale, life)}</section>`,
        )
      }
    `,
  })
}

const DONE = {
  resend: 'resent',
  refund: 'refundNoted',
  edit: 'edited',
  match: 'matched',
  'match-transfer': 'matchedTransfer',
} as const

const facts = (locale: Locale, page: PaymentPage) => {
  const { record, row, settlement, progress, due, network } = page
  const { payments: words } = locale.words
  const fee = settlement && BigInt(settlement.fee) + BigInt(settlement.gasFee)
  const title = network === undefined ? '' : (networkOf(network)?.title ?? network)
  const rows: readonly (readonly [name: string, value: unknown])[] = [
    [words.number, row.id],
    [words.status, statusChips(locale, { ...row, isRefunded: row.refundedAt !== null })],
    [words.confirmations, progress && progressWords(locale, progress)],
    [words.amount, price(locale, record.amount_fiat, record.currency)],
    [words.asked, coins(locale, record.amount, record.cryptocurrency)],
    [words.received, coins(locale, receivedOf(page), record.cryptocurrency || (due?.asset ?? ''))],
    [words.missing, due && due.paid > 0n && coins(locale, toDecimal(due.missing, due.decimals), due.asset)],
    [words.rate, rateOf(locale, page)],
    [words.fee, fee !== undefined && money(locale, fee, 'USD')],
    [words.hash, record.hash && address(locale, { network: title, address: record.hash })],
    [words.payer, settlement?.payer && address(locale, { network: title, address: settlement.payer })],
    [words.when, time(locale, row.createdAt)],
    [words.confirmed, row.confirmedAt && time(locale, row.confirmedAt)],
    [words.ownReference, record.external_reference],
    [words.refunded, record.refund_status && `${record.refunded_amount ?? ''} (${record.refund_status})`],
    [words.dispute, record.dispute],
    [words.byHand, record.edited_by_hand],
    ...FIELDS.map((name) => [words[name], record[name]] as const),
  ]
  return html`
    <dl class="facts">
      ${rows.filter(([, value]) => Boolean(value)).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
    </dl>
  `
}

/** All that came, also while the rest is missing. */
const receivedOf = ({ record, due }: PaymentPage): string =>
  record.received_amount ?? (due && due.paid > 0n ? toDecimal(due.paid, due.decimals) : '')

/** The rate at which the price was asked for in the coin, with who said so. */
const rateOf = ({ words: { payments: words } }: Locale, { rate, rateSource }: PaymentPage) =>
  rate && (rateSource ? words.rateFrom(`${rate} USD`, rateSource) : `${rate} USD`)

const FIELDS = ['description', 'vat', 'vat_details', 'billing', 'customer_id', 'to_name', 'discount_code'] as const

const progressWords = ({ words: { payments } }: Locale, progress: PendingProgress): string => {
  if (progress.state !== 'seen') return payments[progress.state === 'underpaid' ? 'partCame' : 'nothingCame']
  const { confirmations, required } = progress
  return confirmations === undefined ? payments.seen : payments.confirmationsOf(confirmations, required)
}

/** Every event of the payment in the order of the ledger, with what brought it about. */
const lifeOf = (locale: Locale, { steps }: Life) => {
  const { payments: words } = locale.words
  return html`
    <ol class="life">
      ${steps.map(
        ({ type, at, actor, because, facts: told, number }) => html`
          <li id=${`step-${number}`}>
            <b>${type}</b> ${time(locale, at)} ${words.by(actor)}
            ${because !== null && html` <a href=${`#step-${because}`}>${words.because(because)}</a>`}
            ${Object.entries(told).map(([name, value]) => html`<span class="told">${name} ${value}</span>`)}
          </li>
        `,
      )}
    </ol>
  `
}
