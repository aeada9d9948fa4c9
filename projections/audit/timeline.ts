import { categoryOf, idOf } from '../../domain/kernel/decider.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { challengeParts } from '../../domain/selling/challenge-terms.ts'
import { isCardPaymentId } from '../../domain/selling/transactions/card-payment-id.ts'
import { deciders, type EventData, type EventType } from '../../domain/write-side/deciders.ts'
import { type Change, onEach, type Projection, put, type Table } from '../engine/projection.ts'

/**
 * Every event of the log on one line, with its account and what it is about: the auditor's timeline, and the life of a
 * transaction. A row is written whole from its event alone, because this runs for every event. Nothing of an event's
 * data is in it but names.
 */

const timeline = {
  name: 'timeline',
  columns: {
    position: 'bigint',
    at: 'text',
    type: 'text',
    stream: 'text',
    revision: 'bigint',
    event_id: 'uuid',
    correlation_id: 'text',
    causation_id: 'text',
    actor: 'text',
    account_id: 'text',
    transaction_id: 'text',
    subject: 'text',
  },
  key: ['position'],
  // The operator class lets a prefix be looked up whatever the collation of the database.
  indexes: [
    'account_id, position',
    'subject',
    'event_id',
    'causation_id',
    'correlation_id',
    'at',
    'type text_pattern_ops, position',
    'stream text_pattern_ops',
  ],
} as const satisfies Table

/**
 * Links from a thing to what belongs to it: a transaction's challenges, a challenge's signed payment, the transactions
 * of a chain that carried that out. By these, the events of a life are found although most of them name only the next
 * thing above.
 */
const links = {
  name: 'timeline_links',
  columns: { parent: 'text', subject: 'text', transaction_id: 'text' },
  key: ['parent', 'subject'],
  indexes: ['subject'],
} as const satisfies Table

const shown = (event: RecordedEvent): readonly Change[] => {
  const transactionId = transactionOf(event)
  const row = put(timeline, {
    position: String(event.position),
    at: event.at,
    type: event.type,
    stream: event.stream,
    revision: String(event.revision),
    event_id: event.id,
    correlation_id: event.cause.correlationId,
    causation_id: event.cause.causationId ?? null,
    actor: event.cause.actor,
    account_id: accountOf(event),
    transaction_id: transactionId,
    subject: transactionId ?? subjectOf(event),
  })
  const linked = linksOf[event.type as EventType] as ((data: object, id: string) => readonly Link[]) | undefined
  return linked ? [row, ...linked(event.data, idOf(event.stream)).map(link)] : [row]
}

const types = Object.values(deciders).flatMap(({ evolve }) => Object.keys(evolve)) as EventType[]

export const timelineProjection: Projection = {
  name: 'timeline',
  version: 2,
  tables: [timeline, links],
  on: onEach(types, shown),
}

type Link = { parent: string; subject: string; transactionId?: string }

const link = ({
  parent,
  subject,
  transactionId = null,
}: Omit<Link, 'transactionId'> & { transactionId?: string | null }) =>
  put(links, { parent, subject, transaction_id: transactionId })

const ofTransaction = (transactionId: string, subjects: readonly string[]): readonly Link[] =>
  subjects.map((subject) => ({ parent: transactionId, subject, transactionId }))

const linksOf: { readonly [T in EventType]?: (data: EventData<T>, id: string) => readonly Link[] } = {
  // A set for a payment request belongs to its transaction from the start; one of a resource, once somebody has paid
  // one of its challenges.
  ChallengeOpened: ({ paymentRequest, entries }, id) =>
    paymentRequest
      ? ofTransaction(paymentRequest.transactionId, [id, ...entries.map(({ asset }) => `${id}.${asset}`)])
      : [],
  CardPaymentOpened: ({ paymentRequest }, id) =>
    paymentRequest ? ofTransaction(paymentRequest.transactionId, [id]) : [],
  TransactionCreated: ({ challengeId }, id) =>
    challengeId === null ? [] : ofTransaction(id, [challengeId, challengeParts(challengeId)?.setId ?? challengeId]),
  ChallengeReserved: ({ challengeId, authorizationId }) => [{ parent: challengeId, subject: authorizationId }],
  AuthorizationAccepted: ({ challengeId }, id) => [{ parent: challengeId, subject: id }],
  RelayTransactionSent: ({ authorizations, hash }) => authorizations.map((parent) => ({ parent, subject: hash })),
  CheckoutSessionCompleted: ({ transactionId }, id) => ofTransaction(transactionId, [id]),
  TopUpSettled: ({ challengeId, transferId }) => [{ parent: challengeId, subject: transferId }],
}

/** The transaction that an event names itself; null where it names none. */
const transactionOf = ({ stream, data }: RecordedEvent): string | null => {
  if (stream.startsWith('transaction-')) return idOf(stream)
  const { transactionId, paymentRequest } = data as {
    transactionId?: unknown
    paymentRequest?: { transactionId?: unknown }
  }
  return name(transactionId) ?? name(paymentRequest?.transactionId)
}

/** What an event is about, where that is no transaction. */
const subjectOf = ({ stream, data }: RecordedEvent): string | null => {
  const { challengeId, authorizationId, transferId, ref, hash } = data as Readonly<Record<string, unknown>>
  const known = name(challengeId) ?? name(authorizationId) ?? name(transferId)
  if (known !== null) return known
  switch (categoryOf(stream)) {
    case 'challenge':
    case 'cardPayment':
    case 'checkoutSession':
      return idOf(stream)
    case 'relay':
      return name(hash)
    // A billing event names what it bills for.
    case 'creditAccount':
      return typeof ref === 'string' && (challengeParts(ref) || isCardPaymentId(ref)) ? ref : null
    default:
      return null
  }
}

/** Categories of streams that are named by their account. */
const OWN: ReadonlySet<string> = new Set([
  'account',
  'settings',
  'integrations',
  'webhook',
  'sandboxKeys',
  'customTokens',
  'wallet',
  'stores',
  'team',
  'creditAccount',
  'discounts',
  'customFields',
  'landers',
  'site',
  'merchantKeys',
  'cardProcessor',
])

const USER = 'usr_'
const MEMBER = 'mem_'

/** The account of an event; null for one of nobody, such as a block that was read, and for one of a user. */
export const accountOf = ({ stream, data }: RecordedEvent): string | null => {
  const account = name((data as { accountId?: unknown }).accountId)
  // A letter names its reader, who may be a user, or a member who owns no account.
  if (account !== null) return account.startsWith(USER) || account.startsWith(MEMBER) ? null : account
  return OWN.has(categoryOf(stream)) ? idOf(stream) : null
}

const name = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
