import type { Logger } from 'pino'
import { addressClaimId } from '../../domain/account/address-claim.ts'
import type { Addresses } from '../../domain/account/addresses.ts'
import { chainCoinOf } from '../../domain/account/wallet.ts'
import type { LedgerDoors } from '../../domain/write-side/ledger.ts'
import type { UnclaimedRow } from '../../projections/account/address-claims.ts'
import type { Queries } from '../../projections/index.ts'
import type { Workers } from '../engine/workers.ts'
import type { Chains } from '../outside/chains.ts'
import { setPlatformWallets } from '../outside/platform.ts'

/** Addresses that are claimed at once. */
const BATCH = 500
/** How long each batch waits until the read model shows what it wrote. */
const SHOWN_MS = 30_000
/** Contested addresses that are named at a start, and by `/readyz`. */
const TOLD_MAX = 100
const NAMED_MAX = 10

type Parts = {
  queries: Pick<Queries, 'unclaimedAddresses' | 'addressClaims'>
  workers: Pick<Workers, 'projected'>
  doors: LedgerDoors
  log: Pick<Logger, 'warn'>
}

/**
 * Claims what has to be claimed before anything is offered: the addresses of older wallets, and then the platform's
 * own, whoever has them.
 */
export const claimAtStart = async (
  config: Parameters<typeof setPlatformWallets>[0],
  chains: Chains,
  addresses: Addresses,
  parts: Parts,
): Promise<void> => {
  await adoptAddresses(parts)
  await setPlatformWallets(config, chains, addresses, parts.doors)
}

/**
 * Claims the addresses of wallets that are older than claims, each for its account; one that several accounts have is
 * contested until the operator settles it. It may run again, and in several processes at once: what is claimed is left
 * alone. Says what is contested.
 */
const adoptAddresses = async ({ queries, workers, doors, log }: Parts): Promise<void> => {
  const { ledger } = doors.open({ actor: 'start', correlationId: 'address-claims' })
  for (;;) {
    const rows = await queries.unclaimedAddresses(BATCH)
    if (rows.length === 0) break
    const places = Map.groupBy(rows, addressClaimId)
    await Promise.all([...places].map(([id, own]) => ledger.addressClaim.adopt(id, { holders: holdersOf(own) })))
    if (!(await workers.projected(doors.newest(), SHOWN_MS))) {
      log.warn({}, 'read models are behind the log: receive addresses of older wallets are claimed by the next start')
      break
    }
  }
  for (const { network, address, contestants } of await queries.addressClaims({ contestedOnly: true, limit: TOLD_MAX }))
    log.warn({ network, address, accounts: contestants }, 'accounts share a receive address: daybook wallets move')
}

/** The first contested addresses, as `<network>:<address>`. */
export const contestedAddresses = async (queries: Pick<Queries, 'addressClaims'>): Promise<readonly string[]> =>
  (await queries.addressClaims({ contestedOnly: true, limit: NAMED_MAX })).map(addressClaimId)

const holdersOf = (rows: readonly UnclaimedRow[]) =>
  [...Map.groupBy(rows, ({ accountId }) => accountId)].map(([accountId, own]) => ({
    accountId,
    coins: own.map(({ asset, coin }) => chainCoinOf(asset, { coin: coin ?? undefined })),
  }))
