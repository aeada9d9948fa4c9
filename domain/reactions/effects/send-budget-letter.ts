import { idOf } from '../../kernel/decider.ts'
import { FIAT_DECIMALS, toDecimal } from '../../kernel/money.ts'
import { PLATFORM } from '../../kernel/platform.ts'
import type { Effect } from '../subscriber/effect.ts'
import { mailOnce } from '../subscriber/mailing.ts'

/**
 * Tells the operator, where there is one to write to, that a network's relayer loses coin to payments that come to
 * nothing, before all of what it may lose in an hour is lost. Of sellers, payers and their code the log tells.
 */
export const sendBudgetLetter: Effect = {
  name: 'send-budget-letter',
  concurrency: 1,
  on: {
    RelayBudgetReached: async ({ id, stream, data }, context) => {
      const { operatorEmail } = context
      const [scope, network] = idOf(stream).split(':')
      if (operatorEmail === undefined || scope !== 'network') return
      const { percent, lostUsd, limitUsd } = data
      const [lost, limit] = [lostUsd, limitUsd].map((usd) => toDecimal(BigInt(usd), FIAT_DECIMALS))
      await mailOnce(context, id, PLATFORM, async () => ({
        to: operatorEmail,
        subject: `The relayer of ${network} has lost ${percent} % of what it may lose in an hour`,
        text: [
          `Payments that came to nothing have cost the relayer of ${network} ${lost} of ${limit} US dollars within an hour.`,
          '',
          'From 50 % on it waits with contract wallets that have never paid here, from 90 % on with all who have not, and',
          'at 100 % with everybody. What was taken goes on by itself as the hour passes.',
          '',
          'docs/operations.md, "Relayer", tells how to see who it is, and what the limits are (RELAY_LOSS_PER_HOUR).',
        ].join('\n'),
      }))
    },
  },
}
