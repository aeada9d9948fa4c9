import { createAddresses } from '../../../adapters/chains/addresses.ts'
import { addressClaimId, isHeldBy } from '../../../domain/account/address-claim.ts'
import { chainCoinOf, codesAt } from '../../../domain/account/wallet.ts'
import { PLATFORM } from '../../../domain/kernel/platform.ts'
import {
  type AddressClaimRow,
  addressClaimQueries,
  addressClaimsProjection,
} from '../../../projections/account/address-claims.ts'
import type { Books } from '../../books/books.ts'
import { openOperatorLedger } from '../../books/operator-ledger.ts'
import { readModel } from '../../books/read-model.ts'
import { CommandFailure } from '../../console/failures.ts'
import { columns, type Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'

const SHOWN = 100

/** Lists the receive addresses with their holders. */
export const listClaims = async (
  books: Books,
  out: Output,
  { contested = false, limit = SHOWN }: { contested?: boolean; limit?: number },
): Promise<void> => {
  const sql = await readModel(books, out, addressClaimsProjection)
  const rows = await addressClaimQueries(sql).addressClaims({ contestedOnly: contested, limit })
  await out.tell(
    rows.map(told),
    columns([
      ['Address', 'Held by', 'How', 'Since'],
      ...rows.map((row) => [addressClaimId(row), row.accountId ?? row.contestants.join(' '), howOf(row), row.since]),
    ]),
  )
}

const told = (row: AddressClaimRow) => ({
  address: addressClaimId(row),
  account_id: row.accountId,
  contested_by: row.contestants,
  how: howOf(row),
  since: row.since,
  reason: row.reason,
})

const howOf = ({ how }: AddressClaimRow): string => how ?? 'contested'

type WalletMove = { place: { network: string; address: string }; to: string; reason: string }

/**
 * Gives an address to an account, whoever has it. The service tells the others and pauses their wallets, at once or
 * when it runs again. Fails when there is no such account, or when it is no address of its network.
 */
export const moveClaim = async (
  books: Books,
  config: Pick<Config, 'chains'>,
  out: Output,
  { place: { network, address: typed }, to, reason }: WalletMove,
): Promise<void> => {
  const rules = createAddresses(new Map(config.chains.map((each) => [each.network.name, each.chain])))
  const address = rules.canonicalOn(network, typed)
  if (address === undefined) throw new CommandFailure(`${typed} is no address of ${network}`)
  const ledger = await openOperatorLedger(books)
  if (to !== PLATFORM && (await ledger.account.read(to)).status === 'none')
    throw new CommandFailure(`there is no account ${to}`)
  const place = { network, address }
  const id = addressClaimId(place)
  const before = await ledger.addressClaim.read(id)
  const wallets = await ledger.wallet.read(to)
  const coins = codesAt(wallets, place).map((code) => chainCoinOf(code, { coin: wallets[code]?.coin }))
  await ledger.addressClaim.move(id, { accountId: to, coins, reason })
  const had = isHeldBy(before, to)
  const from = had ? [] : (before.holder ? [before.holder.accountId] : before.contestants).filter((each) => each !== to)
  await out.tell(
    { address: id, account_id: to, from, moved: !had },
    had
      ? `${id} is ${to}'s already`
      : `${id} is ${to}'s now${from.length > 0 ? `, and was ${from.join("'s, ")}'s` : ''}`,
  )
}
