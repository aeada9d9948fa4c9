import { duePeriod, orderStateAt, type StandingOrder } from '../../balance/standing-order.ts'
import { appRef, ledgerRefOf } from '../../balance/transfer-terms.ts'
import type { World } from '../../kernel/ports.ts'
import { isRefusal } from '../../kernel/refusal.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { mustPay } from '../suspended-user.ts'
import { mandateOf } from './mandate.ts'

/** Orders that one run takes; the next run takes the rest. */
const AT_ONCE_MAX = 500
/** Orders that are debited at the same time. */
const TOGETHER = 8

type DueOrder = { readonly mandateId: string; readonly sub: string }

export type DueOrders = {
  standingOrdersDue(now: string, limit: number): Promise<readonly DueOrder[]>
}

/**
 * Debits the schedules that are due (A-MAN-06). The stream that holds the money decides again whether one is due, so
 * this may run twice, and in several processes at once. `failed` is told of an order that could not be tried; the other
 * orders still get their turn.
 */
export const debitDue = async (
  ledger: Ledger,
  world: World,
  due: DueOrders,
  failed: (error: unknown, mandateId: string) => void,
): Promise<void> => {
  const orders = await due.standingOrdersDue(world.now().toISOString(), AT_ONCE_MAX)
  for (let first = 0; first < orders.length; first += TOGETHER)
    await Promise.all(
      orders
        .slice(first, first + TOGETHER)
        .map((order) => debitOrder(ledger, world, order).catch((error) => failed(error, order.mandateId))),
    )
}

/**
 * Debits the newest period that is due; what the balance does not cover, and what a suspended user does not pay, is
 * counted as missed, and tried again later.
 */
const debitOrder = async (ledger: Ledger, world: World, { mandateId, sub }: DueOrder): Promise<void> => {
  const now = world.now().toISOString()
  const { orders, sent } = await ledger.userBalance.read(sub)
  const order = orders[mandateId]
  if (!order || order.nextDebitAt === null || now < order.nextDebitAt || orderStateAt(order, now) !== 'approved') return
  const gone = await whoIsGone(ledger, sub, order)
  if (gone) {
    await ledger.userBalance.end(sub, { mandateId, by: gone })
    return
  }
  const period = duePeriod(order, now)
  const { description } = await mandateOf({ ledger }, mandateId)
  try {
    await mustPay({ ledger }, sub)
    await ledger.userBalance.debit(sub, { ...scheduled(world, order, period), description, known: sent })
  } catch (error) {
    if (!isRefusal(error, 'insufficient-balance', 'account-suspended')) throw error
    const attempt = period === order.nextPeriod ? order.attempts + 1 : 1
    await ledger.userBalance.miss(sub, { mandateId, period, attempt, reason: error.code })
  }
}

const scheduled = (world: World, { mandateId, clientId, schedAmount }: StandingOrder, period: number) => {
  const total = schedAmount ?? '0'
  const transferId = `so:${mandateId}:#${period}`
  return {
    transferId,
    ledgerRef: ledgerRefOf(world, 'standing-order', transferId),
    kind: 'standing-order' as const,
    total,
    legs: [{ to: appRef(clientId), amount: total }],
    clientId,
    request: `#${period}`,
    mandateId,
    period,
  }
}

/**
 * The party of an order that is gone: a disabled app moves no money, and an erased user pays none, so their orders end.
 */
const whoIsGone = async (
  ledger: Ledger,
  sub: string,
  { clientId }: StandingOrder,
): Promise<'user' | 'app' | undefined> => {
  if ((await ledger.user.read(sub)).status === 'erased') return 'user'
  return (await ledger.clientApp.read(clientId)).status === 'disabled' ? 'app' : undefined
}
