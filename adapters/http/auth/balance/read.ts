import { z } from 'zod'
import { endpoint } from '../../core/endpoint.ts'
import { OFTEN, usdNumber } from './fields.ts'

/** What a user has (A-BAL-01). There is no coin of our own, so of that it is always nothing. */
export const readBalance = endpoint({
  method: 'get',
  path: '/oauth2',
  when: { op: 'balance' },
  summary: 'The balance of the user whose token it is',
  auth: 'bearer',
  scope: 'balance',
  limits: OFTEN,
  ledgerOnly: true,
  returns: z.object({ sub: z.string(), credit_usd: z.number(), native_coin: z.number(), currency: z.literal('USD') }),
  async answer({ actor: { sub }, flow }) {
    const { balance } = await flow.ledger.userBalance.read(sub)
    return { sub, credit_usd: usdNumber(balance), native_coin: 0, currency: 'USD' as const }
  },
})
