/** The process in which trials run: loads test files, and tells the mutation run what became of each. */
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import '../support/seed.ts'
import { CHAIN, createFileRun, type TestState } from '../support/test-file.ts'
import { beginEdition, editionUrl, type PlacedChange } from './hook.ts'
import { type Reach, watchReach } from './reach.ts'

/** Test files to run one after the other until one fails, and what is loaded anew for them. */
export type Trial = {
  readonly name: string
  readonly root: string
  readonly tests: readonly string[]
  /** Addresses of files. */
  readonly fresh: readonly string[]
  readonly change?: PlacedChange
  /** Addresses of sources; what of them runs is told too. */
  readonly watched?: readonly string[]
}

/** What a trial comes to, file by file. */
export type Report =
  | { readonly passed: string; readonly ms: number; readonly cpuMs: number; readonly reach: Reach }
  | { readonly failed: string; readonly title: string }
  | { readonly ended: true }

const FAILURES = ['test-failed', 'hook-failed']

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'ava' ? { url: CHAIN, shortCircuit: true } : next(specifier, context),
})
const runFile = await createFileRun()

/** What was rejected while nobody waited for it. As in ava, it counts where nobody has by the end of its file. */
const unheard = new Map<Promise<unknown>, unknown>()
process.on('unhandledRejection', (reason, promise) => unheard.set(promise, reason))
process.on('rejectionHandled', (promise) => unheard.delete(promise))

process.on('message', (trial: Trial) => void run(trial))
process.on('disconnect', () => process.exit())
tell({ ended: true })

async function run({ name, root, tests, fresh, change, watched }: Trial): Promise<void> {
  beginEdition({ name, urls: new Set(fresh) }, change)
  for (const test of tests) if (!(await passes(root, test, watched))) break
  tell({ ended: true })
}

async function passes(root: string, test: string, watched: Trial['watched']): Promise<boolean> {
  const file = join(root, test)
  const reached = watched && (await watchReach())
  const [begun, used] = [performance.now(), process.cpuUsage()]
  let isGreen = true
  const fail = (title: string) => {
    if (isGreen) tell({ failed: test, title })
    isGreen = false
  }
  const heard = (state: TestState) => {
    if (FAILURES.includes(state.type ?? '')) fail(state.title ?? '')
  }
  const options = { projectDir: root, experiments: {}, match: [] }
  await runFile(file, options, heard, editionUrl(pathToFileURL(file).href)).catch((error) => fail(String(error)))
  for (const reason of unheard.values()) fail(`nobody waited for ${reason}`)
  unheard.clear()
  const ms = performance.now() - begun
  const { user, system } = process.cpuUsage(used)
  const reach = (await reached?.(watched ?? [])) ?? {}
  if (isGreen) tell({ passed: test, ms, cpuMs: (user + system) / 1_000, reach })
  return isGreen
}

function tell(report: Report): void {
  process.send?.(report)
}
