import { html } from 'htm/preact'
import { toDecimal } from '../../../../../domain/kernel/money.ts'
import { networkOf } from '../../../../../domain/kernel/networks.ts'
import type { Candidate } from '../../../../../domain/selling/transfers/candidates.ts'
import type { UnmatchedRow } from '../../../../../projections/selling/unmatched-queries.ts'
import type { Reply } from '../../../core/endpoint.ts'
import { dashboardPage } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { address, COPY_SCRIPT } from '../parts/address.ts'
import { time } from '../parts/figures.ts'
import { notice } from '../parts/notices.ts'
import { coins } from './figures.ts'
import { paymentAt, UNMATCHED } from './paths.ts'
import { amountOf, statusChip } from './unmatched.ts'
import { handForms } from './unmatched-acts.ts'
import type { UnmatchedPage } from './unmatched-page.ts'

/** The page of one payment that settles nothing. */

export const unmatchedPage = (page: UnmatchedPage): Reply => {
  const { member, row, candidates, done, failed } = page
  const locale = localeFor(member)
  const { unmatched: words } = locale.words
  const isOpen = row.status !== 'ignored' && row.status !== 'returned'
  return dashboardPage({
    ...(failed && { status: 422 }),
    title: words.one,
    member,
    current: 'unmatched',
    scripts: [COPY_SCRIPT],
    main: html`
      <p><a href=${UNMATCHED}>${words.back}</a></p>
      ${notice(done && words[DONE[done]])}
      <section class="card" aria-labelledby="facts">
        <h2 id="facts">${words.facts}</h2>
        ${facts(locale, row)}
      </section>
      ${
        isOpen &&
        html`
          <section class="card" aria-labelledby="candidates">
            <h2 id="candidates">${words.candidates}</h2>
            ${
              candidates.length === 0
                ? html`<p class="hint">${words.noCandidates}</p>`
                : html`<ul class="matters">${candidates.map((each) => candidate(locale, each, row))}</ul>`
            }
          </section>
        `
      }
      ${handForms(locale, page)}
    `,
  })
}

const DONE = { return: 'returnNoted', ignore: 'ignoredDone', reopen: 'reopened' } as const

const facts = (locale: Locale, row: UnmatchedRow) => {
  const { unmatched: words } = locale.words
  const network = row.network === null ? '' : (networkOf(row.network)?.title ?? row.network)
  const rows: readonly (readonly [name: string, value: unknown])[] = [
    [words.amount, amountOf(locale, row)],
    [words.status, statusChip(locale, row)],
    [words.ignoreReason, row.ignoredFor && ignoredFor(locale, row.ignoredFor)],
    [words.returnOf, row.returned !== null && returnOf(locale, row)],
    [
      words.meantFor,
      row.transactionId && html`<a href=${paymentAt(row.transactionId)}>${words.payment(row.transactionId)}</a>`,
    ],
    [words.when, time(locale, row.at)],
    [words.mined, row.minedAt && time(locale, row.minedAt)],
    [words.hash, address(locale, { network, address: row.hash })],
    [words.sender, row.payer && address(locale, { network, address: row.payer })],
    [words.address, row.payee && address(locale, { network, address: row.payee })],
  ]
  return html`
    <dl class="facts">
      ${rows.filter(([, value]) => Boolean(value)).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
    </dl>
  `
}

const ignoredFor = ({ words: { ignoreReasons } }: Locale, reason: string): string =>
  ignoreReasons[reason as keyof typeof ignoreReasons] ?? reason

/** How much was returned, and who says so: the seller, or a chain. */
const returnOf = (
  locale: Locale,
  { returned, returnState, isSought, refused, decimals, asset, returnHash }: UnmatchedRow,
) => {
  const { unmatched: words, refusedReturns } = locale.words
  const how = words[returnState === 'sent' ? 'sent' : isSought ? 'pending' : 'recorded']
  return html`
    ${coins(locale, toDecimal(BigInt(returned ?? 0), decimals), asset)}, ${how}
    ${returnHash && html` <code class="long">${returnHash}</code>`}
    ${refused && html`<p class="hint">${refusedReturns[refused as keyof typeof refusedReturns] ?? refused}</p>`}
  `
}

/** A payment that the money may be meant for, and every reason for that. */
const candidate = (locale: Locale, each: Candidate, { decimals, asset }: UnmatchedRow) => {
  const { unmatched: words, candidateReasons } = locale.words
  const { transactionId, challengeId, title, asked, missing, reasons } = each
  const name = title || (transactionId === null ? challengeId : words.payment(transactionId))
  return html`
    <li>
      <p>${transactionId === null ? name : html`<a href=${paymentAt(transactionId)}>${name}</a>`}</p>
      <p>
        ${coins(locale, toDecimal(asked, decimals), asset)} ${words.asked}
        ${missing !== asked && html`, ${coins(locale, toDecimal(missing, decimals), asset)} ${words.missing}`}
        , ${time(locale, each.openedAt)}
      </p>
      <p class="hint">${reasons.map((reason) => candidateReasons[reason]).join(' ')}</p>
    </li>
  `
}
