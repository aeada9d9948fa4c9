import type { EventType, LedgerEvent } from './deciders.ts'
import type { Ledger } from './ledger.ts'
import type { Recorded, World } from './ports.ts'

/**
 * When this happened, do that. A policy keeps no state and is safe to run twice: the command it sends names what it answers.
 * It touches nothing outside the log, so a replay may run it over the whole history again and nothing changes.
 */
export type Policy = {
  readonly name: string
  readonly on: { readonly [T in EventType]?: Reaction<T> }
}

type Reaction<T extends EventType> = (
  event: Recorded<Extract<LedgerEvent, { type: T }>>,
  context: { ledger: Ledger; world: World },
) => Promise<unknown>

/** The id in a stream's name: all after the first dash. */
export const idOf = (stream: string): string => stream.slice(stream.indexOf('-') + 1)
