import type { ISql, Sql } from 'postgres'
import { claimedPlace } from '../../domain/account/address-claim.ts'
import { coinOf } from '../../domain/kernel/assets.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import type { LedgerEvent } from '../../domain/write-side/deciders.ts'
import { addressClaimsProjection } from '../account/address-claims.ts'
import { checkpointOf, SERVING } from '../engine/schema.ts'
import { challengesProjection } from '../selling/challenges.ts'

/**
 * A place where a payment may arrive. An address that an account has claimed is watched for good, because no money that
 * comes there may go unnoticed (N-24); an address that a challenge asks to be paid at, until the challenge expires, and
 * so is the contract of its token when that is in no catalogue.
 */
export type WatchedPlace = {
  readonly network: string
  readonly kind: 'address' | 'contract'
  readonly name: string
  /** ISO 8601 UTC. */
  readonly expiresAt: string
}

/** The places that an event adds. */
export const placesOf = (event: RecordedEvent): readonly WatchedPlace[] => {
  const { type, data, stream } = event as RecordedEvent<LedgerEvent>
  if (type === 'AddressClaimed') {
    const { network, address } = claimedPlace(idOf(stream))
    return [{ network, kind: 'address', name: address, expiresAt: NEVER }]
  }
  if (type !== 'ChallengeOpened') return []
  const { expiresAt } = data
  return data.entries.flatMap((entry): WatchedPlace[] => {
    const { network, payTo, contract } = entry
    const address = data.test ? [] : [{ network, kind: 'address' as const, name: payTo, expiresAt }]
    if (contract === undefined || coinOf(entry) !== contract) return address
    return [...address, { network, kind: 'contract', name: contract, expiresAt }]
  })
}

/** A time later than the end of any challenge. */
const NEVER = '9999-12-31T00:00:00.000Z'
/** Rows of one page; a million addresses never lie in memory twice. */
const PAGE_ROWS = 10_000

/**
 * Hands out the places on these networks, as the read models have them, without those of challenges that expire by
 * `since`, and answers the position of the log up to which they are known. A place may come more than once.
 */
export const readPlaces = (
  sql: Sql,
  networks: readonly string[],
  since: string,
  take: (places: readonly WatchedPlace[]) => void,
): Promise<bigint> =>
  sql.begin('isolation level repeatable read read only', async (tx) => {
    // Locked before the snapshot is taken, so that a rebuilt read model cannot come under these names in between.
    await tx`lock table challenges, watched_contracts, address_claims in access share mode`
    const position = await least(tx, [challengesProjection.name, addressClaimsProjection.name])
    if (networks.length === 0) return position
    await tx`
      declare places no scroll cursor for
      select network, 'address' as kind, pay_to as name, expires_at as "expiresAt" from challenges
      where network in ${tx(networks)} and expires_at > ${since} and not test
      union all
      select network, 'contract', contract, expires_at from watched_contracts
      where network in ${tx(networks)} and expires_at > ${since}
      union all
      select network, 'address', address, ${NEVER} from address_claims
      where network in ${tx(networks)} and (account_id is not null or contested)`
    for (;;) {
      const page = await tx<WatchedPlace[]>`fetch ${tx.unsafe(String(PAGE_ROWS))} from places`
      if (page.length === 0) return position
      take(page)
    }
  }) as Promise<bigint>

/** The position that all of these read models have reached; later events are read from the log once more. */
const least = async (tx: ISql, names: readonly string[]): Promise<bigint> => {
  let position: bigint | undefined
  for (const name of names) {
    const { position: at = -1n } = (await checkpointOf(tx, SERVING, name)) ?? {}
    if (position === undefined || at < position) position = at
  }
  return position ?? -1n
}
