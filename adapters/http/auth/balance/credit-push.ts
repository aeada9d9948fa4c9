import { z } from 'zod'
import { pushCredit } from '../../../../domain/use-cases/balance/credit.ts'
import { endpoint } from '../../core/endpoint.ts'
import { Amount, Description, Duplicate, duplicateOf, OFTEN, Reference, usdNumber, usdUnits } from './fields.ts'
import { mustHavePushKey } from './own-client.ts'

/** What an app gives a user from its prepaid credit (A-CRP-01 to A-CRP-05). */
export const creditPush = endpoint({
  method: 'post',
  path: '/oauth2',
  when: { op: 'credit', act: 'push' },
  summary: 'Credits the user whose token it is, from the app’s own credit, once per ref',
  auth: 'bearer',
  callers: { scope: 'balance' },
  limits: OFTEN,
  takes: { json: true },
  waits: 'after',
  body: z.object({
    client_id: z.string().max(100),
    credit_push_key: z.string().max(200),
    amount: Amount,
    description: Description,
    ref: Reference,
  }),
  returns: z.object({ status: z.literal('credited'), ref: z.string(), duplicate: Duplicate }),
  refusals: ['client-unknown', 'credit-push-key-wrong', 'amount-invalid', 'app-credit-insufficient', 'ref-conflict'],
  async answer({ body, actor, flow }) {
    await mustHavePushKey({ flow, actor }, body)
    const { sub, clientId } = actor
    const { description, ref } = body
    const amount = BigInt(usdUnits(body.amount))
    const { ledgerRef, duplicate } = await pushCredit(flow, { clientId, sub, amount, description, ref })
    return { status: 'credited' as const, ref: ledgerRef, ...duplicateOf(duplicate) }
  },
})

/** The balance of a user (A-BAL-01). There is no coin of our own, so `native_coin` is always 0. */
export const readBalance = endpoint({
  method: 'get',
  path: '/oauth2',
  when: { op: 'balance' },
  summary: 'The balance of the user whose token it is',
  auth: 'bearer',
  callers: { scope: 'balance' },
  limits: OFTEN,
  waits: 'after',
  returns: z.object({ sub: z.string(), credit_usd: z.number(), native_coin: z.number(), currency: z.literal('USD') }),
  async answer({ actor: { sub }, flow }) {
    const { balance } = await flow.ledger.userBalance.read(sub)
    return { sub, credit_usd: usdNumber(balance), native_coin: 0, currency: 'USD' as const }
  },
})
