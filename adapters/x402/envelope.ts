import { toDecimal } from '../../domain/kernel/money.ts'
import { chainIdOf, SENTINEL_NETWORK, v1NameOf } from './networks.ts'
import { base64Json } from './responses.ts'

/**
 * The 402 that every kind of payer can read: on-chain coins and gasless tokens in one answer (J-DOOR-02, N-02, N-42).
 */

/** Seconds for which a signed authorization has to be valid, from the moment it is signed. */
export const AUTHORIZATION_SECONDS = 300
/**
 * Gasless entries of one 402: they go into a header, and clients bound all headers together. Further ones are offered
 * on chain alone.
 */
export const GASLESS_MAX = 8
/** Characters of the texts that the header carries once. */
const DESCRIPTION_MAX = 200
const RESOURCE_URL_MAX = 1000

/** One coin that a resource can be paid in. */
export type PaymentWay = {
  readonly challengeId: string
  /** The asset's code, `usdc_base`. */
  readonly code: string
  /** The network's name here, `base`. */
  readonly network: string
  /** The chain's CAIP-2 id. */
  readonly chain: string
  readonly address: string
  /** The amount in the asset's smallest unit. */
  readonly amountAtomic: string
  readonly decimals: number
  readonly contract?: string
  readonly fiatAmount: string
  readonly currency: string
  readonly requiredConfirmations: number
  readonly match: 'amount' | 'address'
  readonly expiresAt: string
  readonly test?: true
  /** Present when a signed authorization is taken too: what the token's signatures are bound to. */
  readonly gasless?: Gasless
}

/** The resource that is sold: the absolute URL that was asked for, and a line about it. */
export type SoldResource = { readonly url: string; readonly description: string }

/**
 * The name and version that a signature is bound to, and the terms of its payment: `maxGasFeeUsd` is the most that the
 * seller is billed for gas, and `requiredConfirmations` the confirmations that it needs, which are fewer than for any
 * other payment where one sequencer builds all blocks.
 */
export type Gasless = {
  readonly name: string
  readonly version: string
  readonly maxGasFeeUsd: string
  readonly requiredConfirmations: number
}

/**
 * Body and headers of a 402. With a gasless entry every entry can be read by the strict clients of version 1, which
 * refuse the whole answer for one entry that they cannot read. So its true terms stand in keys of their own (`code`,
 * `rail`, `chain`, `address`, `amount` …), and an entry that such a client must not sign names a network where nobody
 * here is paid, and an asset that is no address: it says so itself by `veil`. A caller who asks for `plain` words gets
 * the true ones in every field, which such a client cannot read. Chains without a name in version 1 are gasless in
 * version 2 alone. Without a gasless entry every field has its true value.
 */
export const envelopeOf = (ways: readonly PaymentWay[], sold: SoldResource, error: string, plain = false) => {
  const gasless = ways.filter(isGasless).slice(0, GASLESS_MAX)
  const [first] = gasless
  const noStore = { 'Cache-Control': 'no-store' }
  if (!first)
    return {
      body: { x402Version: 1 as const, error, accepts: ways.map(honestEntry), paymentRequirements: [] },
      headers: noStore,
    }
  const resource = resourceOf(sold)
  const rest = ways.filter((way) => !(gasless as readonly PaymentWay[]).includes(way))
  const accepts = [
    ...gasless.map((way) => ({
      ...truthOf(way, 'exact'),
      ...(v1Entry(way, resource) ?? veiled(way, first, resource)),
    })),
    ...rest.map((way) => ({ ...truthOf(way, 'onchain'), ...veiled(way, first, resource) })),
  ]
  const paymentRequirements = gasless.flatMap((way) => v1Entry(way, resource) ?? [])
  const required = { x402Version: 2, error, resource, accepts: gasless.map(v2Entry), extensions: EXTENSIONS }
  return {
    body: { x402Version: 1 as const, error, accepts: plain ? honestAccepts(ways, sold) : accepts, paymentRequirements },
    headers: { ...noStore, 'WWW-Authenticate': 'x402', 'PAYMENT-REQUIRED': base64Json(required) },
  }
}

/**
 * The same ways with their true terms in every field, for whoever is no strict client of version 1: a seller's program,
 * and a caller who asked for them.
 */
export const honestAccepts = (ways: readonly PaymentWay[], sold: SoldResource) => {
  const resource = resourceOf(sold)
  return ways.map((way) => {
    if (!isGasless(way)) return honestEntry(way)
    const { chain, amountAtomic, address: payTo, contract: asset, gasless: extra } = way
    const fields = v1Fields({ network: v1NameOf(chain) ?? chain, amountAtomic, payTo, asset, resource, extra })
    return { ...truthOf(way, 'exact'), ...fields }
  })
}

/** The entries that a client of version 2 signs: those of the ways that a signature pays. */
export const signedAccepts = (ways: readonly PaymentWay[]) => ways.filter(isGasless).map(v2Entry)

/**
 * What a door can do beyond the protocol: a payer may name its payment, and another one under that name is told what
 * became of the first (`@x402/extensions` 2.27).
 */
const EXTENSIONS = {
  'payment-identifier': {
    info: { required: false },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        required: { type: 'boolean' },
        id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
      },
      required: ['required'],
    },
  },
} as const

type GaslessWay = PaymentWay & Required<Pick<PaymentWay, 'gasless' | 'contract'>>
type Resource = { readonly url: string; readonly description: string; readonly mimeType: string }

/** Whether a signature can pay this way; clients refuse to sign an amount over 18 digits. */
const isGasless = (way: PaymentWay): way is GaslessWay =>
  way.gasless !== undefined &&
  way.contract !== undefined &&
  chainIdOf(way.chain) !== undefined &&
  way.amountAtomic.length <= 18

/**
 * The true terms of a way, under the same keys in every 402, whatever the protocol's own keys have to say beside them.
 */
const truthOf = (way: PaymentWay, rail: 'exact' | 'onchain') => {
  const { challengeId, code, chain, address, amountAtomic, decimals, contract } = way
  const { fiatAmount, currency, requiredConfirmations, match, expiresAt, test } = way
  return {
    challengeId,
    code,
    rail,
    chain,
    address,
    amount: toDecimal(BigInt(amountAtomic), decimals),
    amountAtomic,
    decimals,
    ...(contract !== undefined && { contract }),
    fiatAmount,
    currency,
    requiredConfirmations,
    match,
    expiresAt,
    ...(test && { test }),
  }
}

const honestEntry = (way: PaymentWay) => ({
  ...truthOf(way, 'onchain'),
  scheme: 'onchain' as const,
  asset: way.code,
  network: way.network,
  payTo: way.address,
})

/** The entry that version 1 signs; undefined on a chain that it cannot name. */
const v1Entry = ({ chain, amountAtomic, address, contract, gasless }: GaslessWay, resource: Resource) => {
  const network = v1NameOf(chain)
  return network === undefined
    ? undefined
    : v1Fields({ network, amountAtomic, payTo: address, asset: contract, resource, extra: gasless })
}

/** The fields of version 1 for an entry that it can read and must not sign. */
const veiled = (way: PaymentWay, { address: stand }: GaslessWay, resource: Resource) => {
  const { amountAtomic, decimals, code, network, address } = way
  const line = `Send ${toDecimal(BigInt(amountAtomic), decimals)} ${code} on ${network} to ${address}`
  const fields = v1Fields({
    network: SENTINEL_NETWORK,
    amountAtomic,
    asset: readableCode(code),
    // The true address where version 1 can write it, else one of the seller's own.
    payTo: V1_ADDRESS.test(address) ? address : stand,
    resource: { ...resource, description: line },
  })
  return { veil: VEIL, ...fields }
}

/** The mark of an entry whose standard fields are a veil, because strict clients of version 1 have to read past it. */
export const VEIL = 'x402-v1'

const v1Fields = ({
  network,
  amountAtomic,
  payTo,
  asset,
  resource,
  extra,
}: {
  network: string
  amountAtomic: string
  payTo: string
  asset: string
  resource: Resource
  extra?: Gasless
}) => ({
  scheme: 'exact' as const,
  network,
  maxAmountRequired: amountAtomic,
  resource: resource.url,
  description: resource.description,
  mimeType: resource.mimeType,
  payTo,
  maxTimeoutSeconds: AUTHORIZATION_SECONDS,
  asset,
  ...(extra && { extra }),
})

/** Clients of version 2 send the whole entry back, and so say which challenge they pay. */
const v2Entry = ({ challengeId, chain, amountAtomic, address, contract, gasless }: GaslessWay) => ({
  challengeId,
  scheme: 'exact' as const,
  network: chain,
  amount: amountAtomic,
  asset: contract,
  payTo: address,
  maxTimeoutSeconds: AUTHORIZATION_SECONDS,
  extra: gasless,
})

/** The forms that the schema of `x402` 1.2.0 takes for an address and for an asset. */
const V1_ADDRESS = /^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/
const V1_ASSET = /[A-Za-z0-9][A-Za-z0-9-]{0,34}[A-Za-z0-9]$/

/** A custom token's code may be one that the schema cannot read; `code` says it as it is. */
const readableCode = (code: string): string => (V1_ASSET.test(code) ? code : `${code}-coin`)

/**
 * The URL as it was asked for, without `agent`, which only chooses the machine's answer; a query that would swell the
 * header is left out.
 */
const resourceOf = ({ url, description }: SoldResource): Resource => {
  const asked = new URL(url)
  // The query is written anew only where it has to be, because that may change how it is spelled.
  if (asked.searchParams.has('agent')) asked.searchParams.delete('agent')
  if (asked.href.length > RESOURCE_URL_MAX) asked.search = ''
  const line = Array.from(description.trim()).slice(0, DESCRIPTION_MAX).join('')
  return { url: asked.href, description: line === '' ? 'A priced resource' : line, mimeType: 'application/json' }
}
