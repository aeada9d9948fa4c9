import type { RecordedEvent } from '../kernel/ports.ts'
import { factsOf, type Phase, phaseOf } from './life-facts.ts'

/**
 * A transaction's whole life as one timeline with cause and effect: what the command line prints and the auditor's page
 * draws. For each event it has the facts that support asks for, and never what is sealed.
 */
export type Life = {
  readonly transactionId: string
  readonly accountId: string | null
  /** The status as the merchant sees it. */
  readonly status: 'pending' | 'completed' | 'rejected' | 'none'
  readonly test: boolean
  /** Whether a refund is recorded, and whether all of what is recorded is known to be sent. */
  readonly refunded: boolean
  readonly refundSent: boolean
  readonly deleted: boolean
  /** When the first and the last event were decided, ISO 8601 UTC. */
  readonly from: string
  readonly to: string
  readonly durationMs: number
  /** The steps in the order of the ledger. */
  readonly steps: readonly Step[]
}

export type Step = {
  /** The number of the step, from 1; `because` of other steps points here. */
  readonly number: number
  /** Place in the ledger's own order, as decimal text. */
  readonly position: string
  readonly at: string
  /** Milliseconds since the step before; below zero where two clocks differed. Null for the first step. */
  readonly elapsedMs: number | null
  readonly type: string
  readonly stream: string
  readonly revision: string
  readonly eventId: string
  readonly correlationId: string
  /** The policy, the effect or the caller that wrote it. */
  readonly actor: string
  readonly phase: Phase
  /**
   * The number of the step that brought it about; null where somebody asked for it, or where that is not part of this
   * life.
   */
  readonly because: number | null
  /** How many steps led to it, one because of the other. */
  readonly depth: number
  readonly facts: Readonly<Record<string, string>>
}

/** Makes the life of a transaction from its events, which come in the order of the ledger. */
export const lifeFrom = (transactionId: string, events: readonly RecordedEvent[]): Life => {
  const [from, to] = [events[0]?.at ?? '', events.at(-1)?.at ?? '']
  const durationMs = from ? between(from, to) : 0
  return { transactionId, ...become(transactionId, events), from, to, durationMs, steps: stepsFrom(events) }
}

/** Makes steps of events, which come in the order of the ledger. */
export const stepsFrom = (events: readonly RecordedEvent[]): readonly Step[] => {
  const numbers = new Map(events.map(({ id }, index) => [id, index + 1]))
  const steps: Step[] = []
  for (const [index, event] of events.entries()) {
    const before = events[index - 1]
    const because = numbers.get(event.cause.causationId ?? '') ?? null
    const cause = because === null ? undefined : steps[because - 1]
    steps.push({
      number: index + 1,
      position: String(event.order),
      at: event.at,
      elapsedMs: before ? between(before.at, event.at) : null,
      type: event.type,
      stream: event.stream,
      revision: String(event.revision),
      eventId: event.id,
      correlationId: event.cause.correlationId,
      actor: event.cause.actor,
      phase: phaseOf(event),
      because,
      depth: cause ? cause.depth + 1 : 0,
      facts: factsOf(event),
    })
  }
  return steps
}

/** What the merchant sees of the transaction in the end. */
const become = (transactionId: string, events: readonly RecordedEvent[]) => {
  const own = events.filter(({ stream }) => stream === `transaction-${transactionId}`)
  const last = (...types: readonly string[]) => own.findLast(({ type }) => types.includes(type))
  const created = own.find(({ type }) => type === 'TransactionCreated')?.data as TransactionFacts | undefined
  const status = last('TransactionCreated', 'TransactionCompleted', 'TransactionRejected')?.type
  return {
    accountId: created?.accountId ?? null,
    status: status === undefined ? ('none' as const) : STATUS[status as keyof typeof STATUS],
    test: created?.test ?? false,
    refunded: isRefunded(last('RefundRecorded', 'RefundVoided', 'RefundFailed')),
    refundSent: isRefundSent(last(...REFUNDS)),
    // A deleted transaction is there again once money came for it.
    deleted: last('TransactionDeleted', 'TransactionCompleted')?.type === 'TransactionDeleted',
  }
}

const REFUNDS = ['RefundRecorded', 'PartRefundRecorded', 'RefundSent', 'RefundUnsent', 'RefundVoided', 'RefundFailed']

/** Whether the newest word on a whole refund says that it is recorded. */
const isRefunded = (newest: RecordedEvent | undefined): boolean =>
  newest?.type === 'RefundRecorded' ||
  (newest?.type === 'RefundVoided' && (newest.data as { whole?: unknown }).whole === true)

/** Whether the newest word on a refund says that it was sent. */
const isRefundSent = (newest: RecordedEvent | undefined): boolean => {
  const { sent, whole } = (newest?.data ?? {}) as { sent?: unknown; whole?: unknown }
  return newest?.type === 'RefundSent' ? whole === true : sent === true
}

type TransactionFacts = { accountId: string; test: boolean }

const STATUS = {
  TransactionCreated: 'pending',
  TransactionCompleted: 'completed',
  TransactionRejected: 'rejected',
} as const

const between = (from: string, to: string): number => new Date(to).getTime() - new Date(from).getTime()
