import { z } from 'zod'
import { PLATFORM } from '../../../../domain/kernel/platform.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { openRequest } from '../../../../domain/use-cases/selling/challenges/open-request.ts'
import { endpoint } from '../../core/endpoint.ts'
import { FiatAmount, fiatUnits } from '../common/amounts.ts'

/** Prepaid seller credit, paid through our own door (J-ACC-08, N-18). */

/** The least amount of a top-up, in US dollars (L-JSN-02). */
const AMOUNT_MIN = 1

const topUp = endpoint({
  method: 'post',
  path: '/v1/top-up',
  summary: 'Buy credit: answers where to pay it',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'billing.spend' },
  idempotent: true,
  body: z.object({ amount: FiatAmount.min(AMOUNT_MIN) }),
  returns: z.object({ url: z.url(), amount: z.number(), activated: z.boolean(), next: z.string() }),
  refusals: ['unavailable', 'idempotency-conflict'],
  async answer({ body, actor, flow, queries, once }) {
    const { accountId } = actor
    if (Object.keys(await flow.ledger.wallet.recent(PLATFORM)).length === 0)
      return refuse('unavailable', 'credit cannot be bought here: the operator has set no PLATFORM_WALLETS')
    const amount = String(fiatUnits(body.amount))
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
    const activated = (await queries.account(accountId))?.activated ?? false
    const next = 'Pay at the url. The credit is added when the payment is confirmed.'
    return { url: `${flow.origins.pay}/id/${requestId}`, amount: body.amount, activated, next }
  },
})

export const topUpEndpoints = [topUp]
