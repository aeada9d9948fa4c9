import type { Authorization } from '../../domain/selling/authorization-terms.ts'
import type { Answer } from '../../src/demo/client.ts'
import type { TestApp } from './app.ts'
import { authorize, BASE_SEPOLIA, type Payer, type Signing, TEST_USDC } from './gasless.ts'
import { freshAddress } from './sale.ts'
import { activeSeller, ok } from './seller.ts'

/** A sale that is paid by a signature in a header, as an x402 client of either version sends it. */

export type SignedShop = Awaited<ReturnType<typeof signedShop>>

/** A seller with nothing configured but a wallet, a webhook and a resource. */
export const signedShop = async (
  app: TestApp,
  { amount = 1, ...resource }: { amount?: number; [field: string]: unknown } = {},
) => {
  const { key } = await activeSeller(app)
  const address = freshAddress()
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'usdc_base', address } }))
  await ok(app.call('POST', '/v1/webhook', { key, body: { url: app.receiver.url } }))
  const { json } = await ok(app.call('POST', '/v1/resources', { key, body: { amount, ...resource } }))
  const { pathname, search } = new URL(json.checkout_url)
  return { key, address, resId: json.res_id as string, path: `/r/${json.res_id}`, checkout: pathname + search }
}

/** What a client of version 1 is told to sign. */
export type Requirement = {
  scheme: 'exact'
  network: string
  maxAmountRequired: string
  resource: string
  payTo: string
  asset: string
  extra: { name: string; version: string; maxGasFeeUsd: string }
}

/** What a 402 asks for: the first entry of each version. */
export const requirementOf = async (app: TestApp, path: string): Promise<Requirement> => {
  const { status, json } = await app.call('GET', path)
  const [requirement] = json.paymentRequirements ?? []
  if (status !== 402 || !requirement) throw new Error(`${path} answered ${status} without a gasless entry`)
  return requirement
}

/** Signs what a door asks for, or what is said instead. */
export const signFor = async (
  app: TestApp,
  payer: Payer,
  path: string,
  instead: Partial<Signing> = {},
): Promise<Authorization> => {
  const { payTo, maxAmountRequired } = await requirementOf(app, path)
  return authorize(payer, { to: payTo, value: BigInt(maxAmountRequired), ...instead })
}

export const v1Payload = ({ signature, from, to, value, validAfter, validBefore, nonce }: Authorization) => ({
  x402Version: 1,
  scheme: 'exact',
  network: 'base-sepolia',
  payload: { signature, authorization: { from, to, value, validAfter, validBefore, nonce } },
})

/** `over` replaces parts of the entry that was chosen. */
export const v2Payload = (signed: Authorization, over: object = {}, url = 'https://shop.test/paid') => ({
  x402Version: 2,
  resource: { url, description: '', mimeType: 'application/json' },
  accepted: {
    scheme: 'exact',
    network: `eip155:${BASE_SEPOLIA}`,
    amount: signed.value,
    asset: TEST_USDC,
    payTo: signed.to,
    maxTimeoutSeconds: 300,
    extra: { name: 'USDC', version: '2' },
    ...over,
  },
  payload: v1Payload(signed).payload,
  extensions: {},
})

/** What a facilitator is posted in version 1. */
export const facilitated = (signed: Authorization, paymentRequirements: object) => ({
  x402Version: 1,
  paymentPayload: v1Payload(signed),
  paymentRequirements,
})

export const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')
// biome-ignore lint/suspicious/noExplicitAny: what a header says
export const decoded = (header: string | null): any => JSON.parse(Buffer.from(header ?? '', 'base64').toString())

/** Sends a payment of version 1 to a door. */
export const payWith = (app: TestApp, path: string, signed: Authorization): Promise<Answer> =>
  app.call('GET', path, { headers: { 'x-payment': encoded(v1Payload(signed)) } })

/** One sale that settles; answers the payment and the transaction's hash. */
export const sellSigned = async (app: TestApp, payer: Payer, path: string) => {
  const signed = await signFor(app, payer, path)
  const { headers } = await ok(payWith(app, path, signed))
  const { transaction } = decoded(headers.get('x-payment-response'))
  return { signed, hash: transaction as string }
}
