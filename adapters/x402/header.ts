import { z } from 'zod'
import { readJson } from '../input/body.ts'
import type { Eip3009Authorization } from './eip3009.ts'
import { Amount, EvmAddress, Name, Nonce, PaymentIdentifier, Signature, Uint256, Url } from './fields.ts'
import { caip2Of, type Version } from './networks.ts'
import type { PaymentRefusal } from './reasons.ts'
import { type Requirements, readRequirements } from './requirements.ts'

/**
 * Reads what a payer sends: the headers `X-PAYMENT` and `PAYMENT-SIGNATURE`, and the `paymentPayload` of a
 * facilitator's call (J-DOOR-05, J-GAS-05).
 */

/** The headers in which clients put a payment, by version, as Node names them. */
export const PAYMENT_HEADERS = ['x-payment', 'payment-signature'] as const
/** Characters of a payment header; Node takes 16 KB of headers in all. */
export const PAYMENT_HEADER_MAX = 12 * 1024

export type SignedPayment = {
  readonly version: Version
  readonly scheme: string
  /** The network as it was sent; answers repeat it. */
  readonly network: string
  /** Undefined when it is no EVM network, or none that the version can name. */
  readonly caip2: string | undefined
  readonly authorization: Eip3009Authorization
  /** Lower-case hex of any length, as wallets that are contracts sign. */
  readonly signature: string
  /** The entry that was chosen; only version 2 sends it back. */
  readonly accepted?: Requirements
  readonly resourceUrl?: string
  /** The client's own key against paying twice; only in version 2. */
  readonly paymentIdentifier?: string
}

/**
 * A payment; or a value that is not readable as one, which is a 400; or a payment of a kind that nobody here takes,
 * which is a 402.
 */
export type ReadPayment =
  | { readonly kind: 'payment'; readonly payment: SignedPayment }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unacceptable'; readonly version: Version; readonly reason: PaymentRefusal }

/** A payment header of either version, in base64 or base64url, padded or not. Never throws, whatever it is given. */
export const decodePayment = (header: string): ReadPayment => {
  const json = jsonOf(header)
  return json === undefined ? MALFORMED : readPayment(json)
}

/** The same for a payload that came as JSON. */
export const readPayment = (value: unknown): ReadPayment => {
  const version = Versioned.safeParse(value).data?.x402Version
  if (version === undefined) return MALFORMED
  if (version === 1) return paymentOf(1, V1.safeParse(value).data)
  if (version === 2) return paymentOf(2, V2.safeParse(value).data)
  // Whoever speaks a later version understands the newest words there are.
  return { kind: 'unacceptable', version: 2, reason: 'version' }
}

const MALFORMED = { kind: 'malformed' } as const

const Versioned = z.object({ x402Version: z.int() })

const Payload = z.record(z.string(), z.unknown())

const V1 = z
  .object({ scheme: Name, network: Name, payload: Payload })
  .transform((frame) => ({ ...frame, accepted: undefined, resource: undefined, extensions: undefined }))

const V2 = z
  .object({
    accepted: z.looseObject({ scheme: Name, network: Name }),
    payload: Payload,
    resource: z.object({ url: Url }).nullish(),
    extensions: z
      .object({ 'payment-identifier': z.object({ info: z.object({ id: PaymentIdentifier.optional() }) }).optional() })
      .nullish(),
  })
  .transform((frame) => ({ ...frame, scheme: frame.accepted.scheme, network: frame.accepted.network }))

const Signed = z.object({
  signature: Signature,
  authorization: z.object({
    from: EvmAddress,
    to: EvmAddress,
    value: Amount,
    validAfter: Uint256,
    validBefore: Uint256,
    nonce: Nonce,
  }),
})

type Frame = z.infer<typeof V1> | z.infer<typeof V2>

const paymentOf = (version: Version, frame: Frame | undefined): ReadPayment => {
  if (!frame) return MALFORMED
  const { scheme, network, payload, resource, extensions } = frame
  const caip2 = caip2Of(version, network)
  if (!('authorization' in payload)) return { kind: 'unacceptable', version, reason: unlike(scheme, caip2) }
  const signed = Signed.safeParse(payload).data
  const accepted = frame.accepted && readRequirements(version, frame.accepted)
  if (!signed || (frame.accepted && !accepted)) return MALFORMED
  const id = extensions?.['payment-identifier']?.info.id
  const payment: SignedPayment = {
    version,
    scheme,
    network,
    caip2,
    ...signed,
    ...(accepted && { accepted }),
    ...(resource && { resourceUrl: resource.url }),
    ...(id !== undefined && { paymentIdentifier: id }),
  }
  return { kind: 'payment', payment }
}

/** The reason why a payload without an authorization is not taken. */
const unlike = (scheme: string, caip2: string | undefined): PaymentRefusal => {
  if (scheme !== 'exact') return 'scheme'
  return caip2 === undefined ? 'network' : 'payload'
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The object in a header, if it is base64 of UTF-8 of a JSON object that can be read in one way only. */
const jsonOf = (header: string): object | undefined => {
  if (header.length > PAYMENT_HEADER_MAX || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(header)) return undefined
  try {
    return readJson(utf8.decode(Buffer.from(header, 'base64')))
  } catch {
    return undefined
  }
}
