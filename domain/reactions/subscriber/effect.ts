import type { Artist } from '../../game/studio/artist.ts'
import type { Mail } from '../../kernel/mail.ts'
import type { Outbound, RecordedEvent, Vault, World } from '../../kernel/ports.ts'
import type { Signer } from '../../signin/ports.ts'
import type { OutsidePorts } from '../../use-cases/context.ts'
import type { EventType, LedgerEvent } from '../../write-side/deciders.ts'
import type { Ledger } from '../../write-side/ledger.ts'

/**
 * Something that reaches outside: the intent is in the log first, then it is done, then its outcome is written. Before
 * doing anything an effect asks the log whether it was done already, so neither a restart nor a replay does it again.
 */
export type Effect = {
  readonly name: string
  /** The most events that the effect handles at the same time. */
  readonly concurrency: number
  readonly on: {
    readonly [T in EventType]?: (
      event: RecordedEvent<Extract<LedgerEvent, { type: T }>>,
      context: EffectContext,
    ) => Promise<unknown>
  }
}

export type EffectContext = {
  ledger: Ledger
  world: World
  vault: Vault
  outbound: Outbound
  mail: Mail
  signer: Signer
  artist: Artist
  origins: OutsidePorts['origins']
  /** The operator's email address; undefined where there is nobody to write to. */
  operatorEmail: string | undefined
}
