/** A shop, a thief with a shop of its own, and what each of them does. */
import type { Answer } from '../../../src/demo/client.ts'
import type { TestApp } from '../../support/app.ts'
import { byLog } from '../../support/by-log.ts'
import { authorize, type Payer } from '../../support/gasless.ts'
import { inLine, shop, verify } from '../../support/sale.ts'
import { type Offer, ok } from '../../support/seller.ts'
import { encoded, type Requirement, v1Payload } from '../../support/signed-sale.ts'
import { ownerOf } from '../../support/stores.ts'

export type Seller = Awaited<ReturnType<typeof openSeller>>

/** Money that came to an address of a seller: by whom, and for which challenge its payer meant it, if for any. */
export type Sent = { readonly hash: string; readonly wei: bigint; readonly meant?: string }

/** Somebody who buys honestly. */
export const KINDS = ['exact', 'surplus', 'split', 'signed'] as const
export type Kind = (typeof KINDS)[number]

/** Sells three things for Ether and test dollars, and has credit for every fee. */
export const openSeller = async (app: TestApp) => {
  const s = await shop(app, { amount: 10 })
  const { accountId } = await ownerOf(app, s)
  const grant = { amount: '900000000', reason: 'top-up', ref: accountId, source: 'tester', position: '1' } as const
  await byLog(app, ({ creditAccount }) => creditAccount.grant(accountId, grant))
  await moveTo(app, s.key, s.address)
  // What was for sale before takes the coins of that moment alone.
  const made = await Promise.all(
    [10, 10, 25].map((amount) => ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount } }))),
  )
  const things = made.map(({ json }) => thingOf(json.res_id, new URL(json.checkout_url)))
  return { ...s, accountId, things }
}

/** From now on money comes to this address. */
export const moveTo = async (app: TestApp, key: string, address: string): Promise<void> => {
  for (const asset of ['eth', 'usdc_base']) await ok(app.call('POST', '/v1/wallets', { key, body: { asset, address } }))
}

/** What is for sale: its id, the id and the path of the door that sells it again and again. */
export type Thing = { readonly resId: string; readonly checkoutId: string; readonly path: string }

const thingOf = (resId: string, { pathname, search }: URL): Thing => ({
  resId,
  checkoutId: pathname.split('/').at(-1) ?? '',
  path: pathname + search,
})

/** A key of the seller's that may do everything in its second store, and nothing beside it. */
export const secondStoreKey = async (app: TestApp, { key }: Seller): Promise<string> => {
  await ok(app.call('POST', '/v1/stores', { key, body: { label: 'second' } }))
  const body = { role_name: 'second', display_name: 'second', role: 'master-admin', store_scope: [2] }
  return (await ok(app.call('POST', '/v1/subagents', { key, body }))).json.api_key
}

let callers = 0
/** A caller of a network of its own, who names itself. */
export const someone = (): Record<string, string> => {
  const n = ++callers
  return { 'x-forwarded-for': `198.51.${n >> 8}.${n & 255}`, 'idempotency-key': `a name of buyer ${n}` }
}

/** What a door answers a caller who asks for the price, and what of it is in Ether. */
export const askedAt = async (app: TestApp, path: string, headers = someone()) => {
  const { status, json, text } = await app.call('GET', path, { headers })
  const accepts = (json.accepts ?? []) as readonly (Offer & { asset: string })[]
  return { offer: accepts.find(({ asset }) => asset === 'eth') as Offer | undefined, said: `${status} ${text}` }
}

/** What a door asks of a caller to sign. */
export const requirementAt = async (
  app: TestApp,
  path: string,
  headers: Record<string, string>,
): Promise<Requirement> => {
  const { status, json, text } = await app.call('GET', path, { headers })
  const [requirement] = json?.paymentRequirements ?? []
  if (!requirement) throw new Error(`${path} answered ${status} without a gasless entry: ${text}`)
  return requirement
}

/** An honest buyer who has asked for the price. */
export type Buyer = {
  readonly kind: Kind
  /** Absent where a signature pays. */
  readonly offer?: Offer
  /** Pays as the kind says; answers what was sent in Ether. */
  pay(): Promise<readonly Sent[]>
  /** Asks for the goods. */
  collect(): Promise<Answer>
}

/** Asks for the price of a thing, to pay it as the kind says. */
export const openBuyer = async (app: TestApp, payer: Payer, kind: Kind, path: string): Promise<Buyer> => {
  if (kind === 'signed') {
    const headers = someone()
    const { payTo, maxAmountRequired } = await requirementAt(app, path, headers)
    const signed = await authorize(payer, { to: payTo, value: BigInt(maxAmountRequired) })
    const pays = { ...headers, 'x-payment': encoded(v1Payload(signed)) }
    return { kind, pay: async () => [], collect: () => app.call('GET', path, { headers: pays }) }
  }
  const { offer, said } = await askedAt(app, path)
  if (!offer) throw new Error(`an honest buyer is offered no Ether: ${said}`)
  const asked = BigInt(offer.amountAtomic)
  const amounts = { exact: [asked], surplus: [(asked * 102n) / 100n], split: [asked / 2n, asked - asked / 2n] }[kind]
  const sent: Sent[] = []
  return {
    kind,
    offer,
    async pay() {
      for (const wei of amounts) {
        const hash = await inLine(() => app.anvil.send(offer.payTo, wei))
        sent.push({ hash, wei, meant: offer.challengeId })
      }
      return sent
    },
    collect: () => verify(app, offer.challengeId, sent[0]?.hash ?? ''),
  }
}

type Row = Readonly<Record<'hash' | 'status' | 'challenge_id' | 'asset' | 'transfer' | 'asset_amount', string>> & {
  readonly asset_amount_asked: string | null
}

/** What came to a seller, as it is shown. */
export const rowsOf = async (app: TestApp, { key }: Seller): Promise<readonly Row[]> => {
  const rows: Row[] = []
  for (;;) {
    const { json } = await ok(app.call('GET', `/v1/settlements?limit=500&offset=${rows.length}`, { key }))
    rows.push(...json.settlements)
    if (json.settlements.length < 500) return rows
  }
}

/** What a seller has set, as it is shown. */
export const configurationOf = async (app: TestApp, { key }: Seller): Promise<readonly string[]> => {
  const paths = ['/v1/wallets?all=1', '/v1/settings', '/v1/webhook', '/v1/integrations', '/v1/sandbox-keys']
  return Promise.all(paths.map(async (path) => (await app.call('GET', path, { key })).text))
}
