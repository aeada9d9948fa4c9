import { addressClaimId } from '../../../domain/account/address-claim.ts'
import {
  type AddressClaimRow,
  addressClaimQueries,
  addressClaimsProjection,
} from '../../../projections/account/address-claims.ts'
import type { Books } from '../../books/books.ts'
import { readModel } from '../../books/read-model.ts'
import { columns, type Output } from '../../console/output.ts'

const SHOWN = 100

/** Lists whose the receive addresses are. */
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
