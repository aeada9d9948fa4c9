import type { Sql } from 'postgres'
import { coinOf } from '../domain/assets.ts'
import type { LedgerEvent } from '../domain/deciders.ts'
import type { Recorded } from '../domain/ports.ts'
import { challengesProjection } from './challenges.ts'
import { checkpointOf, SERVING } from './schema.ts'

/** Where a payment may arrive because a challenge asks for it there, until that challenge expires, and in which contract of no catalogue. */
export type WatchedPlace = {
  readonly network: string
  readonly kind: 'address' | 'contract'
  readonly name: string
  /** ISO 8601 UTC. */
  readonly expiresAt: string
}

/** The places that an event adds. */
export const placesOf = (event: Recorded): readonly WatchedPlace[] => {
  const { type, data } = event as Recorded<LedgerEvent>
  if (type !== 'ChallengeOpened') return []
  const { expiresAt } = data
  return data.entries.flatMap((entry): WatchedPlace[] => {
    const { network, payTo, contract } = entry
    const address = data.test ? [] : [{ network, kind: 'address' as const, name: payTo, expiresAt }]
    if (contract === undefined || coinOf(entry) !== contract) return address
    return [...address, { network, kind: 'contract', name: contract, expiresAt }]
  })
}

/** Rows of one page; a million addresses never lie in memory twice. */
const PAGE_ROWS = 10_000

/**
 * Hands out the places on these networks of challenges that expire after `since`, as the read model has them, and answers up to which
 * position of the log that is. A place may come more than once.
 */
export const readPlaces = (
  sql: Sql,
  networks: readonly string[],
  since: string,
  take: (places: readonly WatchedPlace[]) => void,
): Promise<bigint> =>
  sql.begin('isolation level repeatable read read only', async (tx) => {
    // Locked before the snapshot is taken, so that a rebuilt read model cannot come under these names in between.
    await tx`lock table challenges, watched_contracts in access share mode`
    const { position = -1n } = (await checkpointOf(tx, SERVING, challengesProjection.name)) ?? {}
    if (networks.length === 0) return position
    await tx`
      declare places no scroll cursor for
      select network, 'address' as kind, pay_to as name, expires_at as "expiresAt" from challenges
      where network in ${tx(networks)} and expires_at > ${since} and not test
      union all
      select network, 'contract', contract, expires_at from watched_contracts
      where network in ${tx(networks)} and expires_at > ${since}`
    for (;;) {
      const page = await tx<WatchedPlace[]>`fetch ${tx.unsafe(String(PAGE_ROWS))} from places`
      if (page.length === 0) return position
      take(page)
    }
  }) as Promise<bigint>
