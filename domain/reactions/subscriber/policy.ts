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
  readonly on: { readonly [T in EventType]?: Reaction<T> }
}

/** Answers several events at once, which would otherwise wait for one append after the other. */
export type PolicyTogether = {
  readonly name: string
  readonly types: readonly EventType[]
  /** The most events that are answered at once. */
  readonly max: number
  /**
   * Answers events in the order of the log. Each event has a ledger of its own, so that what is written says what it
   * answers.
   */
  react(events: readonly RecordedEvent[], contextOf: (event: RecordedEvent) => Context): Promise<unknown>
}

type Context = {
  readonly ledger: Ledger
  readonly world: World
  /** What can be known of a payment without asking its chain. */
  readonly secondVoice: Pick<SecondVoice, 'known'>
}

/** A policy as whoever follows the log runs it: one reaction after the other. */
export const reactionsOf = (policy: Policy | PolicyTogether, contextOf: (event: RecordedEvent) => Context) => {
  if ('types' in policy) {
    const together = (events: readonly RecordedEvent[]) => policy.react(events, contextOf)
    const handles = (type: string) => policy.types.some((own) => own === type)
    return {
      handles,
      react: (event: RecordedEvent) => together([event]),
      together: { max: policy.max, react: together },
    }
  }
  const react = async (event: RecordedEvent) => {
    const reaction = policy.on[event.type as EventType] as
      | ((event: RecordedEvent, context: Context) => unknown)
      | undefined
    await reaction?.(event, contextOf(event))
  }
  return { handles: (type: string) => type in policy.on, react }
}

type Reaction<T extends EventType> = (
  event: RecordedEvent<Extract<LedgerEvent, { type: T }>>,
  context: Context,
) => Promise<unknown>
