import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { DEEP } from './depth.ts'
import { beginToKeep, closeKept, dropOfTurn } from './kept.ts'
import { CHAIN, createFileRun, loadOfAva, type RunnerOptions } from './test-file.ts'
import { PROVIDED, type Turn } from './turns.ts'

/**
 * Many test files in one process. A file of its own process loads the whole product first and compiles what it runs,
 * which costs seconds of processor time, and hundreds of them do. AVA starts a process for each file, so `npm test`
 * gives AVA a few files that call `takeFiles`; these share out the real ones.
 */

const ROOT = fileURLToPath(new URL('../', import.meta.url))

/** Declares the one test of AVA's that runs the files which no other process has taken: `max` of them at most. */
export const takeFiles = (list: string, max: number): void => {
  test('the files of this process are run to their end', async (t) => {
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier === 'ava' ? { url: CHAIN, shortCircuit: true } : next(specifier, context),
    })
    beginToKeep()
    const run = await createRun()
    const broken: unknown[] = []
    const runAll = async (turns: Iterable<Turn>) => {
      for (const { files, waits } of turns) {
        if (waits) while (!existsSync(join(list, PROVIDED))) await delay(LOOK_MS)
        for (const file of files) await run(file).catch((error: unknown) => broken.push(error))
        dropOfTurn()
      }
    }
    const open = openTurns(list, max)
    await runAll(open({ alone: true }))
    await Promise.all(Array.from({ length: FILES_AT_ONCE }, () => runAll(open({ alone: false }))))
    await closeKept()
    t.deepEqual(broken, [])
  })
}

/**
 * Files that a process runs at the same time, once it has run those that want it alone: while one waits, the other
 * runs. In the deep run many of them wait for nothing, and where times are measured each gets its own.
 */
const FILES_AT_ONCE = DEEP || process.env.TEST_TIMES ? 1 : 2
/** Milliseconds between two looks whether everything is installed. */
const LOOK_MS = 250

/**
 * The turns that run alone in a process, or the others, as long as no other process has taken them and `max` files are
 * not reached; who can make its mark has taken one. Those that wait for what is being installed come when it is there,
 * or when no others are left.
 */
const openTurns = (list: string, max: number): ((which: Pick<Turn, 'alone'>) => Generator<Turn>) => {
  const turns = JSON.parse(readFileSync(join(list, 'files.json'), 'utf8')) as readonly Turn[]
  let taken = 0

  return function* ({ alone }) {
    const open = [...turns.entries()].filter(([, turn]) => turn.alone === alone)
    while (taken < max && open.length > 0) {
      const isInstalled = existsSync(join(list, PROVIDED))
      const next = open.findIndex(([, { waits }]) => !waits || isInstalled)
      const [[n, turn]] = open.splice(Math.max(0, next), 1) as [[number, Turn]]
      try {
        writeFileSync(join(list, String(n)), '', { flag: 'wx' })
      } catch {
        continue
      }
      taken += turn.files.length
      yield turn
    }
  }
}

const createRun = async () => {
  const { send } = (await loadOfAva('worker/channel.js')) as { send(state: object): void }
  const { get } = (await loadOfAva('worker/options.js')) as { get(): RunnerOptions }
  const runFile = await createFileRun()

  return async (file: string): Promise<void> => {
    const prefix = relative(ROOT, file)
      .replace(/\.test\.ts$/, '')
      .replaceAll('/', ' › ')
    const time = startTime(relative(ROOT, file))
    await runFile(file, get(), (state) =>
      send(state.title === undefined ? state : { ...state, title: `${prefix} › ${state.title}` }),
    )
    time()
  }
}

/**
 * Where TEST_TIMES names a file, it gets the seconds that each test file took, those of processor time in its own
 * process, and those of the programs that it has started and that have ended.
 */
const startTime = (file: string): (() => void) => {
  const to = process.env.TEST_TIMES
  if (!to) return () => {}
  const [begun, used, before] = [performance.now(), process.cpuUsage(), programsMs()]
  return () => {
    const { user, system } = process.cpuUsage(used)
    const seconds = (ms: number) => (ms / 1_000).toFixed(1)
    const parts = [performance.now() - begun, (user + system) / 1_000, programsMs() - before]
    appendFileSync(to, `${parts.map(seconds).join('\t')}\t${file}\n`)
  }
}

/** Milliseconds of processor time of the programs that this process has waited for, as Linux counts them; else 0. */
const programsMs = (): number => {
  if (process.platform !== 'linux') return 0
  const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(13, 15).map(Number)
  return ((user ?? 0) + (system ?? 0)) * TICK_MS
}

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10
