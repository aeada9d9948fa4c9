import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { giveMemoryBack } from '../../runtime/idle-memory.ts'
import { type RunningService, serve } from '../../runtime/serve.ts'
import type { Config } from '../../settings/config.ts'
import type { ServicePart, ServiceRole } from '../../settings/service-role.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'

/** How long a stop may take before the process ends anyway. */
export const STOP_LIMIT_MS = 60_000
/**
 * npm hands a Ctrl-C on to a program that has already had it from the terminal; what comes this soon is the same one.
 */
const SAME_SIGNAL_MS = 300

/** What a process serves, and for how many seconds it goes on when it is told to stop, so that balancers hear of it. */
export type ServedPart = { readonly parts: readonly ServicePart[]; readonly stopNotice: number }

/** Runs the service, or its parts, until it is told to stop; then ends the process. */
export const serveCommand = (config: Config, out: Output, { parts, stopNotice }: ServedPart): Promise<void> =>
  runService(config, { parts, sharesPort: false }, stopNotice, (served) => tellReady(config, served, out))

/** Runs the worker of a number from 1 on, which shares its port with the others, until it is told to stop. */
export const serveWorker = (config: Config, { parts, stopNotice }: ServedPart, number: number): Promise<void> => {
  const metricsPort = config.metricsPort === 0 ? 0 : config.metricsPort + number - 1
  const role = { parts, sharesPort: true }
  return runService({ ...config, metricsPort }, role, stopNotice, async ({ stop: _, announceStop: __, ...ready }) => {
    process.send?.({ ready } satisfies WorkerReady)
  })
}

const runService = async (
  config: Config,
  role: ServiceRole,
  stopNotice: number,
  tell: (served: RunningService) => Promise<unknown>,
): Promise<void> => {
  const stopped = untilSignalled()
  const served = await serve(config, {}, role).catch((error: unknown) => {
    throw namingItsSetting(error, config)
  })
  await tell(served)
  const keepMemory = giveMemoryBack()
  await stopped
  keepMemory()
  if (stopNotice > 0) {
    served.announceStop()
    await pause(stopNotice * 1_000)
  }
  const late = setTimeout(() => process.exit(1), STOP_LIMIT_MS)
  await served.stop()
  clearTimeout(late)
}

export const tellReady = (config: Config, served: ServicePlaces, out: Output): Promise<unknown> =>
  out.tell(readyFacts(config, served), readyText(config, served, isTerminal(out)))

const isTerminal = ({ stdout }: Output): boolean => (stdout as { isTTY?: boolean } | undefined)?.isTTY === true

/**
 * Resolves at the first signal, also when that comes during the start, and when the process above this one is gone; a
 * second signal ends the process at once.
 */
export const untilSignalled = (): Promise<void> =>
  new Promise((resolve) => {
    let first: number | undefined
    const signalled = () => {
      if (first !== undefined && performance.now() - first > SAME_SIGNAL_MS) process.exit(1)
      first ??= performance.now()
      resolve()
    }
    process.on('SIGTERM', signalled)
    process.on('SIGINT', signalled)
    process.on('disconnect', resolve)
  })

/** Where everything is: for a person, or as JSON where the output is the log, of which each line is JSON. */
export const readyText = (config: Pick<Config, 'dataDir'>, served: ServicePlaces, isForPeople: boolean): string =>
  isForPeople ? banner(config, served) : JSON.stringify(readyFacts(config, served))

export type ServicePlaces = Omit<RunningService, 'stop' | 'announceStop'>
/** Where a worker tells the process above it that it is, once it serves. */
export type WorkerReady = { readonly ready: ServicePlaces }

const readyFacts = (config: Pick<Config, 'dataDir'>, served: ServicePlaces) => ({
  ready: true,
  ...facts(config, served),
})

const facts = (config: Pick<Config, 'dataDir'>, served: ServicePlaces) => ({
  url: served.origin,
  openapi: `${served.origin}/openapi.json`,
  inbox: served.inboxUrl ?? null,
  sandbox: served.sandbox ?? null,
  metrics: served.metricsUrl,
  dataDir: config.dataDir,
  eventStore: withoutPassword(served.eventStoreUrl),
})

const banner = (config: Pick<Config, 'dataDir'>, served: ServicePlaces): string => {
  const { url, openapi, inbox, sandbox, metrics, dataDir, eventStore } = facts(config, served)
  const lines: [string, string][] = [
    ['Daybook', url],
    ['Interface', openapi],
    ...(inbox ? [['Letters', `${inbox} (no SMTP_URL: they stay here)`] as [string, string]] : []),
    ...(sandbox
      ? ([
          ['Chain', `${sandbox.eth} (sandbox in place of Ethereum; pays from anvil's public test accounts)`],
          ['Chain', `${sandbox.base} (sandbox in place of Base, with a dollar that can be paid by signature)`],
        ] as [string, string][])
      : []),
    ['Metrics', metrics],
    ['Data', dataDir],
    ['Event store', eventStore],
  ]
  return `${lines.map(([name, value]) => `  ${name.padEnd(12)} ${value}`).join('\n')}\n\nStop with Ctrl-C.`
}

const withoutPassword = (url: string): string => url.replace(/^([a-z+]+:\/\/)[^@/]*@/, '$1')

/** A port that cannot be had is a setting to change. */
const namingItsSetting = (error: unknown, config: Config): unknown => {
  const { code, port } = error as { code?: unknown; port?: unknown }
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return listenFailure(error, config)
  const name = port === config.port ? 'PORT' : port === config.metricsPort ? 'METRICS_PORT' : undefined
  if (name === undefined) return listenFailure(error, config)
  return new BadSetting(
    `${name} ${port} ${code === 'EACCES' ? 'needs more rights than this user has' : 'is already in use'}`,
  )
}

const listenFailure = (error: unknown, config: Config): unknown =>
  config.eventStoreListen !== undefined && /EADDRINUSE|No address added/.test(describe(error))
    ? new BadSetting(`EVENTSTORE_LISTEN ${config.eventStoreListen} cannot be used: ${describe(error)}`)
    : error
