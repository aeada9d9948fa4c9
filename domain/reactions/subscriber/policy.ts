import type { SecondVoice } from '../../chains/second-voice.ts'
import type { RecordedEvent, World } from '../../kernel/ports.ts'
import type { EventType, LedgerEvent } from '../../write-side/deciders.ts'
import type { Ledger } from '../../write-side/ledger.ts'

/**
 * A policy says: when this happened, do that. It keeps no state and is safe to run twice: the command it sends names
 * what it answers. It touches nothing outside the log, so a replay may run it over the whole history again and nothing
 * changes.
 */
export type Policy = {
  readonly name: string
  readonly keys: Order
  readonly on: { readonly [T in EventType]?: Reaction<T> }
  /** Where events of one key gather while an earlier one is answered: answers several of them. */
  readonly together?: Together | undefined
}

/**
 * What the order of an event matters for. Events that share a key are answered one after the other, in the order of the
 * log; all others at once, and one without keys waits for none. A target that tells by an event's place in the log what
 * it has (a watermark) would lose an earlier event that comes after a later one, so it has to be among the keys.
 */
type Order = typeof IN_ORDER | ((event: RecordedEvent) => readonly string[])

/** Every event after the one before it. */
const IN_ORDER = 'in order'

/** Answers several events at once, which would otherwise wait for one append after the other. */
type Together = {
  /** The most events that are answered at once. */
  readonly max: number
  /**
   * Answers events in the order of the log, which have the same keys. Each event has a ledger of its own, so that what
   * is written says what it answers. When it fails, the events are answered one by one.
   */
  react(events: readonly RecordedEvent[], contextOf: (event: RecordedEvent) => Context): Promise<unknown>
}

/** A policy that answers one event as it answers several. */
export type PolicyTogether = Together & {
  readonly name: string
  readonly keys: typeof IN_ORDER
  readonly types: readonly EventType[]
}

/** Declares a policy. It says the keys of each event that it answers, alike for all or one by one, or `in order`. */
export const policy = <T extends EventType>({
  keys,
  ...rest
}: {
  readonly name: string
  readonly keys: NoInfer<typeof IN_ORDER | KeysOf<T> | { readonly [E in T]: KeysOf<E> }>
  readonly on: { readonly [E in T]: Reaction<E> }
}): Policy & { readonly on: { readonly [E in T]: Reaction<E> } } => {
  if (keys === IN_ORDER) return { ...rest, keys }
  const of = (event: RecordedEvent) =>
    typeof keys === 'function' ? keys(event as EventOf<T>) : keys[event.type as T](event as EventOf<T>)
  return { ...rest, keys: of }
}

type KeysOf<T extends EventType> = (event: EventOf<T>) => readonly string[]
export type EventOf<T extends EventType> = T extends EventType
  ? RecordedEvent<Extract<LedgerEvent, { type: T }>>
  : never

export type Context = {
  readonly ledger: Ledger
  readonly world: World
  /** What can be known of a payment without asking its chain. */
  readonly secondVoice: Pick<SecondVoice, 'known'>
}

/** A policy as whoever follows the log runs it. */
export const reactionsOf = (policy: Policy | PolicyTogether, contextOf: (event: RecordedEvent) => Context) => {
  const { keys } = policy
  const keysOf = keys === IN_ORDER ? () => [IN_ORDER] : keys
  const many = 'types' in policy ? policy : policy.together
  const together = many && {
    max: many.max,
    react: (events: readonly RecordedEvent[]) => many.react(events, contextOf),
  }
  if ('types' in policy) {
    const handles = (type: string) => policy.types.some((own) => own === type)
    return { handles, keysOf, react: (event: RecordedEvent) => policy.react([event], contextOf), together }
  }
  const react = async (event: RecordedEvent) => {
    const reaction = policy.on[event.type as EventType] as
      | ((event: RecordedEvent, context: Context) => unknown)
      | undefined
    await reaction?.(event, contextOf(event))
  }
  return { handles: (type: string) => Object.hasOwn(policy.on, type), keysOf, react, together }
}

type Reaction<T extends EventType> = (event: EventOf<T>, context: Context) => Promise<unknown>
