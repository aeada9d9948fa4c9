import { html } from 'htm/preact'
import type { Mandate } from '../../../../domain/balance/mandate.ts'
import { isAutomatic } from '../../../../domain/balance/standing-order.ts'
import { hiddenFields, problem } from '../people/fields.ts'
import { type AppView, asideForm, enrolmentNotice, moment, termsList, usd, whoAsks } from './who-asks.ts'

/**
 * The screen on which a user approves a standing order (A-MAN-02): per-debit limit, total cap, schedule or cooldown,
 * and how long it is valid.
 */

export type MandateView = {
  readonly app: AppView
  readonly terms: Pick<
    Mandate,
    'mode' | 'perDebitCap' | 'lifetimeCap' | 'cooldown' | 'schedAmount' | 'schedInterval' | 'auto'
  >
  readonly description: string
  /** The email address of the user whose balance it is. */
  readonly email: string
  /** Time at which the standing order would end if it were approved now. */
  readonly validUntil: string
  /** Time until which the standing order can be approved. */
  readonly expiresAt: string
  readonly now: string
  readonly csrf: string
  /** The fields of the second factor; undefined while the user has none. */
  readonly stepUp: unknown
  readonly enrolHref: string
  readonly wrong: string | undefined
}

export const mandateTitle = ({ name }: AppView): string => `Let ${name} take payments from your balance?`

export const mandatePage = (view: MandateView) => {
  const { app, description, email, terms, validUntil, expiresAt, csrf } = view
  return html`
    ${whoAsks(app)}
    ${termsList([
      ['For', description],
      ['From', email],
      ['Each payment', html`at most <strong>${usd(terms.perDebitCap)}</strong>`],
      ['In total', html`at most <strong>${usd(terms.lifetimeCap)}</strong>`],
      ...rhythm(view),
      ['Valid for', html`12 months, until ${moment(validUntil)}`],
      ['Answer by', moment(expiresAt)],
    ])}
    ${problem(view.wrong)} ${view.stepUp ? approving(view) : enrolmentNotice(view.enrolHref)}
    ${asideForm(csrf, 'decline', 'Decline')}
    <p class="hint">
      Within these limits ${app.name} gets payments without asking you again. Each one is mailed to you, and you can end this at any time on
      your account page.
    </p>
  `
}

const approving = ({ csrf, stepUp }: MandateView) => html`
  <form method="post">
    ${hiddenFields({ csrf, decision: 'approve' })} ${stepUp}
    <button type="submit">Approve</button>
  </form>
`

/** How often money is taken, and by whom. */
const rhythm = ({ app, terms, now }: MandateView): readonly (readonly [string, unknown])[] => {
  const { mode, schedAmount, schedInterval, cooldown } = terms
  const byApp = ['Taken by', `${app.name}, when it asks for it`] as const
  if (mode === 'adhoc' || schedAmount === null || schedInterval === null) return [['How often', PAUSE[cooldown]], byApp]
  const amount = html`<strong>${usd(schedAmount)}</strong>`
  const schedule: readonly (readonly [string, unknown])[] = isAutomatic(terms)
    ? [
        ['Schedule', html`${amount} ${EVERY[schedInterval]}`],
        ['Taken by', 'Daybook, by itself on each due day'],
        ['First payment', html`as soon as you approve, ${moment(now)}`],
      ]
    : [['Schedule', html`at most ${amount}, once ${EVERY[schedInterval]}`], byApp]
  return [...schedule, ...(cooldown === 'none' ? [] : [['How often', PAUSE[cooldown]] as const])]
}

const PAUSE = {
  none: 'as often as the app likes',
  weekly: 'at most once a week',
  monthly: 'at most once a month',
} as const
const EVERY = { weekly: 'every week', monthly: 'every month' } as const
