import { z } from 'zod'
import { askPayment, EXPIRY_DEFAULT } from '../../../domain/use-cases/selling/challenges/ask-payment.ts'
import { endpoint } from '../core/endpoint.ts'
import { limit } from '../core/limits.ts'
import { CurrencyCode, FiatDecimal } from './fields.ts'

/**
 * What a buyer's browser may do with nothing but a store's publishable token: open a checkout, and only that (M-CLD-02,
 * M-CLD-03). The checkout has no words of the caller's, because a stranger could write anything there.
 */

const PublicAmount = FiatDecimal.refine((amount) => amount > 0n, 'has to be more than nothing')

const create = endpoint({
  method: 'post',
  path: '/payment/ajax.php',
  when: { function: 'create-transaction' },
  summary: 'Open a hosted checkout with a store’s publishable token',
  auth: 'cloud',
  callers: { crossOrigin: true },
  body: z.object({ amount: PublicAmount, currency_code: CurrencyCode }),
  returns: z.object({ transaction_id: z.string(), encrypted_id: z.string(), payment_link: z.url() }),
  refusals: ['wallet-missing', 'rate-missing', 'rate-limited', 'unavailable'],
  async answer({ body, actor: { accountId, storeId }, ip, flow, once, signIn }) {
    await limit({ flow, signIn }, 'checkout', accountId, String(storeId), ip)
    const { requestId, transactionId } = await askPayment(flow, once, {
      accountId,
      storeId,
      amount: body.amount,
      currency: body.currency_code,
      asset: null,
      assetAmount: null,
      expiry: EXPIRY_DEFAULT,
      title: '',
      note: '',
      redirect: '',
      externalReference: '',
      test: false,
    })
    return {
      transaction_id: transactionId,
      encrypted_id: requestId,
      payment_link: `${flow.origins.pay}/id/${requestId}`,
    }
  },
})

export const buyerCreation = [create]
