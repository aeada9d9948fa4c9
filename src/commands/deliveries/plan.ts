import type { World } from '../../../domain/kernel/ports.ts'
import { isGone } from '../../../domain/selling/transactions/transaction.ts'
import { runEventId } from '../../../domain/use-cases/selling/webhooks/deliver-now.ts'
import { webhookOf } from '../../../domain/use-cases/selling/webhooks/webhook-of.ts'
import type { Ledger } from '../../../domain/write-side/ledger.ts'
import type { ResendRow } from '../../../projections/selling/deliveries.ts'
import { CommandFailure } from '../../console/failures.ts'

/** What a run does with a payment: it is sent, or left out with the reason. */
export type ResendDecision = 'send' | 'sent-before' | 'accepted-since' | 'not-completed' | 'no-url'

export type PlannedResend = {
  readonly accountId: string
  readonly transactionId: string
  /** The id of the webhook that the run sends. */
  readonly eventId: string
  readonly verdict: ResendDecision
  /** The URL by today's settings, when it is to be sent. */
  readonly url: string | undefined
}

type PlanContext = { readonly ledger: Ledger; readonly world: World }

/** Payments that are looked up at once. */
const LOOKED_UP_AT_ONCE = 16

/**
 * The plan for some rows, in their order. With `untold`, payments are left out whose merchant has accepted another
 * webhook since.
 */
export const planResends = async (
  judging: PlanContext,
  run: string,
  rows: readonly ResendRow[],
  { untold, signal }: { untold: boolean; signal: AbortSignal },
): Promise<readonly PlannedResend[]> => {
  const plan: PlannedResend[] = []
  for (let at = 0; at < rows.length; at += LOOKED_UP_AT_ONCE) {
    if (signal.aborted) throw new CommandFailure('stopped before anything was sent')
    plan.push(
      ...(await Promise.all(
        rows.slice(at, at + LOOKED_UP_AT_ONCE).map(async (row) => {
          const { accountId, transactionId } = row
          const eventId = runEventId(judging.world, run, transactionId)
          return { accountId, transactionId, eventId, ...(await judged(judging, row, eventId, untold)) }
        }),
      )),
    )
  }
  return plan
}

const judged = async (
  { ledger }: PlanContext,
  { transactionId, acceptedSince }: ResendRow,
  eventId: string,
  untold: boolean,
): Promise<Pick<PlannedResend, 'verdict' | 'url'>> => {
  const none = { url: undefined }
  if ((await ledger.delivery.read(eventId)).status === 'done') return { verdict: 'sent-before', ...none }
  if (untold && acceptedSince) return { verdict: 'accepted-since', ...none }
  const transaction = await ledger.transaction.read(transactionId)
  if (isGone(transaction) || transaction.status !== 'C') return { verdict: 'not-completed', ...none }
  const { url } = await webhookOf(ledger, transaction)
  return { verdict: url === undefined ? 'no-url' : 'send', url }
}
