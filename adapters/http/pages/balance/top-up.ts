import { html } from 'htm/preact'
import { hiddenFields, problem } from '../people/fields.ts'
import { type AppView, moment, termsList, usd, whoAsks } from './who-asks.ts'

/** The screen on which a user takes up a top-up that an app has started (A-TOP-01). */

export type TopUpView = {
  readonly app: AppView
  readonly amount: bigint
  /** The email address of the user whose balance it is. */
  readonly email: string
  readonly balance: bigint
  readonly expiresAt: string
  readonly csrf: string
  readonly wrong: string | undefined
}

export const topUpTitle = ({ amount }: Pick<TopUpView, 'amount'>): string => `Add ${usd(amount)} to your balance?`

export const topUpPage = ({ app, amount, email, balance, expiresAt, csrf, wrong }: TopUpView) => html`
  ${whoAsks(app)}
  ${termsList([
    ['Amount', html`<strong class="sum">${usd(amount)}</strong>`],
    ['To', email],
    ['Your balance', usd(balance)],
    ['Afterwards', usd(balance + amount)],
    ['Pay by', moment(expiresAt)],
  ])}
  ${problem(wrong)}
  <form method="post">
    ${hiddenFields({ csrf })}
    <button type="submit">Continue</button>
  </form>
  <p class="hint">
    You choose a coin and pay on the next page. What arrives is yours: ${app.name} gets none of it unless you confirm a payment.
  </p>
`
