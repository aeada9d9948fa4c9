import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Report, Trial } from './worker.ts'

/** A test file that is green. */
export type PassedFile = Extract<Report, { readonly passed: string }>

/** What became of a trial. `by` is the test that noticed, where one did. */
export type Outcome =
  | { readonly status: 'passed'; readonly passed: readonly PassedFile[] }
  | { readonly status: 'failed'; readonly by: string }
  | { readonly status: 'late' }

/** A process that runs trials one after the other; it is begun anew where one may have left something behind. */
export type Bench = {
  run(trial: Trial, limitMs: number): Promise<Outcome>
  /** Ends the process, and what its tests have started. */
  clear(): void
}

export type BenchSetup = {
  readonly env: Readonly<Record<string, string>>
  /** Its tests leave nothing behind: many trials share a process, and a failed file is run to its end. */
  readonly isShared: boolean
}

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url))
const HOOK = new URL('hook.ts', import.meta.url).href
/** Modules that were loaded once stay in memory until the process ends. */
const TRIALS_PER_PROCESS = 60

/** The processes, with the last that each has said. */
const workers = new Map<ChildProcess, string>()
process.once('exit', () => {
  for (const worker of workers.keys()) end(worker)
})

export const createBench = ({ env, isShared }: BenchSetup): Bench => {
  let worker: ChildProcess | undefined
  let trials = 0

  const clear = () => {
    if (worker) end(worker)
    worker = undefined
    trials = 0
  }

  return {
    clear,
    async run(trial, limitMs) {
      if (trials++ === TRIALS_PER_PROCESS) clear()
      worker ??= await started(env)
      const { outcome, isOver } = await told(worker, trial, { limitMs, isShared })
      if (!isOver || !isShared) clear()
      return outcome
    },
  }
}

const started = async (env: BenchSetup['env']): Promise<ChildProcess> => {
  const worker = fork(WORKER, {
    env: {
      ...process.env,
      NODE_ENV: 'test',
      ...env,
      NODE_OPTIONS: `--import=${HOOK} --disable-warning=ExperimentalWarning`,
    },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // A group of its own, so that what its tests start ends with it.
    detached: true,
  })
  workers.set(worker, '')
  worker.stderr?.setEncoding('utf8').on('data', (text: string) => {
    workers.set(worker, ((workers.get(worker) ?? '') + text).slice(-ERRORS_SHOWN_MAX))
  })
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve())
    worker.once('exit', () => reject(new Error(`a process for tests could not start: ${workers.get(worker)}`)))
  })
  return worker
}

const ERRORS_SHOWN_MAX = 2_000

/** Hears of a trial until it is over; `isOver` tells whether its process may run another one. */
const told = (
  worker: ChildProcess,
  trial: Trial,
  { limitMs, isShared }: { readonly limitMs: number; readonly isShared: boolean },
): Promise<{ readonly outcome: Outcome; readonly isOver: boolean }> =>
  new Promise((resolve) => {
    const passed: PassedFile[] = []
    let failure: Outcome | undefined
    const finish = (outcome: Outcome, isOver: boolean) => {
      clearTimeout(limit)
      worker.off('message', hear).off('exit', exit)
      resolve({ outcome: failure ?? outcome, isOver })
    }
    const hear = (report: Report) => {
      if ('passed' in report) passed.push(report)
      if ('failed' in report) failure = { status: 'failed', by: `${report.failed}: ${report.title}` }
      if ('ended' in report || (failure && !isShared)) finish({ status: 'passed', passed }, 'ended' in report)
    }
    const exit = () =>
      finish({ status: 'failed', by: `the process of the tests ended, and said last:\n${workers.get(worker)}` }, false)
    const limit = setTimeout(() => finish({ status: 'late' }, false), limitMs)
    worker.on('message', hear).once('exit', exit)
    worker.send(trial)
  })

/** A group that has ended already is none. */
const end = (worker: ChildProcess): void => {
  workers.delete(worker)
  worker.removeAllListeners()
  if (worker.pid === undefined) return
  try {
    process.kill(-worker.pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
