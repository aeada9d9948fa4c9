/**
 * Says what tests notice: `npm run mutate -- <file or folder>` changes one thing of a source at a time, in memory, and
 * runs the tests that load it. A change that no test notices is one that nobody would.
 */
import { fileURLToPath } from 'node:url'
import { provideChromium } from '../support/chromium.ts'
import { withTestServer } from '../support/test-server.ts'
import { mutantsOf, sampled, sourcesIn } from './mutants.ts'
import { optionsFrom } from './options.ts'
import { printedReport, reportOf } from './report.ts'
import { plansOf, tryMutants, type Verdict } from './trials.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const GRACE_MS = 15_000
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

// What was started ends with this process, which ending by a signal would not tell it.
for (const [signal, code] of Object.entries(SIGNALS)) process.once(signal, () => process.exit(code))

const options = optionsFrom(process.argv.slice(2))
const files = options.named.flatMap((named) => sourcesIn(ROOT, named))
const all = mutantsOf(ROOT, [...new Set(files)])
const mutants = sampled(ROOT, all, options)
say(`${mutants.length} of ${all.length} mutants of ${files.length} files, seed ${options.seed}`)

const plans = plansOf(ROOT, mutants, { patterns: options.tests, max: options.files })
const course = { root: ROOT, jobs: options.jobs, graceMs: GRACE_MS, heard: say }
const verdicts = await inEnvironment((env) => tryMutants(plans, { ...course, env }))
const report = reportOf(verdicts, options.seed)
console.log(options.json ? JSON.stringify(report, null, 2) : `\n${printedReport(report)}`)
if (report.total.share < options.atLeast) process.exitCode = 1

/** Tests that share a process need no server. */
async function inEnvironment(act: (env: Record<string, string>) => Promise<readonly Verdict[]>) {
  const chosen = plans.flatMap(({ tests }) => tests)
  if (chosen.every(({ isQuiet }) => isQuiet)) return act({})
  if (chosen.some(({ file }) => file.startsWith('test/browser/'))) provideChromium()
  let verdicts: readonly Verdict[] = []
  await withTestServer(async ({ url }) => {
    verdicts = await act({ TEST_POSTGRES_URL: url, TEST_DEPTH: 'quick' })
  })
  return verdicts
}

/** On the other stream, so that what `--json` prints is that alone. */
function say(line: string): void {
  console.error(line)
}
