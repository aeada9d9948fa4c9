import { z } from 'zod'
import { ownBalances } from '../../../domain/use-cases/selling/challenges/own-balances.ts'
import { consoleFunction } from './console-function.ts'

const amount = z.string().nullable()

const getBalances = consoleFunction('get-balances', {
  summary: 'What the own receive addresses of every active coin hold on their chains; null is not known right now',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'wallets.view' },
  waits: 'after',
  returns: z.object({
    balances: z.record(
      z.string(),
      z.object({ amount, fiat: amount, currency: z.string(), addresses: z.number().int() }),
    ),
    total_fiat: amount,
    currency: z.string(),
  }),
  answer: ({ actor, flow }) => ownBalances(flow, actor.accountId),
})

export const balanceFunctions = [...getBalances]
