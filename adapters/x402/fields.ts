import { z } from 'zod'
import { eip55 } from '../crypto/eip55.ts'

/** The fields of x402 messages, each in the one form that the service goes on with. */

/** Bytes of a signature; that of a wallet which is a contract may carry more than an EOA's 65. */
const SIGNATURE_MAX_BYTES = 3072
/** Characters of a URL, a network, a scheme, an id; longer ones are none of ours. */
const URL_MAX = 2048
const NAME_MAX = 64
const ID_MAX = 128

const UINT256_MAX = 2n ** 256n - 1n

/** An address in EIP-55 form, whatever letter case was sent: clients differ, and the chain knows no letter case. */
export const EvmAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform(eip55)

/** A decimal without sign and leading zeros that fits 256 bits. */
export const Uint256 = z
  .string()
  .refine((digits) => /^(0|[1-9]\d{0,77})$/.test(digits) && BigInt(digits) <= UINT256_MAX)

/** An amount in the token's smallest unit; x402's own schema takes no more than 18 digits. */
export const Amount = z.string().regex(/^(0|[1-9]\d{0,17})$/)

export const Nonce = hex(z.string().regex(/^0x[0-9a-fA-F]{64}$/))

export const Signature = hex(
  z
    .string()
    .max(2 + 2 * SIGNATURE_MAX_BYTES)
    .regex(/^0x(?:[0-9a-fA-F]{2})+$/),
)

export const Name = z.string().min(1).max(NAME_MAX)
export const Url = z.string().min(1).max(URL_MAX)
export const Id = z.string().min(1).max(ID_MAX)

/** The id of the extension `payment-identifier`, as `@x402/extensions` 2.27 defines it. */
export const PaymentIdentifier = z.string().regex(/^[a-zA-Z0-9_-]{16,128}$/)

function hex(schema: z.ZodString) {
  return schema.transform((text) => text.toLowerCase())
}
