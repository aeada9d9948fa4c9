import { idOf } from '../../kernel/decider.ts'
import { challengeParts } from '../../selling/challenge-terms.ts'
import { countedOf, goodsOf, holderOf, type PiecesSale, saleOf } from '../../use-cases/selling/stock/goods.ts'
import { releasePieces } from '../../use-cases/selling/stock/lend-pieces.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { type Policy, policy } from '../subscriber/policy.ts'

/**
 * The pieces of what was sold are taken, whichever way it was paid; those of what is not sold after all are there
 * again (N-97, N-98).
 */
export const takePieces: Policy = policy({
  name: 'take-pieces',
  // A stock tells by the event's place what it has sold and got back. Only the request names its products, and these
  // are one seller's.
  keys: ({ data: { accountId } }) => [accountId],
  on: {
    ChallengeSettled: ({ order, data }, { ledger }) => sell(ledger, data, data.challengeId, order),
    CardPaymentSettled: ({ order, stream, data }, { ledger }) => sell(ledger, data, idOf(stream), order),
    PaymentReversed: async ({ order, data }, { ledger }) => {
      if (!data.unsettled) return
      const holder = holderOf(data, data.challengeId)
      for (const { productId, quantity } of await goodsOf(ledger, data))
        await ledger.stock.restore(productId, { quantity, position: String(order), holder })
    },
    ChallengeReleased: async ({ data }, { ledger }) => {
      const { setId } = challengeParts(data.challengeId) ?? {}
      await releasePieces(ledger, { ...data, paymentId: data.challengeId, ...(setId !== undefined && { setId }) })
    },
    PaymentRequestExpired: ({ stream }, { ledger }) => giveBack(ledger, idOf(stream)),
    PaymentRequestWithdrawn: ({ stream }, { ledger }) => giveBack(ledger, idOf(stream)),
    CardPaymentFailed: async ({ stream }, { ledger }) => {
      const holder = idOf(stream)
      const payment = await ledger.cardPayment.read(holder)
      // What a request asks for may still be paid in another way.
      if (payment.status === 'none' || payment.paymentRequest) return
      for (const { productId } of await goodsOf(ledger, payment)) await ledger.stock.giveBack(productId, { holder })
    },
    TransactionRestocked: async ({ order, data }, { ledger }) => {
      for (const { productId, quantity } of await goodsOf(ledger, saleOf(data)))
        await ledger.stock.restore(productId, { quantity, position: String(order) })
    },
  },
})

const sell = async (ledger: Ledger, sale: PiecesSale, paymentId: string, order: bigint): Promise<void> => {
  const holder = holderOf(sale, paymentId)
  for (const { productId } of await goodsOf(ledger, sale))
    if ((await ledger.stock.recent(productId)).loans[holder])
      await ledger.stock.sell(productId, { holder, position: String(order) })
}

const giveBack = async (ledger: Ledger, requestId: string): Promise<void> => {
  for (const { productId } of await countedOf(ledger, await goodsOf(ledger, saleOf({ resId: null, requestId }))))
    await ledger.stock.giveBack(productId, { holder: requestId })
}
