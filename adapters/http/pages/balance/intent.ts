import { html } from 'htm/preact'
import { hiddenFields, problem } from '../people/fields.ts'
import { type AppView, asideForm, enrolmentNotice, moment, termsList, usd, whoAsks } from './who-asks.ts'

/** The screen on which a user confirms a payment from the balance (A-INT-03). */

export type IntentView = {
  readonly app: AppView
  /** Millionths of a US dollar. */
  readonly amount: bigint
  readonly description: string
  /** The email address of the user whose balance it is. */
  readonly email: string
  readonly balance: bigint
  readonly expiresAt: string
  readonly csrf: string
  /** The fields of the second factor; undefined while the user has none. */
  readonly stepUp: unknown
  /** The address of the page on which a second factor is set up. */
  readonly enrolHref: string
  readonly wrong: string | undefined
}

export const intentTitle = ({ amount, app }: Pick<IntentView, 'amount' | 'app'>): string =>
  `Pay ${usd(amount)} to ${app.name}?`

export const intentPage = (view: IntentView) => {
  const { app, amount, description, email, balance, expiresAt, csrf } = view
  const left = balance - amount
  return html`
    ${whoAsks(app)}
    ${termsList([
      ['Amount', html`<strong class="sum">${usd(amount)}</strong>`],
      ['For', description],
      ['From', email],
      ['Your balance', usd(balance)],
      left >= 0n ? ['Afterwards', usd(left)] : ['Missing', html`<strong>${usd(-left)}</strong>`],
      ['Confirm by', moment(expiresAt)],
    ])}
    ${problem(view.wrong)} ${left < 0n ? tooLittle(view, -left) : view.stepUp ? approving(view) : enrolmentNotice(view.enrolHref)}
    ${asideForm(csrf, 'decline', 'Decline')}
    <p class="hint">${app.name} gets this amount and no other, once. Nothing is taken when you decline or close this page.</p>
  `
}

const approving = ({ csrf, stepUp, amount }: IntentView) => html`
  <form method="post">
    ${hiddenFields({ csrf, decision: 'approve' })} ${stepUp}
    <button type="submit">Pay ${usd(amount)}</button>
  </form>
`

const tooLittle = ({ csrf }: IntentView, missing: bigint) => html`
  <p class="notice"><strong>Not enough balance.</strong> Add what is missing, and you come back here.</p>
  <form method="post">
    ${hiddenFields({ csrf })}
    <button type="submit" name="decision" value="top-up">Add ${usd(topUpFor(missing))}</button>
  </form>
`

/**
 * The top-up for what is missing, in millionths of a US dollar: whole cents, and at least what is worth a payment of
 * its own.
 */
export const topUpFor = (missing: bigint): bigint => {
  const cents = ((missing + CENT - 1n) / CENT) * CENT
  return cents > TOP_UP_MIN ? cents : TOP_UP_MIN
}
const CENT = 10_000n
const TOP_UP_MIN = 1_000_000n
