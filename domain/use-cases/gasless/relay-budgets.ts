import type { AcceptedAuthorization } from '../../gasless/authorization.ts'
import {
  budgetsOf,
  lostUsd,
  type RelayLimits,
  type RelayRisk,
  type RelayScope,
  shareOf,
  withinFrom,
} from '../../gasless/relay-budget.ts'
import { authorizationId } from '../../selling/authorization-terms.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { payerOf } from './settle-authorization.ts'

/** Whether a signed payment may still cost the relayer something, by what others have cost it within the hour. */

/** `until` is when the losses will be old enough that all budgets bear the payment, if nothing more is lost. */
export type SpentBudget = { readonly scope: RelayScope; readonly budget: string; readonly until: string }

/**
 * What else may be lost, in millionths of a US dollar: by payments that are on their way, per budget, and by this
 * payment.
 */
type AtRisk = { readonly others: (budget: string) => bigint; readonly own: bigint }

/**
 * The budget that cannot bear another payment, which is written down the first time in an hour; undefined while all of
 * them can.
 */
export const spentBudget = async (
  ledger: Ledger,
  limits: RelayLimits,
  risk: RelayRisk,
  now: string,
  { others, own }: AtRisk = NOTHING,
): Promise<SpentBudget | undefined> => {
  const budgets = budgetsOf(risk)
  const states = await Promise.all(budgets.map(([, budget]) => ledger.relayBudget.recent(budget)))
  const spent = states.flatMap((state, at) => {
    const [scope, budget] = budgets[at] as (typeof budgets)[number]
    const [limit, share] = [limits[scope], shareOf(scope, risk)]
    const until = withinFrom(state, { most: (limit * share) / 100n, others: others(budget), own }, now)
    const reached = { percent: Number(share), lostUsd: String(lostUsd(state, now)), limitUsd: String(limit) }
    return until === undefined ? [] : [{ scope, budget, until, reached }]
  })
  const [first] = spent
  if (!first) return undefined
  await ledger.relayBudget.reach(first.budget, first.reached)
  const until = spent.map((each) => each.until).reduce((a, b) => (a > b ? a : b))
  return { scope: first.scope, budget: first.budget, until }
}

const NOTHING: AtRisk = { others: () => 0n, own: 0n }

/** The parties that the losses of a payment are counted against. */
export const riskOf = async (
  ledger: Ledger,
  { accountId, authorization, code }: Pick<AcceptedAuthorization, 'accountId' | 'authorization' | 'code'>,
): Promise<RelayRisk> => {
  const { network, from } = authorization
  const { hasPaid } = await ledger.payer.recent(payerOf(authorizationId(authorization)))
  return { network, accountId, payer: from, code: code?.hash, isKnown: hasPaid }
}
