/** Finds out which of the waiting payments the budgets of the relayer allow. */

import type { AcceptedAuthorization } from '../../domain/gasless/authorization.ts'
import type { RelayState } from '../../domain/gasless/relay.ts'
import { budgetOf, budgetsOf, lostUsd, type RelayRisk } from '../../domain/gasless/relay-budget.ts'
import { authorizationId } from '../../domain/selling/authorization-terms.ts'
import { riskOf, spentBudget } from '../../domain/use-cases/gasless/relay-budgets.ts'
import type { Attempts } from './attempts.ts'
import { gasFor } from './calls.ts'
import type { RelayParts } from './parts.ts'
import { feesFor } from './wallet.ts'

/** The percentage of what a network may lose in an hour at which its operator is told, while there is time to look. */
const EARLY_PERCENT = 75n

/** The payments that go now; the others wait until the losses are an hour old. */
export const withinBudgets = async (
  parts: RelayParts,
  attempts: Attempts,
  state: RelayState,
  waiting: readonly AcceptedAuthorization[],
): Promise<readonly AcceptedAuthorization[]> => {
  const { ledger, limits, now, log, network } = parts
  const atRisk = await onTheirWay(parts, state)
  const justLost = attempts.losses()
  const others = (budget: string) => (atRisk.get(budget) ?? 0n) + (justLost.get(budget) ?? 0n)
  const risks = await Promise.all(waiting.map((each) => riskOf(ledger, each)))
  const bearable: AcceptedAuthorization[] = []
  for (const [at, each] of waiting.entries()) {
    const risk = risks[at] as RelayRisk
    const own = riskOfOwn(parts, each, risk)
    const spent = await spentBudget(ledger, limits, risk, now(), { others, own })
    if (!spent) {
      for (const [, budget] of budgetsOf(risk)) atRisk.set(budget, (atRisk.get(budget) ?? 0n) + own)
      bearable.push(each)
      continue
    }
    const id = authorizationId(each.authorization)
    if (attempts.putOff(id)) log.warn({ network, authorization: id, ...spent }, 'a budget is spent: a payment waits')
  }
  return bearable
}

/** Writes down when a network comes near to what it may lose in an hour, and tells the log of this process. */
export const watchBudget = async ({ network, ledger, limits, now, log }: RelayParts): Promise<void> => {
  const budget = budgetOf('network', network)
  const lost = lostUsd(await ledger.relayBudget.recent(budget), now())
  if (lost * 100n < limits.network * EARLY_PERCENT) return
  const facts = { percent: Number(EARLY_PERCENT), lostUsd: String(lost), limitUsd: String(limits.network) }
  const { events } = await ledger.relayBudget.reach(budget, facts)
  if (events.length > 0) log.error({ network, ...facts }, 'the relayer loses much to payments that come to nothing')
}

/** A transaction of a payer with code who has never paid may come to nothing, at no cost to that payer. */
const isAtRisk = ({ code, isKnown }: RelayRisk): boolean => code !== undefined && !isKnown

const riskOfOwn = ({ gas }: RelayParts, each: AcceptedAuthorization, risk: RelayRisk): bigint => {
  const fees = gas.fees()
  if (!fees || !isAtRisk(risk)) return 0n
  return gas.inUsd(gasFor([each], fees) * feesFor(fees).maxFeePerGas) ?? 0n
}

/** The sums that payments on their way may lose, keyed by budget. */
const onTheirWay = async ({ ledger, gas }: RelayParts, { pending }: RelayState): Promise<Map<string, bigint>> => {
  const atRisk = new Map<string, bigint>()
  for (const { sent } of Object.values(pending)) {
    // A payer with code goes alone.
    const [id, ...more] = sent.authorizations
    const taken = id !== undefined && more.length === 0 ? await ledger.authorization.recent(id) : undefined
    const risk = taken && taken.status !== 'none' ? await riskOf(ledger, taken) : undefined
    if (!risk || !isAtRisk(risk)) continue
    const most = gas.inUsd(BigInt(sent.gas) * BigInt(sent.maxFeePerGas)) ?? 0n
    for (const [, budget] of budgetsOf(risk)) atRisk.set(budget, (atRisk.get(budget) ?? 0n) + most)
  }
  return atRisk
}
