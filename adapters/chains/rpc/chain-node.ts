import type { Asset } from '../../../domain/kernel/assets.ts'
import type { NetworkChain } from '../../../domain/kernel/networks.ts'
import type { Chain, ChainHead } from '../../../domain/kernel/ports.ts'
import type { BreakerState } from './breaker.ts'
import type { ProviderLimits } from './providers.ts'

/** The options of every chain adapter, and what it gives besides the port. */

export type ChainOptions = ProviderLimits & {
  /** A network of the catalogue, e.g. `eth`. */
  readonly network: string
  /** The one of the network's chains that is read. */
  readonly chain: NetworkChain
  /** URLs of the providers of that chain, best first. */
  readonly rpcUrls: readonly string[]
  /** The assets to look for, the catalogue's unless given; those of other networks are left out. */
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
  /** The state of each provider, in their order. */
  providers?(): readonly BreakerState[]
}

/** The answers of providers that were asked at once; undefined for each that failed. */
export const answers = <T>(results: readonly PromiseSettledResult<T>[]): (T | undefined)[] =>
  results.map((result) => (result.status === 'fulfilled' ? result.value : undefined))
