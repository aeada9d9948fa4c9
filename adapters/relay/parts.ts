import type { VoiceCounter } from '../../domain/chains/second-voice.ts'
import type { RelayLimits } from '../../domain/gasless/relay-budget.ts'
import type { Chain } from '../../domain/kernel/ports.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import type { GasWatch } from './gas-watch.ts'
import type { RelayQueue } from './queue.ts'
import type { RelayChain } from './relay-chain.ts'
import type { RelayWallet } from './wallet.ts'

/** The parts that the relayer of one network works with. */
export type RelayParts = {
  readonly network: string
  readonly ledger: Ledger
  readonly wallet: RelayWallet
  readonly asks: RelayChain
  readonly chain: Pick<Chain, 'transfersOf' | 'hashAt'>
  readonly gas: GasWatch
  readonly queue: RelayQueue
  /** The sums that may be lost in an hour to payments that come to nothing. */
  readonly limits: RelayLimits
  readonly now: () => string
  /** Whether the chain has Multicall3. */
  readonly batches: boolean
  /**
   * The authorizations that were accepted and have neither settled nor failed; undefined while the read models are
   * behind the log.
   */
  open(limit: number): Promise<readonly string[] | undefined>
  /** Counts the providers that confirm a payment that somebody else has sent. */
  readonly hear: VoiceCounter
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void }
}
