import type { Asset } from '../../../domain/kernel/assets.ts'
import type { NetworkChain } from '../../../domain/kernel/networks.ts'
import type { Chain, ChainHead } from '../../../domain/kernel/ports.ts'
import type { BreakerState } from './breaker.ts'
import type { ProviderLimits } from './providers.ts'

/** What every chain adapter is opened with, and gives besides the port. */

export type ChainOptions = ProviderLimits & {
  /** A network of the catalogue, e.g. `eth`. */
  readonly network: string
  /** Which of the network's chains it is. */
  readonly chain: NetworkChain
  /** Of the same chain, best first. */
  readonly rpcUrls: readonly string[]
  /** The catalogue's, unless given; those of other networks are left out. */
  readonly assets?: readonly Asset[]
}

export type ChainNode = Chain & {
  /**
   * Rejects with WrongChain when a provider serves another chain than configured, with ProviderUnavailable when none
   * answers.
   */
  verifyChain(): Promise<void>
  /** The newest block of each provider, in their order; undefined for one that does not answer. */
  tips(): Promise<readonly (ChainHead | undefined)[]>
  /** The hash that each provider has at a height; undefined for one that does not answer or has no such block. */
  hashesAt(height: number): Promise<readonly (string | undefined)[]>
  /** Providers that can be asked apart from one another: URLs of one host are one voice. */
  readonly voices?: number
  /** How each provider is doing, in their order. */
  providers?(): readonly BreakerState[]
}

/** What was answered, of several that were asked at once. */
export const answers = <T>(results: readonly PromiseSettledResult<T>[]): (T | undefined)[] =>
  results.map((result) => (result.status === 'fulfilled' ? result.value : undefined))
