import type { Sql } from 'postgres'
import { claimedPlace } from '../../domain/account/address-claim.ts'
import { assets } from '../../domain/kernel/assets.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import { PLATFORM } from '../../domain/kernel/platform.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/**
 * The account of each receive address, for the operator: addresses that are held, and those that several accounts
 * contest.
 */

const claims = {
  name: 'address_claims',
  columns: {
    network: 'text',
    address: 'text',
    account_id: 'text',
    how: 'text',
    since: 'text',
    reason: 'text',
    contestants: 'json',
    contested: 'boolean',
  },
  key: ['network', 'address'],
  indexes: ['contested, since'],
} as const satisfies Table

export const addressClaimsProjection: Projection = {
  name: 'address_claims',
  version: 1,
  tables: [claims],
  on: {
    AddressClaimed: ({ stream, data: { accountId, how, claimedAt, reason = null } }) =>
      put(claims, {
        ...claimedPlace(idOf(stream)),
        account_id: accountId,
        how,
        since: claimedAt,
        reason,
        contestants: [],
        contested: false,
      }),
    AddressReleased: ({ stream, data }) =>
      patch(claims, Object.values(claimedPlace(idOf(stream))), () => ({
        account_id: null,
        how: null,
        since: data.releasedAt,
        reason: null,
        contestants: [],
        contested: false,
      })),
    AddressContested: ({ stream, data: { accountIds, contestedAt } }) =>
      put(claims, {
        ...claimedPlace(idOf(stream)),
        account_id: null,
        how: null,
        since: contestedAt,
        reason: null,
        contestants: accountIds,
        contested: true,
      }),
  },
}

export type AddressClaimRow = {
  network: string
  address: string
  /** The account that holds it; null while nobody does. */
  accountId: string | null
  how: string | null
  since: string
  reason: string | null
  contestants: string[]
}

/** A wallet from before addresses were claimed. */
export type UnclaimedRow = { network: string; address: string; accountId: string; asset: string; coin: string | null }

export const addressClaimQueries = (sql: Sql) => ({
  /** Addresses that are held or contested, the contested first, then the newest. */
  addressClaims: ({ contestedOnly = false, limit }: { contestedOnly?: boolean; limit: number }) => sql<
    AddressClaimRow[]
  >`
    select network, address, account_id as "accountId", how, since, reason, contestants from address_claims
    where contested or (account_id is not null and not ${contestedOnly})
    order by contested desc, since desc, network, address limit ${limit}`,
  /**
   * Addresses of wallets that nobody has claimed yet, each with one of the wallets; the platform's own are claimed from
   * its settings.
   */
  unclaimedAddresses: (limit: number) => {
    const [codes, names] = [array(assets.map(({ code }) => code)), array(assets.map(({ network }) => network))]
    return sql<UnclaimedRow[]>`
      with known as (select * from unnest(${codes}::text[], ${names}::text[]) as known (code, network)),
      own as (
        select w.account_id, w.asset, w.coin, a.address,
          case when w.coin is null then known.network else split_part(w.coin, ':', 1) end as network
        from wallets w cross join lateral json_array_elements_text(w.addresses) as a (address)
        left join known on known.code = w.asset where not w.removed and w.account_id <> ${PLATFORM}),
      free as (
        select distinct network, address from own where network is not null and not exists (
          select from address_claims c where c.network = own.network and c.address = own.address)
        order by network, address limit ${limit})
      select own.network, own.address, account_id as "accountId", asset, coin from own
      join free on free.network = own.network and free.address = own.address
      order by own.network, own.address, account_id, asset`
  },
})

/** A list of plain words as PostgreSQL writes an array. */
const array = (words: readonly string[]): string => `{${words.join()}}`
