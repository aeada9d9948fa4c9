import { setTimeout as pause } from 'node:timers/promises'
import { keepLockSession } from '../../../adapters/postgres/lock-session.ts'
import { isAccepted } from '../../../domain/kernel/accepted.ts'
import type { EventStore } from '../../../domain/kernel/ports.ts'
import { Refusal } from '../../../domain/kernel/refusal.ts'
import { deliver, sendDelivery } from '../../../domain/reactions/effects/send-delivery.ts'
import type { Attempt } from '../../../domain/selling/webhooks/delivery.ts'
import type { ScheduledDelivery } from '../../../domain/selling/webhooks/delivery-request.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { awaitDelivery, scheduleResend } from '../../../domain/use-cases/selling/webhooks/deliver-now.ts'
import type { Books } from '../../books/books.ts'
import { answeringLedger } from '../../books/operator-ledger.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { startBar } from '../../console/progress.ts'
import type { PlannedResend } from './plan.ts'

/**
 * The outcome for one payment: a `pending` one was scheduled and not answered in time, a `refused` one has become
 * impossible meanwhile.
 */
export type ResendOutcome = Pick<PlannedResend, 'accountId' | 'transactionId' | 'eventId'> & {
  readonly status: 'accepted' | 'failed' | 'pending' | 'refused'
  readonly httpStatus: number | null
  readonly reason: string | null
}

export type Sender = {
  send(run: string, payment: PlannedResend): Promise<ResendOutcome>
  /** Aborts when somebody else may be sending as well. */
  readonly lost: AbortSignal
}

type ResendContext = Pick<UseCaseContext, 'ledger' | 'world' | 'vault' | 'outbound'>

/** Webhooks under way at once. */
const UNDER_WAY_MAX = 8

/**
 * Whoever holds the turn of the effect that sends webhooks is the only one who sends: a service, wherever it runs, or
 * this command. So a webhook that is scheduled here is sent by one of the two and never by both.
 */
export const openSender = async (books: Books, flow: ResendContext): Promise<Sender> => {
  const store = await books.store()
  const sessions = keepLockSession(await books.databaseUrl())
  books.onClose(() => sessions.close())
  const own = await sessions.lock(sendDelivery.name)
  const answerOf = own ? sentHere(store, flow) : (eventId: string) => awaitDelivery(flow, eventId)
  return {
    lost: own?.lost ?? new AbortController().signal,
    async send(run, { accountId, transactionId, eventId }) {
      const payment = { accountId, transactionId, eventId }
      try {
        await scheduleResend(flow.ledger, eventId, { accountId, transactionId, run })
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return { ...payment, status: 'refused', httpStatus: null, reason: error.code }
      }
      return { ...payment, ...outcomeOf(await answerOf(eventId)) }
    },
  }
}

const sentHere =
  (store: EventStore, flow: ResendContext) =>
  async (eventId: string): Promise<Attempt | undefined> => {
    for await (const [scheduled] of store.read(`delivery-${eventId}`)) {
      if (!scheduled) break
      const ledger = answeringLedger(store, sendDelivery.name, scheduled)
      await deliver(scheduled as ScheduledDelivery, { ...flow, ledger })
      break
    }
    const done = await flow.ledger.delivery.read(eventId)
    return done.status === 'done' ? done.outcome : undefined
  }

const outcomeOf = (answer: Attempt | undefined): Pick<ResendOutcome, 'status' | 'httpStatus' | 'reason'> => {
  if (!answer) return { status: 'pending', httpStatus: null, reason: null }
  const { status, reason } = answer
  return { status: isAccepted(status) ? 'accepted' : 'failed', httpStatus: status, reason }
}

const MS_PER_S = 1_000

/**
 * Sends payments one after the other at the rate, until the signal aborts: then those under way are waited for, and no
 * more are begun.
 */
export const sendAll = async (
  sender: Sender,
  run: string,
  payments: readonly PlannedResend[],
  { out, rate, signal }: { out: Output; rate: number; signal: AbortSignal },
): Promise<readonly ResendOutcome[]> => {
  const ended = AbortSignal.any([signal, sender.lost])
  const bar = startBar(out, BigInt(payments.length))
  const sent: ResendOutcome[] = []
  const underWay = new Set<Promise<void>>()
  const failures: unknown[] = []
  const begin = (payment: PlannedResend) => {
    const sending = sender
      .send(run, payment)
      .then(
        (outcome) => {
          sent.push(outcome)
          bar.at(BigInt(sent.length), summary(sent))
        },
        (error: unknown) => {
          failures.push(error)
        },
      )
      .finally(() => underWay.delete(sending))
    underWay.add(sending)
  }
  try {
    let at = performance.now()
    for (const payment of payments) {
      await pause(Math.max(0, at - performance.now()), undefined, { signal: ended }).catch(() => {})
      while (underWay.size >= UNDER_WAY_MAX) await Promise.race(underWay)
      if (ended.aborted || failures.length > 0) break
      at = Math.max(at, performance.now()) + MS_PER_S / rate
      begin(payment)
    }
    await Promise.all(underWay)
  } finally {
    bar.stop()
  }
  if (failures.length > 0) throw failures[0]
  if (sender.lost.aborted) throw new CommandFailure('the turn to send webhooks was lost: begin the run again')
  return sent
}

/** The number of each outcome as text: `12 accepted, 1 failed`. */
export const summary = (sent: readonly ResendOutcome[]): string => {
  const counts = Map.groupBy(sent, ({ status }) => status)
  return (['accepted', 'failed', 'pending', 'refused'] as const)
    .filter((status) => status === 'accepted' || counts.has(status))
    .map((status) => `${counts.get(status)?.length ?? 0} ${status}`)
    .join(', ')
}
