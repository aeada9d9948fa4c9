/** Every change in this system is decided by a decider: pure functions of what has already happened. */
import { isPassedOver, type RecordedEvent, UnreadableEvent } from './recorded-event.ts'
import { refuse } from './refusal.ts'

type Shapes = Record<string, object>

/** An event or a command of a map of shapes, as a union: { type: 'CreditDebited', data: {...} } | ... */
export type Of<M extends Shapes> = {
  [T in keyof M & string]: { readonly type: T; readonly data: Readonly<M[T]> }
}[keyof M & string]

export type Decider<Events extends Shapes, Commands extends Shapes, State> = {
  /** The part of the stream name before the first dash, so it holds none itself. */
  readonly category: string
  /** Raised when the shape of State changes, so that snapshots of the old shape are not read. */
  readonly stateVersion: number
  readonly initial: State
  /** Streams of this category get longer with every payment, so their states are kept to begin from. */
  readonly grows?: true
  /**
   * Commands that begin a stream which most likely does not exist yet: its state is not looked up first, because the
   * append itself finds out.
   */
  readonly begins?: readonly (keyof Commands & string)[]
  /**
   * Callers write here because they are about to pay: an allowance on what strangers may write does not hold that up.
   */
  readonly pays?: true
  readonly decide: {
    readonly [C in keyof Commands]: (state: State, command: Readonly<Commands[C]>, now: string) => readonly Of<Events>[]
  }
  readonly evolve: { readonly [E in keyof Events]: (state: State, event: Readonly<Events[E]>) => State }
}

export const decider = <Events extends Shapes, Commands extends Shapes, State>(d: Decider<Events, Commands, State>) => d

// biome-ignore lint/suspicious/noExplicitAny: a decider of any vocabulary.
export type AnyDecider = Decider<any, any, any>
export type EventsOf<D> = D extends Decider<infer E, infer _C, infer _S> ? Of<E> : never
type StateOf<D> = D extends Decider<infer _E, infer _C, infer S> ? S : never

/**
 * Applies events in order. An event the decider does not know stops the fold with its name: nothing is skipped in
 * silence.
 */
export const fold = <D extends AnyDecider>(
  d: D,
  events: readonly { readonly type: string; readonly data: object }[],
  from: StateOf<D> = d.initial,
): StateOf<D> =>
  events.reduce((state, { type, data }) => {
    const evolve = Object.hasOwn(d.evolve, type) && d.evolve[type]
    if (!evolve) throw new Error(`${d.category} has no place for ${type}`)
    return evolve(state, data)
  }, from)

/**
 * Applies events as the log holds them. Throws UnreadableEvent at one that cannot be read, or that the decider has no
 * place for; those that were set aside change nothing.
 */
export const foldRecorded = <D extends AnyDecider>(
  d: D,
  events: readonly RecordedEvent[],
  from: StateOf<D> = d.initial,
): StateOf<D> => {
  let state = from
  for (const event of events) {
    if (isPassedOver(event)) continue
    try {
      state = fold(d, [event], state)
    } catch (error) {
      throw error instanceof UnreadableEvent ? error : new UnreadableEvent(event, wordsOf(error), { cause: error })
    }
  }
  return state
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Applies an event to a stream that was begun; a stream that was not begun stays as it is. */
export const whenExists =
  <State extends { readonly status: string }, Data>(
    change: (state: Exclude<State, { readonly status: 'none' }>, data: Data) => State,
  ) =>
  (state: State, data: Data): State =>
    state.status === 'none' ? state : change(state as Exclude<State, { readonly status: 'none' }>, data)

/** The category in a stream's name: all before the first dash, and nothing where there is none. */
export const categoryOf = (stream: string): string => stream.slice(0, Math.max(0, stream.indexOf('-')))

/** The id in a stream's name: all after the first dash. */
export const idOf = (stream: string): string => stream.slice(stream.indexOf('-') + 1)

/**
 * The event that a command answers: who sends the command, and the event's place in the ledger's order. `after` is the
 * place of the one that goes before it, when that may still be on its way.
 */
type Answer = { readonly source: string; readonly position: string; readonly after?: string | undefined }

/**
 * Whether a state has the answer to an event. It keeps the newest place of each source, and counts all up to it as
 * answered; so it refuses `busy` while the one that goes before is missing, which would be lost otherwise.
 */
export const isAnswered = (
  seen: { readonly [source: string]: bigint },
  { source, position, after }: Answer,
): boolean => {
  const newest = seen[source] ?? -1n
  if (BigInt(position) <= newest) return true
  if (after !== undefined && newest < BigInt(after)) return refuse('busy', 'what goes before is still on its way')
  return false
}
