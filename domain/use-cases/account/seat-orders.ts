import { storeOf } from '../../account/stores.ts'
import type { SeatOrder } from '../../account/team.ts'
import type { EventData } from '../../write-side/deciders.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import type { UseCaseContext } from '../context.ts'

/** What a seat costs is paid from the prepaid credit, before anybody sits on it (I-CRD-04). */

/** Takes the money, and does what it was paid for; when this breaks off between the two, the policy goes on. */
export const buySeat = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  accountId: string,
  fee: bigint,
  order: SeatOrder,
) => {
  const { events } = await ledger.creditAccount.paySeat(accountId, { amount: String(fee), order })
  const payment = events.find((event) => event.type === 'SeatPaid')
  if (!payment) throw new Error(`${order.id} was paid for before`)
  return carryOutSeatOrder(ledger, accountId, payment.data)
}

/** Does what a seat was paid for; a repeat changes nothing, because the team knows which payments it has used. */
export const carryOutSeatOrder = (
  { team }: Ledger,
  accountId: string,
  { number, amount, order: { id: _, ...order } }: EventData<'SeatPaid'>,
) => {
  const paid = { number, fee: amount }
  switch (order.kind) {
    case 'create': {
      const { kind: __, ...data } = order
      return team.create(accountId, { ...data, paid })
    }
    case 'change': {
      const { kind: __, ...data } = order
      return team.change(accountId, { ...data, paid })
    }
    case 'invite': {
      const { kind: __, ...data } = order
      return team.invite(accountId, { ...data, paid })
    }
    case 'change-member': {
      const { kind: __, ...data } = order
      return team.changeMember(accountId, { ...data, paid })
    }
  }
}

/** Refuses `store-not-found`. */
export const mustKnowStores = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  accountId: string,
  ids: readonly number[],
): Promise<void> => {
  if (ids.length === 0) return
  const stores = await ledger.stores.read(accountId)
  for (const id of ids) storeOf(stores, id)
}
