import { z } from 'zod'
import { Amount, EvmAddress, Id, Name, Url } from './fields.ts'
import { caip2Of, type Version } from './networks.ts'

/**
 * The terms that a payment is said to be for: `paymentRequirements` of a facilitator's call, `accepted` of a payment of
 * version 2.
 */

export type Requirements = {
  readonly version: Version
  readonly scheme: string
  /** The network as it was sent. */
  readonly network: string
  /** Undefined when it is no EVM network, or none that the version can name. */
  readonly caip2: string | undefined
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  /** Only in entries that this service made, and only version 2 sends it back. */
  readonly challengeId?: string
  /** Only version 1 says it here. */
  readonly resourceUrl?: string
  /** The token's EIP-712 domain, as the caller believes it to be. */
  readonly token?: { readonly name: string; readonly version: string }
}

/**
 * Requirements in either version's words; undefined when they are malformed. They were posted by somebody: nothing in
 * them is true until it was compared with what this service sells.
 */
export const readRequirements = (version: Version, value: unknown): Requirements | undefined => {
  const { data } = (version === 1 ? V1 : V2).safeParse(value)
  if (!data) return undefined
  const { scheme, network, asset, payTo, challengeId, extra } = data
  return {
    version,
    scheme,
    network,
    caip2: caip2Of(version, network),
    amount: data.amount,
    asset,
    payTo,
    ...(challengeId !== undefined && { challengeId }),
    ...(data.resource !== undefined && { resourceUrl: data.resource }),
    ...(extra && { token: extra }),
  }
}

const common = {
  scheme: Name,
  network: Name,
  asset: EvmAddress,
  payTo: EvmAddress,
  // Sellers' own libraries may put anything into these two.
  challengeId: Id.optional().catch(undefined),
  extra: z.object({ name: Name, version: Name }).optional().catch(undefined),
}

const V1 = z
  .object({ ...common, maxAmountRequired: Amount, resource: Url })
  .transform(({ maxAmountRequired, ...rest }) => ({ ...rest, amount: maxAmountRequired }))

const V2 = z.object({ ...common, amount: Amount }).transform((rest) => ({ ...rest, resource: undefined }))
