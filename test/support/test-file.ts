import { pathToFileURL } from 'node:url'
import type test from 'ava'

/**
 * A test file that runs in a process which AVA did not start for it. Each has a runner of AVA's own, so that hooks,
 * contexts and serial tests mean what they mean alone.
 */

/** What is used of AVA's own modules, which are not exported: the version is pinned, and an update shows here first. */
type Runner = {
  readonly chain: typeof test
  readonly nextTaskIndex: number
  on(event: 'stateChange' | 'error' | 'finish', heard: (event: { readonly data: unknown }) => void): void
}

/** What AVA says while a file runs. */
export type TestState = { readonly type?: string; readonly title?: string }
export type RunnerOptions = Readonly<Record<string, unknown>>

const AVA = new URL('../../node_modules/ava/lib/', import.meta.url)
/** What test files get for `ava` in such a process. */
export const CHAIN = new URL('together-chain.ts', import.meta.url).href

let running: Runner | undefined
/** Ends when no file is being loaded: each declares its tests to the runner of that moment. */
let loading: Promise<unknown> = Promise.resolve()

/** The runner of the file that is loaded now. Throws outside of one. */
export const chainNow = (): typeof test => {
  if (!running) throw new Error('tests are declared while their file is loaded')
  return running.chain
}

/**
 * Runs files, several at the same time if need be; what AVA says of each goes to `heard`. Another `url` loads the file
 * anew.
 */
export const createFileRun = async () => {
  const { default: AvaRunner } = (await loadOfAva('runner.js')) as { default: new (options: RunnerOptions) => Runner }

  return async (
    file: string,
    options: RunnerOptions,
    heard: (state: TestState) => void,
    url = pathToFileURL(file).href,
  ): Promise<void> => {
    const runner = new AvaRunner({ ...options, file })
    const ended = new Promise<void>((resolve, reject) => {
      runner.on('stateChange', ({ data }) => heard(data as TestState))
      runner.on('error', ({ data }) => reject(data))
      runner.on('finish', () => resolve())
    })
    await load(runner, file, url)
    await ended
  }
}

const load = (runner: Runner, file: string, url: string): Promise<void> => {
  const loaded = loading.then(async () => {
    running = runner
    await import(url)
    if (runner.nextTaskIndex === 0) throw new Error(`${file} declares no test`)
  })
  loading = loaded.catch(() => undefined)
  return loaded
}

/** A module of AVA's own. */
export const loadOfAva = (module: string): Promise<unknown> => import(new URL(module, AVA).href)
