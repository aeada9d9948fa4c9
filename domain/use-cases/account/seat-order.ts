import type { EventData } from '../../write-side/deciders.ts'
import type { Ledger } from '../../write-side/ledger.ts'

/** Does what a seat was paid for; a repeat changes nothing, because the team knows which payments it has used. */
export const carryOutSeatOrder = (
  { team }: Ledger,
  accountId: string,
  { number, amount, order: { id: _, ...order } }: EventData<'SeatPaid'>,
) => {
  const paid = { number, fee: amount }
  if (order.kind === 'create') {
    const { kind: __, ...data } = order
    return team.create(accountId, { ...data, paid })
  }
  const { kind: __, ...data } = order
  return team.change(accountId, { ...data, paid })
}
