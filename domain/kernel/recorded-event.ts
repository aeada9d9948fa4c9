/** An event as the log holds it, and what stands in its place where it cannot be read, or need not be. */

/**
 * The cause of an event: who acted, and in answer to what; kept in the event's metadata. `network`: from where a person
 * or a key of an account called, sealed for that account.
 */
export type Cause = {
  readonly actor: string
  readonly correlationId: string
  readonly causationId?: string
  readonly network?: string
}

/** An event as the log holds it, in its newest shape (older ones are brought forward by `upcast`). */
export type RecordedEvent<E = { readonly type: string; readonly data: object }> = E & {
  readonly id: string
  readonly stream: string
  /** Place in its stream, from 0. */
  readonly revision: bigint
  /**
   * Place in the whole log as this store counts: rising, with gaps. For checkpoints and subscriptions; another store
   * counts otherwise.
   */
  readonly position: bigint
  /**
   * Place in the ledger's own order: rising with `position`, and the same in every copy of the log. Events and rows
   * keep this one.
   */
  readonly order: bigint
  /** When it was decided, ISO 8601 UTC; empty where the event does not say. */
  readonly at: string
  readonly cause: Cause
  /** Why the ledger cannot read it; its data then throws UnreadableEvent. Absent where it can be read. */
  readonly unreadable?: string
}

/**
 * Types under which the store shows events that everybody passes over: those in streams of other programs, and those
 * that an operator has set aside. They keep their places, and `data.type` has what they are called in the log.
 */
export const FOREIGN = '$foreign'
export const SET_ASIDE = '$set-aside'

/** Whether nobody needs to read an event. */
export const isPassedOver = ({ type }: { readonly type: string }): boolean => type === FOREIGN || type === SET_ASIDE

/** The place and the name of an event that cannot be read. */
export type EventPlace = Pick<RecordedEvent, 'id' | 'stream' | 'revision' | 'position' | 'type'>

/**
 * An event in a stream of the ledger that cannot be read. Whoever needs it stops at it, so that no fact is passed over
 * in silence, until it is set aside or this program learns to read it.
 */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent'
  readonly event: EventPlace
  /** Why it cannot be read. */
  readonly reason: string

  constructor(event: EventPlace, reason: string, options?: ErrorOptions) {
    super(
      `event ${event.revision} of ${event.stream} (${event.type}, id ${event.id}, position ${event.position}) cannot be ` +
        `read: ${reason}. daybook events quarantine ${event.id} --reason "…" sets it aside`,
      options,
    )
    const { id, stream, revision, position, type } = event
    this.event = { id, stream, revision, position, type }
    this.reason = reason
  }
}

/** The event as everybody passes over it. */
export const passedOver = (
  event: Omit<RecordedEvent, 'data'>,
  type: typeof FOREIGN | typeof SET_ASIDE,
): RecordedEvent => {
  const { id, stream, revision, position, order, at, cause } = event
  return { id, stream, revision, position, order, type, data: { type: event.type }, at, cause }
}

/** The event as those who need it stop at it: every look at its data throws UnreadableEvent. */
export const unreadable = (event: Omit<RecordedEvent, 'data' | 'unreadable'>, reason: string): RecordedEvent => {
  const { id, stream, revision, position, order, type, at, cause } = event
  const shown = { id, stream, revision, position, order, type, at, cause, unreadable: reason }
  return Object.defineProperty(shown as unknown as RecordedEvent, 'data', {
    get: () => {
      throw new UnreadableEvent(event, reason)
    },
  })
}
