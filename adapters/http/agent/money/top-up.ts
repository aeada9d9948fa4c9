import { z } from 'zod'
import { PLATFORM } from '../../../../domain/kernel/platform.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Once } from '../../../../domain/use-cases/once.ts'
import { openRequest } from '../../../../domain/use-cases/selling/challenges/open-request.ts'
import { endpoint } from '../../core/endpoint.ts'
import { FiatAmount, fiatUnits } from '../common/amounts.ts'

/** Prepaid seller credit, paid through our own door (J-ACC-08, N-18). */

/** The least amount of a top-up, in US dollars (L-JSN-02). */
export const TOP_UP_MIN = 1

const topUp = endpoint({
  method: 'post',
  path: '/v1/top-up',
  summary: 'Buy credit: answers where to pay it',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'billing.spend' },
  idempotent: true,
  body: z.object({ amount: FiatAmount.min(TOP_UP_MIN) }),
  returns: z.object({ url: z.url(), amount: z.number(), activated: z.boolean(), next: z.string() }),
  refusals: ['unavailable', 'idempotency-conflict'],
  async answer({ body, actor, flow, queries, once }) {
    const { accountId } = actor
    const url = await openTopUp(flow, once, accountId, fiatUnits(body.amount))
    const activated = (await queries.account(accountId))?.activated ?? false
    const next = 'Pay at the url. The credit is added when the payment is confirmed.'
    return { url, amount: body.amount, activated, next }
  },
})

export const topUpEndpoints = [topUp]

/** Asks for the payment of credit, in millionths of a US dollar. Refuses `unavailable`. @returns where it is paid */
export const openTopUp = async (
  flow: UseCaseContext,
  once: Once,
  accountId: string,
  units: bigint,
): Promise<string> => {
  if (Object.keys(await flow.ledger.wallet.recent(PLATFORM)).length === 0)
    return refuse('unavailable', 'credit cannot be bought here: the operator has set no PLATFORM_WALLETS')
  const amount = String(units)
  const { requestId } = await openRequest(flow, once, {
    accountId: PLATFORM,
    amount,
    currency: 'USD',
    asset: null,
    assetAmount: null,
    webhookUrl: null,
    test: false,
    title: 'Daybook credit',
    note: '',
    redirect: '',
    externalReference: '',
    expiry: '24h',
    topUp: { accountId, amount },
  })
  return `${flow.origins.pay}/id/${requestId}`
}
