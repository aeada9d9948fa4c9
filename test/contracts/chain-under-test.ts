import type { Chain } from '../../domain/kernel/ports.ts'

/**
 * A chain with somebody to pay on it. Amounts are in smallest units; every `pay…` answers the hash of a mined
 * transaction.
 */
export type ChainUnderTest = {
  readonly chain: Chain
  /** The same by two providers: its node under two names (`twoHosts`). */
  readonly byTwo: Chain
  /** At least three valid receive addresses, in canonical form. */
  readonly addresses: readonly string[]
  /** One more, that nobody has ever paid. */
  readonly nobody: string
  /** Asset codes on this chain. */
  readonly native: string
  readonly token?: string
  /** The contract of a token in no catalogue, in canonical form; it calls itself like the catalogued one. */
  readonly foreign?: string
  pay(asset: string, to: string, amount: bigint): Promise<string>
  /** Both transfers in one transaction, of the token where there is one. */
  payTwo(first: readonly [string, bigint], second: readonly [string, bigint]): Promise<string>
  /** In the foreign token. */
  payForeign?(to: string, amount: bigint): Promise<string>
  /** A transaction that pays `to`, is mined and fails. */
  payInVain?(asset: string): Promise<{ readonly tx: string; readonly to: string }>
  mine(blocks: number): Promise<unknown>
  /** Replaces the newest blocks by empty ones. */
  reorg?(blocks: number): Promise<unknown>
  /** Replaces the newest two blocks, of a transaction each, by an empty one and one of both in their order. */
  rearrange?(first: string, second: string): Promise<unknown>
}

/** One node as two providers. */
export const twoHosts = (url: string): readonly [string, string] => [url, url.replace('127.0.0.1', 'localhost')]

/** Whatever is found from a height up to the newest block. */
export const range = async ({ chain }: ChainUnderTest, from: number, ...addresses: string[]) =>
  chain.transfersIn(from, (await chain.head()).height, new Set(addresses))

export const given = <T>(part: T | undefined): T => {
  if (part === undefined) throw new Error('the chain under test does not bring what its traits promise')
  return part
}
