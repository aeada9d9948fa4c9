import { billedForGas } from '../../gasless/authorization.ts'
import { budgetsOf } from '../../gasless/relay-budget.ts'
import { idOf } from '../../kernel/stream-id.ts'
import { riskOf } from '../../use-cases/gasless/relay-budgets.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import type { Policy } from '../subscriber/policy.ts'

/**
 * What a relayer has lost to a payment counts against its network, its seller, its payer and the payer's code: a
 * transaction in vain, gas that was dearer than what may be billed for it, and what was billed and given back.
 */
export const countRelayLosses: Policy = {
  name: 'count-relay-losses',
  on: {
    AuthorizationReverted: ({ stream, order, data: { tx, gasUsd } }, { ledger }) =>
      count(ledger, idOf(stream), order, { tx, usd: BigInt(gasUsd) }),
    AuthorizationGasSpent: ({ stream, order, data }, { ledger }) =>
      count(ledger, idOf(stream), order, {
        tx: data.tx,
        usd: BigInt(data.gasUsd) - BigInt(billedForGas(data)),
      }),
    AuthorizationReversed: ({ stream, order, data: { tx, billedUsd = '0' } }, { ledger }) =>
      count(ledger, idOf(stream), order, { tx, usd: BigInt(billedUsd) }),
  },
}

const count = async (
  ledger: Ledger,
  authorizationId: string,
  order: bigint,
  { tx, usd }: { tx: string; usd: bigint },
): Promise<void> => {
  const taken = await ledger.authorization.recent(authorizationId)
  if (usd <= 0n || taken.status === 'none') return
  const loss = { usd: String(usd), authorizationId, tx, source: 'count-relay-losses', position: String(order) }
  for (const [, budget] of budgetsOf(await riskOf(ledger, taken))) await ledger.relayBudget.count(budget, loss)
}
