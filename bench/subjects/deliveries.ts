/**
 * Deliveries by the effect `send-delivery`, from the intent in the log to the outcome in the log. Arguments: the log's
 * file, the database's URL, the receiver's host and port.
 */

import { createSigner } from '../../adapters/crypto/signer.ts'
import { startFeed } from '../../adapters/following/feed.ts'
import { createProgress } from '../../adapters/following/progress.ts'
import { type Reactor, runReactor } from '../../adapters/following/reactor.ts'
import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { parseAllowList } from '../../adapters/outbound/url-rules.ts'
import { createCheckpoints } from '../../adapters/postgres/checkpoints.ts'
import { connect } from '../../adapters/postgres/connect.ts'
import { createSnapshots } from '../../adapters/postgres/snapshots.ts'
import { createVault } from '../../adapters/postgres/vault/vault.ts'
import { openCore } from '../../adapters/store/node/core.ts'
import { embeddedStore } from '../../adapters/store/node/embedded.ts'
import { localArtist } from '../../adapters/studio/artist.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { sendDelivery } from '../../domain/reactions/effects/send-delivery.ts'
import type { EffectContext } from '../../domain/reactions/subscriber/effect.ts'
import { WEBHOOK_USER_AGENT } from '../../domain/selling/webhooks/delivery-request.ts'
import type { EventData } from '../../domain/write-side/deciders.ts'
import { createLedger } from '../../domain/write-side/ledger.ts'
import { world } from '../../src/settings/world.ts'
import { answering } from '../answering.ts'
import { SALES_AT_ONCE, type Step, shownSteps } from '../sales.ts'

export type Delivering = { readonly from: number; readonly count: number }
export type Delivered = { readonly accepted: number; readonly ms: number }

const DELIVER_MS = 600_000

const [file = '', databaseUrl = '', hostPort = ''] = process.argv.slice(2)
const core = openCore(file)
const store = embeddedStore(core)
const sql = connect(databaseUrl)
const vault = await createVault({ sql, masterKey: Buffer.alloc(32, 7) })
const checkpoints = await createCheckpoints(sql)
const outbound = createOutbound({ allow: parseAllowList(hostPort), userAgent: WEBHOOK_USER_AGENT })
const doors = createLedger(store, world, await createSnapshots(sql))
const { ledger } = doors.open({ actor: 'bench', correlationId: 'bench' })
const log = { warn: (facts: object, message: string) => process.stderr.write(`${message} ${JSON.stringify(facts)}\n`) }
const signer = createSigner()
const origins = { base: 'http://localhost', pay: 'http://localhost', auth: 'http://localhost', shop: '' }
const mail = { send: () => Promise.reject(new Error('no letters here')) }

/** The reactor that the service makes of the effect. */
const reactor: Reactor = {
  name: sendDelivery.name,
  concurrency: sendDelivery.concurrency,
  handles: (type) => type in sendDelivery.on,
  keysOf: () => [],
  react: async (event) => {
    const cause = { actor: sendDelivery.name, correlationId: event.cause.correlationId, causationId: event.id }
    const context: EffectContext = {
      world,
      vault,
      outbound,
      mail,
      signer,
      origins,
      artist: localArtist,
      operatorEmail: undefined,
      ledger: doors.open(cause).ledger,
    }
    await sendDelivery.on.DeliveryScheduled?.(event as RecordedEvent<never>, context)
  },
}

const secrets = async () => {
  for (let seller = 0; seller < SALES_AT_ONCE; seller++) {
    const accountId = `acc_${seller}`
    const secret = await vault.seal(accountId, `whsec_${world.secret(24)}`)
    await ledger.webhook.setUrl(accountId, { slot: 'account', url: `http://${hostPort}/hook`, secret, last4: '0000' })
  }
}

/** Writes the deliveries up to their intents, as the policies leave them. */
const schedule = async ({ from, count }: Delivering) => {
  const lane = async (first: number) => {
    for (let n = first; n < from + count; n += SALES_AT_ONCE) {
      const [created, completed, scheduled] = shownSteps(n) as [Step, Step, Step]
      const transactionId = idOf(created.stream)
      await ledger.transaction.create(transactionId, created.data as EventData<'TransactionCreated'>)
      await ledger.transaction.complete(transactionId, completed.data as EventData<'TransactionCompleted'>)
      const intent = { ...(scheduled.data as EventData<'DeliveryScheduled'>), url: `http://${hostPort}/hook` }
      await ledger.delivery.schedule(idOf(scheduled.stream), intent)
    }
  }
  await Promise.all(Array.from({ length: SALES_AT_ONCE }, (_, i) => lane(from + i)))
}

const accepted = async (after: bigint) => {
  let count = 0
  for await (const page of store.readAll(after)) count += page.filter(({ type }) => type === 'DeliveryAccepted').length
  return count
}

const deliver = async (): Promise<number> => {
  const stopping = new AbortController()
  const feed = await startFeed(store, { arrived: doors.arrived })
  const progress = createProgress()
  const start = performance.now()
  const ended = runReactor(reactor, { feed, checkpoints, progress, log }, stopping.signal)
  const reached = progress.reached(feed.head(), DELIVER_MS)
  if (!(await Promise.race([reached, ended.then(() => false)]))) throw new Error('not everything was delivered')
  const ms = performance.now() - start
  stopping.abort()
  await ended
  await feed.stop()
  return ms
}

await secrets()
await answering<Delivering>(
  async (question): Promise<Delivered> => {
    await schedule(question)
    const before = await store.head()
    const ms = await deliver()
    return { accepted: await accepted(before), ms }
  },
  async () => {
    await outbound.close()
    await vault.close()
    await sql.end({ timeout: 1 })
    await core.close()
  },
)
