import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { hiddenFields } from '../people/fields.ts'
import type { CoinView } from '../plain-words.ts'
import { dashboardPage, mayOpen, type PageMember } from './frame.ts'
import { type Locale, localeFor } from './messages/locale.ts'
import { coin, money } from './parts/figures.ts'
import { LIVE_SCRIPT, live } from './parts/live.ts'
import { chip, notice, type Tone } from './parts/notices.ts'

/** A test sale, and the buttons with which its seller plays the payment. */

type SaleState = 'late' | 'open' | 'seen' | 'underpaid' | 'settled' | 'expired' | 'elsewhere'

type TestSalePage = {
  readonly member: PageMember
  readonly challengeId: string
  /** Millionths of the currency. */
  readonly price: { readonly units: bigint; readonly currency: string }
  readonly coin: CoinView
  readonly units: bigint
  /** What is still to be paid after a part has come. */
  readonly missing: bigint | undefined
  readonly state: SaleState
  /** The page that a buyer sees. */
  readonly buyerAt: string | undefined
  readonly fault: string | undefined
}

const TONES: Readonly<Record<SaleState, Tone>> = {
  open: 'plain',
  seen: 'warn',
  underpaid: 'warn',
  settled: 'good',
  expired: 'bad',
  late: 'bad',
  elsewhere: 'bad',
}

export const testSalePage = (page: TestSalePage): Reply => {
  const { member, buyerAt, fault } = page
  const locale = localeFor(member)
  const { sale: words } = locale.words
  return dashboardPage({
    ...(fault !== undefined && { status: 422 }),
    title: words.title,
    member,
    current: 'firstSteps',
    scripts: [LIVE_SCRIPT],
    main: html`
      ${notice(fault, 'bad')}
      <p>${words.about}</p>
      ${live({ id: 'sale', kinds: ['challenge', 'transaction'] }, saleCard(page, locale))}
      ${buyerAt && html`<p><a class="touch" href=${buyerAt} target="_blank" rel="noopener">${words.buyer}</a></p>`}
      ${mayOpen(member, 'firstSteps') && html`<p><a class="touch" href="/dashboard/first-steps">${words.back}</a></p>`}
    `,
  })
}

const saleCard = ({ member, challengeId, price, units, missing, state, coin: view }: TestSalePage, locale: Locale) => {
  const { sale: words } = locale.words
  const { decimals, symbol } = view
  const isOpen = state === 'open' || state === 'underpaid' || state === 'seen'
  return html`
    <section class="card" aria-live="polite">
      <p>${chip(words[state][0] ?? '', TONES[state])}</p>
      <p>${words[state][1]}</p>
      <dl>
        <dt>${words.price}</dt>
        <dd>${money(locale, price.units, price.currency)}</dd>
        <dt>${words.toPay}</dt>
        <dd>${coin(locale, units, { decimals, symbol })}</dd>
        ${
          missing !== undefined &&
          html`<dt>${words.missing}</dt>
            <dd>${coin(locale, missing, { decimals, symbol })}</dd>`
        }
      </dl>
      ${
        isOpen &&
        html`<div class="acts">
          ${playButton(member.csrf, challengeId, 'pay-exactly', missing === undefined ? words.exactly : words.rest)}
          ${missing === undefined && playButton(member.csrf, challengeId, 'pay-half', words.half)}
          ${playButton(member.csrf, challengeId, 'pay-late', words.payLate)}
        </div>
        <p class="hint">${words.lateHint}</p>`
      }
    </section>
  `
}

const playButton = (csrf: string, challenge: string, act: string, label: string) => html`
  <form method="post" action="/dashboard/test-sale">
    ${hiddenFields({ csrf, challenge, act })}
    <button type="submit" class=${act === 'pay-exactly' ? undefined : 'plain'}>${label}</button>
  </form>
`
