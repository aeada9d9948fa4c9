/**
 * Debian's Prometheus and Alertmanager beside a service: no rule fires in peace, as it stands in the file, and each
 * fires on its fault, which is made for real, without its wait. PEACE_MINUTES says for how long it is peaceful first.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import anyTest from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { eventually } from '../../src/demo/stage.ts'
import type { TestApp } from '../support/app.ts'
import { inLine, postFor, type Shop, sell, send, shop, verify } from '../support/sale.ts'
import { freshEmail, offerOf } from '../support/seller.ts'
import { ROOT } from '../support/source-files.ts'
import { haveWatchers, type startPager } from '../support/watchers.ts'
import { ALSO_ASKED_USD, closersOf, DISK_BYTES, openService, openWatchers } from './alert-stage.ts'

const test = haveWatchers() ? anyTest : anyTest.skip

const PEACE_MS = Number(process.env.PEACE_MINUTES ?? '1') * 60_000
/** The chain is stale after a minute, and is looked at every 15 s; backups are late after two. */
const FIRES_WITHIN_MS = 180_000

const rules = [
  ...readFileSync(join(ROOT, 'deploy/prometheus/alerts.yml'), 'utf8').matchAll(/^ *- alert: (\w+)$/gm),
].map(([, name]) => name)

test('N-142 each alert fires on its fault and none in peace, in a real Prometheus and Alertmanager', async (t) => {
  t.timeout(PEACE_MS + 1_800_000)
  const closing = closersOf(t)
  const stage = await openService(t, closing)
  const { app, service } = stage
  const { pager, prometheus, hurry } = await openWatchers(service.metricsPort, closing)
  const seller = await shop(app)
  const wait = waitingFor(pager, prometheus)

  await sellFor(PEACE_MS, app, seller)
  t.deepEqual(pager.alerts, [])
  hurry()

  const { backupsTo: backups } = stage
  renameSync(backups, `${backups}.kept`)
  writeFileSync(backups, 'no directory')
  await disturbOutside(stage, seller, wait)
  await disturbDisk(stage, seller, wait)
  await disturbEventStore(stage, seller, wait)
  await wait.until('DaybookBackupOld')
  rmSync(backups)
  renameSync(`${backups}.kept`, backups)
  await wait.over('DaybookBackupOld')

  await appendUnreadable(stage.eventStore.url)
  t.truthy((await wait.until('DaybookFollowerStuck')).labels.follower)
  stage.eventStore.lieOnce()
  await app.call('POST', '/v1/signup', { body: { email: freshEmail(), password: 'correct horse' } })
  await wait.until('DaybookAppendsStopped')
  await dropDatabase(app.databaseUrl)
  closing(callAgainAndAgain(app, seller))
  await wait.until('DaybookErrors')
  await wait.until('DaybookNotReady')
  await wait.until('DaybookCallLimitsAlone')
  await service.kill()
  t.is((await wait.until('DaybookDown')).annotations.runbook, 'docs/operations.md#process-down')
  t.deepEqual([...new Set(pager.alerts.map(({ labels }) => labels.alertname))].sort(), rules.toSorted())
})

type Stage = Awaited<ReturnType<typeof openService>>

/** Receivers, a relayer and chains that do not do what they should, each for a while. */
const disturbOutside = async ({ app, chain, second }: Stage, seller: Shop, { until, over }: Wait): Promise<void> => {
  app.receiver.answer.status = 500
  const failed = until('DaybookWebhooksFail')
  let isTold = false
  void failed.finally(() => (isTold = true)).catch(() => {})
  while (!isTold) await sell(app, seller)
  await failed
  app.receiver.answer.status = 200

  await chain.client.setBalance({ address: chain.relayer.address as `0x${string}`, value: 0n })
  await until('DaybookRelayerShort', { network: 'base' })
  await chain.client.setBalance({ address: chain.relayer.address as `0x${string}`, value: 10n ** 19n })

  await chain.client.setIntervalMining({ interval: 0 })
  await until('DaybookChainBehind', { network: 'base' })
  await chain.client.setIntervalMining({ interval: 1 })
  await over('DaybookChainBehind')

  const large = await shop(app, { amount: 2 * ALSO_ASKED_USD })
  const offer = await offerOf(app, large.key, large.resId)
  const hash = await send(app, offer)
  second.hide(hash)
  await inLine(() => app.anvil.mine(offer.requiredConfirmations))
  await verify(app, offer.challengeId, hash)
  await until('DaybookPaymentsDisputed', { network: 'eth' })
  second.show(hash)
  await over('DaybookPaymentsDisputed')
}

/** A disk that is nearly full, and a journal of heads that is not one. */
const disturbDisk = async (stage: Stage, seller: Shop, { until, over }: Wait): Promise<void> => {
  const filler = join(stage.dataDir, 'filler')
  writeFileSync(filler, Buffer.alloc(Math.floor(DISK_BYTES * 0.9)))
  await until('DaybookDiskNearlyFull')
  rmSync(filler)
  await over('DaybookDiskNearlyFull')
  await disturbSeals(stage, seller, until)
  await over('DaybookPartsUnfit')
  await over('DaybookSealLate')
}

/** Somebody has a stream of the ledger cut, and takes that back. */
const disturbEventStore = async ({ eventStore }: Stage, { resId }: Shop, { until, over }: Wait): Promise<void> => {
  await eventStore.setMetadata(`resource-${resId}`, { $maxCount: 1_000 })
  await until('DaybookStreamsCut')
  await eventStore.setMetadata(`resource-${resId}`, {})
  await over('DaybookStreamsCut')
}

/** Calls without a key in each round: many more than a process lets pass without asking what the others have. */
const VISITS = 20

/** Calls what will fail, with a key and without one; answers how to end that. */
const callAgainAndAgain = (app: TestApp, { key, resId }: Shop) => {
  const visit = () => void app.call('GET', `/r/${resId}`).catch(() => {})
  const timer = setInterval(() => {
    void app.call('GET', '/v1/wallets', { key }).catch(() => {})
    for (let n = 0; n < VISITS; n++) visit()
  }, 200)
  return () => clearInterval(timer)
}

const sellFor = async (ms: number, app: TestApp, seller: Shop): Promise<void> => {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    const { offer } = await sell(app, seller)
    await postFor(app, offer.challengeId)
    await new Promise((resolve) => setTimeout(resolve, 5_000))
  }
}

type Wait = ReturnType<typeof waitingFor>

/** Waits for an alert to begin, and to be over. */
const waitingFor = (pager: Awaited<ReturnType<typeof startPager>>, prometheus: { said(): string }) => {
  const firing = () => activeOf(pager.alerts)
  const until = (alertname: string, label: Readonly<Record<string, string>> = {}) =>
    eventually(
      `${alertname}; ${prometheus.said()}`,
      async () =>
        pager.alerts.findLast(
          ({ status, labels }) =>
            status === 'firing' &&
            Object.entries({ alertname, ...label }).every(([name, value]) => labels[name] === value),
        ),
      FIRES_WITHIN_MS,
    )
  const over = (alert: string) => eventually(`the end of ${alert}`, async () => !firing().has(alert), FIRES_WITHIN_MS)
  return { until, over }
}

/** The journal of heads cannot be written, then is not one of ours, then is as it was. */
const disturbSeals = async ({ app, dataDir }: Stage, seller: Shop, until: Wait['until']): Promise<void> => {
  const heads = join(dataDir, 'heads.jsonl')
  renameSync(heads, `${heads}.kept`)
  mkdirSync(heads)
  await sell(app, seller)
  await until('DaybookSealLate')
  rmSync(heads, { recursive: true })
  writeFileSync(heads, 'not one of ours\n')
  await until('DaybookPartsUnfit', { part: 'witness' })
  rmSync(heads)
  renameSync(`${heads}.kept`, heads)
}

/** The alerts that are on, by the last that was said of each. */
const activeOf = (alerts: Awaited<ReturnType<typeof startPager>>['alerts']): ReadonlySet<string> => {
  const last = new Map(alerts.map(({ labels, status }) => [JSON.stringify(labels), { status, name: labels.alertname }]))
  return new Set([...last.values()].flatMap(({ status, name }) => (status === 'firing' && name ? [name] : [])))
}

/** An event of ours that the ledger cannot read, as another program may write it. */
const appendUnreadable = async (url: string) => {
  const client = EventStoreDBClient.connectionString(url)
  const metadata = { v: 1, at: '2026-03-02T10:00:00.000Z', cause: { actor: 'other', correlationId: 'req_other' } }
  const event = jsonEvent({ id: randomUUID(), type: 'ResourceCreated', data: {}, metadata })
  await client.appendToStream('resource-res_of_nobody', event, { credentials: { username: 'o', password: 'o' } })
  await client.dispose()
}

/** As if the server were gone: every connection is cut and none can be opened again. */
const dropDatabase = async (url: string) => {
  const server = new URL(url)
  const name = server.pathname.slice(1)
  server.pathname = '/postgres'
  const admin = connect(server.href, { max: 1 })
  await admin`drop database ${admin(name)} with (force)`
  await admin.end()
}
