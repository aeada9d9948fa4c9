import type { ExecutionContext } from 'ava'
import { privateKeyToAccount } from 'viem/accounts'
import { isSeal } from '../../adapters/audit/sealer.ts'
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import type { EventStore, RecordedEvent } from '../../domain/kernel/ports.ts'
import type { EventData, EventType, LedgerEvent } from '../../domain/write-side/deciders.ts'
import { compareWithReplay } from '../../projections/engine/compare.ts'
import { projections } from '../../projections/index.ts'
import type { Answer } from '../../src/demo/client.ts'
import type { Post } from '../../src/demo/hook.ts'
import { eventually } from '../../src/demo/stage.ts'
import { storeUrlOf, type TestApp } from './app.ts'
import { connectBeside } from './kept-database.ts'
import { freshAddress, type Offer, offerOf, ok, seller } from './seller.ts'

/** A sale from the offer to the delivery, and what the log says of it. */

/** USD Coin on Ethereum's main network, where tests put the test token. */
export const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'

export { freshAddress }

export type Shop = Awaited<ReturnType<typeof shop>>

/** A seller with an address of its own. */
export const shop = async (app: TestApp, { amount = 100, webhook = true } = {}) => {
  const address = freshAddress()
  return { ...(await seller(app, { amount, address, webhook })), address }
}

/** Runs what signs with the one payer of a chain one after the other, so that no nonce is used twice. */
let line: Promise<unknown> = Promise.resolve()
export const inLine = <T>(act: () => Promise<T>): Promise<T> => {
  const result = line.then(act)
  line = result.catch(() => {})
  return result
}

/** Sends coins to an offer, mined once and no deeper; `wei` is the asked amount unless given. */
export const send = (app: TestApp, { payTo, amountAtomic }: Offer, wei = BigInt(amountAtomic)): Promise<string> =>
  inLine(() => app.anvil.send(payTo, wei))

/** Sends coins from a wallet that is not the buyer's, and mines until that counts. */
export const sendBack = (
  { anvil }: Pick<TestApp, 'anvil'>,
  wei: bigint,
  to = anvil.payer,
  confirmations = 12,
  from = 5,
): Promise<string> =>
  inLine(async () => {
    const account = privateKeyToAccount(anvil.accounts[from]?.privateKey ?? '0x')
    const hash = await anvil.client.sendTransaction({ account, to: to as `0x${string}`, value: wei, chain: null })
    await anvil.mined(hash)
    if (confirmations > 0) await anvil.mine(confirmations)
    return hash
  })

/** Sends the asked amount and mines until it counts. */
export const payInFull = async (app: TestApp, offer: Offer, wei?: bigint): Promise<string> => {
  const hash = await send(app, offer, wei)
  await app.anvil.mine(offer.requiredConfirmations)
  return hash
}

export const verify = (app: Pick<TestApp, 'call'>, challengeId: string, hash: string): Promise<Answer> =>
  app.call('POST', '/v1/verify', { body: { challengeId, hash } })

/** One sale that ends in `settled`. */
export const sell = async (app: TestApp, { key, resId }: { key: string; resId: string }) => {
  const offer = await offerOf(app, key, resId)
  const hash = await payInFull(app, offer)
  const { json } = await ok(verify(app, offer.challengeId, hash))
  if (json.settled !== true) throw new Error(`verify answered ${JSON.stringify(json)}`)
  return { offer, hash }
}

export type TransactionJson = Readonly<Record<string, string>>

/** What the seller sees, newest first. */
export const transactionsOf = async (app: Pick<TestApp, 'call'>, key: string, query = ''): Promise<TransactionJson[]> =>
  (await ok(app.call('GET', `/v1/transactions${query}`, { key }))).json.transactions

/**
 * A policy makes it, and brings it into each state, once the payment was seen: on a busy machine that may be a moment
 * after the answer to who posted the hash.
 */
export const transactionOf = (
  app: Pick<TestApp, 'call'>,
  key: string,
  challengeId: string,
  status?: string,
): Promise<TransactionJson> =>
  eventually(`the transaction of ${challengeId}`, async () => {
    const wanted = (t: TransactionJson) =>
      t.external_reference?.endsWith(challengeId) && (status === undefined || t.status === status)
    const live = (await transactionsOf(app, key, '?limit=500')).find(wanted)
    return live ?? (await transactionsOf(app, key, '?limit=500&is_test=1')).find(wanted)
  })

/** Rows of the webhook log once they are finished. */
export const webhookLog = (app: TestApp, key: string, transactionId: string) =>
  eventually('a finished delivery', async () => {
    const { json } = await ok(
      app.call('GET', `/v1/transactions?transaction_id=${transactionId}&webhook_log=1`, { key }),
    )
    const log = json.webhook_log as Record<string, string | number | boolean | null>[]
    return log.length > 0 && log.every(({ state }) => state !== 'scheduled') && log
  })

/** What the receiver got for a resource or a challenge. */
export const postsFor = (app: Pick<TestApp, 'receiver'>, reference: string): Post[] =>
  app.receiver.posts.filter(({ body }) => body.includes(reference))

export const postFor = (app: TestApp, reference: string): Promise<Post> =>
  eventually('a delivery', async () => postsFor(app, reference)[0])

export const me = async (app: Pick<TestApp, 'call'>, key: string) => (await ok(app.call('GET', '/v1/me', { key }))).json

/** The log, oldest first, without the seals, which the service writes of its own accord at any moment. */
export const logOf = async (app: Pick<TestApp, 'env'>): Promise<RecordedEvent<LedgerEvent>[]> =>
  (await wholeLogOf(app)).filter(({ type }) => !isSeal(type))

/** The whole log, oldest first. */
export const wholeLogOf = async (app: Pick<TestApp, 'env'>): Promise<RecordedEvent<LedgerEvent>[]> => {
  const store = eventStoreDb(storeUrlOf(app))
  try {
    return [...(await readOn(app, store))] as RecordedEvent<LedgerEvent>[]
  } finally {
    await store.close()
  }
}

/**
 * What was read of a service's log before: it only grows, and tests ask for it often. By the settings of the service.
 */
const readBefore = new WeakMap<object, RecordedEvent[]>()

const readOn = async ({ env }: Pick<TestApp, 'env'>, store: EventStore): Promise<readonly RecordedEvent[]> => {
  const known = readBefore.get(env) ?? []
  readBefore.set(env, known)
  // Another test may have read the same meanwhile.
  for await (const page of store.readAll(known.at(-1)?.position ?? -1n))
    known.push(...page.filter(({ position }) => position > (known.at(-1)?.position ?? -1n)))
  return known
}

/** What the log says of one kind about whatever mentions a text. */
export const saidOf = async <T extends EventType>(
  app: Pick<TestApp, 'env'>,
  type: T,
  mention: string,
): Promise<EventData<T>[]> =>
  (await logOf(app))
    .filter((event) => event.type === type && JSON.stringify([event.stream, event.data]).includes(mention))
    .map(({ data }) => data as EventData<T>)

/** Events of one page when the log is replayed. */
const PAGE = 1_000

/** Every read model equals what the log gives when it is read again from the first event. */
export const assertReplayEqual = async (
  t: ExecutionContext,
  app: Pick<TestApp, 'env' | 'databaseUrl'>,
): Promise<void> => {
  const sql = connectBeside(app.databaseUrl)
  const store = eventStoreDb(storeUrlOf(app))
  const log: Pick<EventStore, 'readAll'> = {
    async *readAll(after) {
      const events = (await readOn(app, store)).filter(({ position }) => position > after)
      for (let at = 0; at < events.length; at += PAGE) yield events.slice(at, at + PAGE)
    },
  }
  try {
    const types = new Set((await readOn(app, store)).map(({ type }) => type))
    // A read model of which nothing has happened is empty, and so is its replay.
    for (const projection of projections.filter(({ on }) => Object.keys(on).some((type) => types.has(type)))) {
      const { differences } = await compareWithReplay(sql, log as EventStore, projection)
      t.deepEqual(differences, [], `${projection.name} differs from its replay`)
    }
  } finally {
    await store.close()
    await sql.end({ timeout: 1 })
  }
}
