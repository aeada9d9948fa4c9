/**
 * Debian's Prometheus and Alertmanager beside a service: no rule fires in peace, and each fires on its fault, which is
 * made for real. PEACE_MINUTES says for how long it is peaceful first.
 */
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import anyTest from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { createClient } from '../../src/demo/client.ts'
import { freePort } from '../../src/demo/port.ts'
import { eventually } from '../../src/demo/stage.ts'
import { startAnvil } from '../support/anvil.ts'
import { openStage, type TestApp } from '../support/app.ts'
import { startGaslessChain } from '../support/gasless.ts'
import { CLI, ELSEWHERE } from '../support/program.ts'
import { postFor, type Shop, sell, shop } from '../support/sale.ts'
import { ROOT } from '../support/source-files.ts'
import { ALERTMANAGER, haveWatchers, PROMETHEUS, startBeside, startPager } from '../support/watchers.ts'

const test = haveWatchers() ? anyTest : anyTest.skip

const PEACE_MS = Number(process.env.PEACE_MINUTES ?? '1') * 60_000
/** The chain is stale after a minute, and is looked at every 15 s. */
const FIRES_WITHIN_MS = 180_000
const DISK_BYTES = 96 * 2 ** 20

type Closer = () => unknown

test('N-142 each alert fires on its fault and none in peace, in a real Prometheus and Alertmanager', async (t) => {
  t.timeout(PEACE_MS + 1_500_000)
  const closers: Closer[] = []
  t.teardown(async () => {
    for (const close of closers.reverse()) await Promise.resolve(close()).catch(() => {})
  })
  const closing = (close: Closer) => void closers.push(close)
  const { app, service, chain, dataDir } = await openService(closing)
  const { pager, prometheus } = await openWatchers(service.metricsPort, closing)
  const seller = await shop(app)
  const { until, over } = waitingFor(pager, prometheus)

  await sellFor(PEACE_MS, app, seller)
  t.deepEqual(pager.alerts, [])

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

  writeFileSync(join(dataDir, 'filler'), Buffer.alloc(Math.floor(DISK_BYTES * 0.9)))
  await until('DaybookDiskNearlyFull')
  rmSync(join(dataDir, 'filler'))
  await over('DaybookDiskNearlyFull')

  await disturbSeals({ app, seller, dataDir }, until)
  await over('DaybookPartsUnfit')
  await over('DaybookSealLate')

  await appendUnreadable(app.env.EVENTSTORE_URL ?? '')
  t.truthy((await until('DaybookFollowerStuck')).labels.follower)

  await dropDatabase(app.databaseUrl)
  closing(callAgainAndAgain(app, seller))
  await until('DaybookErrors')
  await until('DaybookNotReady')
  await until('DaybookCallLimitsAlone')
  await service.kill()
  t.is((await until('DaybookDown')).annotations.runbook, 'docs/operations.md#process-down')
})

/** Calls what will fail; answers how to end that. */
const callAgainAndAgain = (app: TestApp, { key }: Shop): Closer => {
  const timer = setInterval(() => void app.call('GET', '/v1/wallets', { key }).catch(() => {}), 200)
  return () => clearInterval(timer)
}

const sellFor = async (ms: number, app: TestApp, seller: Shop): Promise<void> => {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    const { offer } = await sell(app, seller)
    await postFor(app, offer.challengeId)
    await new Promise((resolve) => setTimeout(resolve, 5_000))
  }
}

type Until = ReturnType<typeof waitingFor>['until']

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
const disturbSeals = async (
  { app, seller, dataDir }: { app: TestApp; seller: Shop; dataDir: string },
  until: Until,
): Promise<void> => {
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

/** A service whose DATA_DIR is a small disk, with a chain to sell on and one with a relayer, which both make blocks. */
const openService = async (closing: (close: Closer) => void) => {
  const [stage, anvil, chain] = await Promise.all([
    openStage({ store: 'eventstoredb' }),
    startAnvil({ blockTimeSeconds: 1 }),
    startGaslessChain({ blockTimeSeconds: 1 }),
  ])
  closing(() => Promise.all([stage.stop(), anvil.stop(), chain.stop()]))
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', dataDir])
  closing(() => {
    execFileSync('umount', ['-l', dataDir])
    rmSync(dataDir, { recursive: true, force: true })
  })
  const metricsPort = await freePort()
  const env = {
    ...stage.env,
    ...chain.env,
    CHAIN_ETH_RPC: anvil.url,
    CHAIN_ETH_ID: String(anvil.chainId),
    DATA_DIR: dataDir,
    METRICS_PORT: String(metricsPort),
    SEAL_EVERY_SECONDS: '1',
    LOG_LEVEL: 'info',
  }
  const child = spawn(process.execPath, [CLI, 'serve'], {
    cwd: ELSEWHERE,
    env: { ...env, PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: 'ignore',
  })
  const kill = () =>
    new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve()
      child.once('exit', () => resolve())
      child.kill('SIGKILL')
    })
  closing(kill)
  const origin = `http://localhost:${env.PORT}`
  await answering('the service', `${origin}/readyz`)
  const { call } = createClient(() => origin)
  const app = { ...stage, env, anvil, call } as unknown as TestApp
  return { app, chain, dataDir, service: { metricsPort, kill } }
}

/** Prometheus looks each second, and no rule waits for minutes; but for two looks at a chain. */
const openWatchers = async (metricsPort: number, closing: (close: Closer) => void) => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-watch-'))
  closing(() => rmSync(dir, { recursive: true, force: true }))
  const pager = await startPager()
  closing(() => pager.stop())
  const [prometheusPort, alertmanagerPort] = [await freePort(), await freePort()]
  const from = (file: string) => readFileSync(join(ROOT, 'deploy/prometheus', file), 'utf8')
  const quick = from('alerts.yml')
    .replace(/for: \d+m/g, 'for: 2s')
    .replace(/\[(5|15)m\]/g, '[30s]')
  writeFileSync(join(dir, 'alerts.yml'), quick)
  writeFileSync(
    join(dir, 'prometheus.yml'),
    from('prometheus.yml')
      .replaceAll('15s', '1s')
      .replace('127.0.0.1:4021', `127.0.0.1:${metricsPort}`)
      .replace('127.0.0.1:9093', `127.0.0.1:${alertmanagerPort}`),
  )
  writeFileSync(
    join(dir, 'alertmanager.yml'),
    from('alertmanager.yml')
      .replace(/group_(wait|interval): \w+/g, 'group_$1: 1s')
      .replace(/(?<=group_by: )\[alertname\]/, "['...']")
      .replace('http://127.0.0.1:9099/alerts', pager.url),
  )
  const alertmanager = startBeside(
    ALERTMANAGER,
    [
      '--config.file=alertmanager.yml',
      `--storage.path=${join(dir, 'alertmanager')}`,
      `--web.listen-address=127.0.0.1:${alertmanagerPort}`,
      '--cluster.listen-address=',
    ],
    dir,
  )
  closing(alertmanager.stop)
  const prometheus = startBeside(
    PROMETHEUS,
    [
      '--config.file=prometheus.yml',
      `--storage.tsdb.path=${join(dir, 'series')}`,
      `--web.listen-address=127.0.0.1:${prometheusPort}`,
    ],
    dir,
  )
  closing(prometheus.stop)
  await answering('Prometheus', `http://127.0.0.1:${prometheusPort}/-/ready`)
  await answering('Alertmanager', `http://127.0.0.1:${alertmanagerPort}/-/ready`)
  return { pager, prometheus }
}

const answering = (what: string, url: string) =>
  eventually(
    what,
    () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    60_000,
  )

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
