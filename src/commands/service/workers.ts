import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import {
  type ServedPart,
  type ServicePlaces,
  STOP_LIMIT_MS,
  tellReady,
  untilSignalled,
  type WorkerReady,
} from './serve.ts'

/** Several processes of one machine that serve at one port, and the one above them that starts them again. */

/** A worker that ended is started again after so long, and after twice as long each time that it ends soon. */
const RESTART_AFTER_MS = 1_000
const RESTART_AFTER_MAX_MS = 30_000
/** A worker that lived for so long has started well. */
const STARTED_WELL_MS = 60_000
/** How long workers that were told to stop may take beyond what each of them takes at most. */
const STOP_GRACE_MS = 5_000
const CLI = fileURLToPath(new URL('../../daybook.js', import.meta.url))

type Group = { readonly config: Config; readonly part: ServedPart; readonly count: number }

/** Runs so many workers until it is told to stop. Rejects when one of them cannot be started at all. */
export const serveWorkers = async ({ config, part, count }: Group, out: Output): Promise<void> => {
  mustBeShareable(config, count)
  const stopping = new AbortController()
  const stopped = untilSignalled().then((): undefined => stopping.abort() as undefined)
  const children = new Set<ChildProcess>()
  const start = (number: number) => startWorker(number, part, children)
  const keeping: Promise<void>[] = []
  try {
    let first: ServicePlaces | undefined
    // One after the other: the first prepares the database, and finds what is wrong with the settings.
    for (let number = 1; number <= count && !stopping.signal.aborted; number++) {
      const worker = start(number)
      const served = await Promise.race([worker.ready, stopped])
      first ??= served
      keeping.push(keepRunning(number, worker, start, stopping.signal, out))
    }
    if (first) await tellReady(config, first, out)
    await stopped
  } finally {
    stopping.abort()
    await stopAll(children, part.stopNotice * 1_000)
    await Promise.all(keeping)
  }
}

/** What lies in one process cannot be shared, and a port that the system chooses would be another one for each. */
const mustBeShareable = ({ eventStoreUrl, databaseUrl, chains, port, metricsPort }: Config, count: number): void => {
  const faults = [
    ...(eventStoreUrl ? [] : ['EVENTSTORE_URL is not set, and the embedded event store serves one process alone']),
    ...(databaseUrl ? [] : ['DATABASE_URL is not set, and the embedded PostgreSQL belongs to one process']),
    ...(chains.length > 0
      ? []
      : ['CHAIN_ETH_RPC or another chain is not set, and each process would have its own sandbox']),
    ...(port > 0 ? [] : ['PORT is 0, and each process would have a port of its own: name one']),
    ...(metricsPort + count - 1 <= 65_535 ? [] : [`METRICS_PORT ${metricsPort} leaves no room for ${count} ports`]),
  ]
  if (faults.length > 0) throw new BadSetting(`--workers cannot be used:\n${faults.join('\n')}`)
}

type Worker = {
  /** Rejects when the worker ends before it serves. */
  readonly ready: Promise<ServicePlaces>
  readonly ended: Promise<unknown>
}

const startWorker = (number: number, { parts, stopNotice }: ServedPart, children: Set<ChildProcess>): Worker => {
  const notice = ['--stop-notice', String(stopNotice)]
  const child = fork(CLI, ['serve', '--parts', parts.join(), ...notice, '--worker', String(number)])
  children.add(child)
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
  void ended.then(() => children.delete(child))
  const ready = new Promise<ServicePlaces>((resolve, reject) => {
    child.once('message', (message) => resolve((message as WorkerReady).ready))
    child.once('error', reject)
    void ended.then((why) => reject(new CommandFailure(`worker ${number} ended with ${why} before it served`)))
  })
  ready.catch(() => {})
  return { ready, ended }
}

/** Starts a worker again whenever it ends, until the signal aborts. */
const keepRunning = async (
  number: number,
  worker: Worker,
  start: (number: number) => Worker,
  signal: AbortSignal,
  out: Output,
): Promise<void> => {
  let running = worker
  let since = performance.now()
  let afterMs = RESTART_AFTER_MS
  for (;;) {
    const why = await running.ended
    if (signal.aborted) return
    if (performance.now() - since > STARTED_WELL_MS) afterMs = RESTART_AFTER_MS
    out.remark(`worker ${number} ended with ${why}; it is started again in ${afterMs / 1_000} s`)
    await pause(afterMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    afterMs = Math.min(2 * afterMs, RESTART_AFTER_MAX_MS)
    since = performance.now()
    running = start(number)
  }
}

/** Tells all to stop, waits for them, and ends those that do not. */
const stopAll = async (children: ReadonlySet<ChildProcess>, noticeMs: number): Promise<void> => {
  const all = [...children]
  const ended = all.map((child) =>
    child.exitCode === null && child.signalCode === null
      ? new Promise((resolve) => child.once('exit', resolve))
      : undefined,
  )
  for (const child of all) child.kill('SIGTERM')
  const late = setTimeout(
    () => {
      for (const child of all) child.kill('SIGKILL')
    },
    noticeMs + STOP_LIMIT_MS + STOP_GRACE_MS,
  )
  await Promise.all(ended)
  clearTimeout(late)
}
