import { signedCompact } from './es256.ts'
import { type Keys, merchantKeyOf } from './merchant-keys.ts'

/**
 * What a seller gives back for a mandate: that there is an order of it, or why there is none (AP2 0.2, Checkout
 * Receipt).
 */

type ReceiptOf = {
  /** How the seller is called there. */
  readonly iss: string
  /** The hash of the mandate: `mandateReference`. */
  readonly reference: string
} & (
  | { readonly orderId: string }
  | { readonly error: 'invalid_credential' | 'invalid_mandate'; readonly description: string }
)

/**
 * A JWT by the key that signs at that time, the same for the same facts. Refuses `unavailable` when the key cannot be
 * read.
 */
export const checkoutReceipt = async (
  flow: Keys,
  accountId: string,
  receipt: ReceiptOf,
  at = flow.world.now().toISOString(),
): Promise<string> => {
  const { kid, secret } = await merchantKeyOf(flow, accountId, at)
  const { iss, reference } = receipt
  const outcome =
    'orderId' in receipt
      ? { status: 'Success', order_id: receipt.orderId }
      : { status: 'Error', error: receipt.error, error_description: receipt.description }
  const claims = { iss, iat: Math.floor(Date.parse(at) / 1_000), reference, ...outcome }
  return signedCompact(secret, { typ: 'JWT', kid }, JSON.stringify(claims))
}
