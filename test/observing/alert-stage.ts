/** A service in which each alert can be made to fire, and Debian's Prometheus and Alertmanager beside it. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { createClient } from '../../src/demo/client.ts'
import { freePort } from '../../src/demo/port.ts'
import { eventually } from '../../src/demo/stage.ts'
import { keyPair } from '../backup/stage.ts'
import { cuttingServer } from '../store/cutting-server.ts'
import { startAnvil } from '../support/anvil.ts'
import { openStage, type TestApp } from '../support/app.ts'
import { startGaslessChain } from '../support/gasless.ts'
import { startLyingNode } from '../support/lying-node.ts'
import { CLI, ELSEWHERE } from '../support/program.ts'
import { ROOT } from '../support/source-files.ts'
import { ALERTMANAGER, PROMETHEUS, startBeside, startPager } from '../support/watchers.ts'

export const DISK_BYTES = 96 * 2 ** 20
/** US dollars above which the second provider of the chain has to say the same. */
export const ALSO_ASKED_USD = 1_000

type Closer = () => unknown
export type Closing = (close: Closer) => void

/** What is opened for a test, closed with it, the last first. */
export const closersOf = (t: ExecutionContext): Closing => {
  const closers: Closer[] = []
  t.teardown(async () => {
    for (const close of closers.reverse()) await Promise.resolve(close()).catch(() => {})
  })
  return (close) => void closers.push(close)
}

/** A folder that is a disk of its own. */
const smallDisk = (closing: Closing): string => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', dir])
  closing(() => {
    execFileSync('umount', ['-l', dir])
    rmSync(dir, { recursive: true, force: true })
  })
  return dir
}

/** Backups each minute. */
const backUps = async (closing: Closing) => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-backups-'))
  closing(() => rmSync(dir, { recursive: true, force: true }))
  const to = join(dir, 'backups')
  const env = {
    BACKUP_TO: to,
    BACKUP_EVERY_SECONDS: '60',
    BACKUP_RECIPIENTS: await keyPair(join(dir, 'identity.txt')),
  }
  return { to, env }
}

/**
 * A service whose DATA_DIR is a small disk, with a chain of two providers to sell on and one with a relayer, which both
 * make blocks. Its event store and the second provider do what a test tells them to.
 */
export const openService = async (t: ExecutionContext, closing: Closing) => {
  const eventStore = await cuttingServer(t)
  const [stage, anvil, chain] = await Promise.all([
    openStage({ store: 'embedded' }),
    startAnvil({ blockTimeSeconds: 1 }),
    startGaslessChain({ blockTimeSeconds: 1 }),
  ])
  const second = await startLyingNode(() => anvil.url)
  closing(() => Promise.all([stage.stop(), anvil.stop(), chain.stop(), second.close()]))
  const [dataDir, backups, metricsPort] = [smallDisk(closing), await backUps(closing), await freePort()]
  const env = {
    ...stage.env,
    ...chain.env,
    ...backups.env,
    EVENTSTORE_URL: eventStore.url,
    LOG_MIRROR: 'off',
    CHAIN_ETH_RPC: `${anvil.url},${second.url}`,
    // The other chain has to name two as well.
    CHAIN_BASE_RPC: `${chain.url},${chain.url.replace('127.0.0.1', 'localhost')}`,
    CHAIN_ETH_ID: String(anvil.chainId),
    SECOND_VOICE_ABOVE_USD: String(ALSO_ASKED_USD),
    DATA_DIR: dataDir,
    METRICS_PORT: String(metricsPort),
    SEAL_EVERY_SECONDS: '1',
    LOG_LEVEL: 'info',
  }
  const kill = startProcess(env)
  closing(kill)
  const origin = `http://localhost:${env.PORT}`
  await answering('the service', `${origin}/readyz`)
  const { call } = createClient(() => origin)
  const app = { ...stage, env, anvil, call } as unknown as TestApp
  return { app, chain, eventStore, second, dataDir, backupsTo: backups.to, service: { metricsPort, kill } }
}

/** Answers how to kill it. */
const startProcess = (env: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, [CLI, 'serve'], {
    cwd: ELSEWHERE,
    env: { ...env, PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return () =>
    new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve()
      child.once('exit', () => resolve())
      child.kill('SIGKILL')
    })
}

/**
 * Prometheus looks each second, by the rules as they are. `hurry` has no rule wait for minutes any more; but for two
 * looks at a chain.
 */
export const openWatchers = async (metricsPort: number, closing: Closing) => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-watch-'))
  closing(() => rmSync(dir, { recursive: true, force: true }))
  const pager = await startPager()
  closing(() => pager.stop())
  const [prometheusPort, alertmanagerPort] = [await freePort(), await freePort()]
  const from = (file: string) => readFileSync(join(ROOT, 'deploy/prometheus', file), 'utf8')
  writeFileSync(join(dir, 'alerts.yml'), from('alerts.yml'))
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
  const hurry = () => {
    const quick = from('alerts.yml')
      .replace(/for: \d+m/g, 'for: 2s')
      .replace(/\[(5|15)m\]/g, '[30s]')
    writeFileSync(join(dir, 'alerts.yml'), quick)
    prometheus.reload()
  }
  return { pager, prometheus, hurry }
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
