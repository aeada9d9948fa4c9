import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import test from 'ava'

/**
 * Many test files in one process, one after the other. A file of its own process loads the whole product first, which
 * costs two seconds of processor time, and hundreds of them do. AVA starts a process for each file, so `npm test` gives
 * AVA a few files that call `takeFiles`; these share out the real ones. Each real file has a runner of AVA's own, so
 * that hooks, contexts and serial tests mean what they mean alone.
 */

/** What is used of AVA's own modules, which are not exported: the version is pinned, and an update shows here first. */
type Runner = {
  readonly chain: typeof test
  readonly nextTaskIndex: number
  on(event: 'stateChange' | 'error' | 'finish', heard: (event: { readonly data: unknown }) => void): void
}
type RunnerOptions = Readonly<Record<string, unknown>>

const AVA = new URL('../../node_modules/ava/lib/', import.meta.url)
const ROOT = fileURLToPath(new URL('../', import.meta.url))
/** What test files get for `ava` in such a process. */
const CHAIN = new URL('together-chain.ts', import.meta.url).href

let running: Runner | undefined

/** The runner of the file that is loaded now. Throws outside of one. */
export const chainNow = (): typeof test => {
  if (!running) throw new Error('tests are declared while their file is loaded')
  return running.chain
}

/** Declares the one test of AVA's that runs the files which no other process has taken: `max` of them at most. */
export const takeFiles = (list: string, max: number): void => {
  test('the files of this process are run to their end', async (t) => {
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier === 'ava' ? { url: CHAIN, shortCircuit: true } : next(specifier, context),
    })
    const run = await createRun()
    const broken: unknown[] = []
    for (const file of filesOf(list, max)) await run(file).catch((error: unknown) => broken.push(error))
    t.deepEqual(broken, [])
  })
}

/** Takes one file after the other; who can make the mark of a file has taken it. */
function* filesOf(list: string, max: number): Generator<string> {
  const files = JSON.parse(readFileSync(join(list, 'files.json'), 'utf8')) as readonly string[]
  let taken = 0
  for (const [n, file] of files.entries()) {
    if (taken === max) return
    try {
      writeFileSync(join(list, String(n)), '', { flag: 'wx' })
    } catch {
      continue
    }
    taken++
    yield file
  }
}

const createRun = async () => {
  const { default: AvaRunner } = (await load('runner.js')) as { default: new (options: RunnerOptions) => Runner }
  const { send } = (await load('worker/channel.js')) as { send(state: object): void }
  const { get } = (await load('worker/options.js')) as { get(): RunnerOptions }

  return async (file: string): Promise<void> => {
    const runner = new AvaRunner({ ...get(), file })
    const prefix = relative(ROOT, file)
      .replace(/\.test\.ts$/, '')
      .replaceAll('/', ' › ')
    const ended = new Promise<void>((resolve, reject) => {
      runner.on('stateChange', ({ data }) => {
        const state = data as { readonly title?: string }
        send(state.title === undefined ? state : { ...state, title: `${prefix} › ${state.title}` })
      })
      runner.on('error', ({ data }) => reject(data))
      runner.on('finish', () => resolve())
    })
    running = runner
    const time = startTime(relative(ROOT, file))
    await import(pathToFileURL(file).href)
    if (runner.nextTaskIndex === 0) throw new Error(`${file} declares no test`)
    await ended
    time()
  }
}

/** Where TEST_TIMES names a file, it gets the seconds that each test file took, and those of its own processor time. */
const startTime = (file: string): (() => void) => {
  const to = process.env.TEST_TIMES
  if (!to) return () => {}
  const [begun, used] = [performance.now(), process.cpuUsage()]
  return () => {
    const { user, system } = process.cpuUsage(used)
    const seconds = (ms: number) => (ms / 1_000).toFixed(1)
    const [all, own] = [seconds(performance.now() - begun), seconds((user + system) / 1_000)]
    appendFileSync(to, `${all}\t${own}\t${file}\n`)
  }
}

const load = (module: string): Promise<unknown> => import(new URL(module, AVA).href)
