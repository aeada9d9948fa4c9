/**
 * The test command: runs ava on a PostgreSQL of its own and ends with one line of counts. Arguments go to ava. With
 * `--deep` it runs the files named `*.deep.test.ts` as well, and every test as deep as it goes (support/depth.ts); so
 * it does when it is given one of them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { startEmbeddedPostgres } from '../adapters/postgres/embedded.ts'
import { provideAccountants } from './support/accountants.ts'
import { provideChromium } from './support/chromium.ts'
import { provideClients } from './support/clients.ts'
import { provideLitecoind } from './support/litecoind.ts'
import { provideStartedDatabase } from './support/started.ts'

const AVA = fileURLToPath(new URL('../node_modules/ava/entrypoints/cli.js', import.meta.url))
const STOP_LIMIT_MS = 10_000
/** Every test file but those of the deep run, unless files are named. */
const QUICK = 'test/**/!(*.deep).test.ts'
/** How long ava waits without a test that ends; the longest of the deep ones set limits of their own below this. */
const DEEP_TIMEOUT = '30m'
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

type Counts = { passed: number; failed: number; skipped: number }

/** A skipped test is a failure in CI, where nobody would notice that it proves nothing. */
const strict = process.env.CI === '1' || process.env.CI === 'true'

let interrupted: number | undefined
let ava: ChildProcess | undefined
for (const [signal, code] of Object.entries(SIGNALS)) {
  process.on(signal, () => {
    interrupted = code
    ava?.kill(signal as keyof typeof SIGNALS)
    setTimeout(() => ava?.kill('SIGKILL'), STOP_LIMIT_MS).unref()
  })
}

const given = process.argv.slice(2).filter((argument) => argument !== '--deep')
const files = given.filter((argument) => argument.endsWith('.ts'))
const deep = process.argv.includes('--deep') || files.some((file) => file.endsWith('.deep.test.ts'))
const depth = deep ? [`--timeout=${DEEP_TIMEOUT}`] : files.length === 0 ? [QUICK] : []
const runs = (part: string) => files.length === 0 || files.some((file) => file.includes(part))
if (runs('browser/')) provideChromium()
if (runs('clients')) provideClients(strict || files.length > 0)
if (runs('chains/')) provideLitecoind()
if (runs('journal-')) provideAccountants()
const dir = await mkdtemp(join(tmpdir(), 'daybook-test-'))
try {
  const server = await startEmbeddedPostgres({ dir, durable: false })
  try {
    await provideStartedDatabase(server.url)
    if (interrupted === undefined) process.exitCode = await runTests(server.url, join(dir, 'compiled'))
  } finally {
    await server.stop()
  }
} finally {
  await rm(dir, { recursive: true, force: true })
}
if (interrupted !== undefined) process.exitCode = interrupted

async function runTests(url: string, compiled: string): Promise<number> {
  const { code, counts } = await runAva(url, compiled)
  let failed = code === 0 ? counts.failed : Math.max(counts.failed, 1)
  if (strict && counts.skipped > 0) {
    console.log(`${counts.skipped} skipped or left to do, which fails in CI`)
    failed += counts.skipped
  }
  console.log(`${counts.passed} passed, ${failed} failed`)
  return code || (failed > 0 ? 1 : 0)
}

async function runAva(url: string, compiled: string): Promise<{ code: number; counts: Counts }> {
  const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
  // Every test file is a process of its own, and all of them load much the same: what one has compiled serves the rest.
  const env = {
    ...process.env,
    ...colour,
    TEST_POSTGRES_URL: url,
    NODE_COMPILE_CACHE: compiled,
    TEST_DEPTH: deep ? 'deep' : 'quick',
  }
  const child = spawn(process.execPath, [AVA, ...depth, ...given], { env, stdio: ['inherit', 'pipe', 'inherit'] })
  ava = child
  const count = createCounter()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text)
    count.read(text)
  })
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => resolve(status ?? 1))
  })
  return { code, counts: count.total() }
}

/** Reads ava's report as it comes: ticks for what passed, and the summary for the rest, which ends the report. */
function createCounter() {
  let ticks = 0
  let open = ''
  const summary = new Map<string, number>()

  function line(text: string): void {
    const plain = stripVTControlCharacters(text)
    if (/^\s*─+$/.test(plain)) summary.clear()
    else if (/^\s+✔ (?!\[expected fail\])/.test(plain)) ticks++
    const [, number, what] =
      /^\s*(\d+) (?:tests? |)(passed|failed|skipped|todo|hooks? failed|uncaught exceptions?|unhandled rejections?)\b/.exec(
        plain,
      ) ?? []
    if (number && what) summary.set(what.replace(/^hooks? /, 'hook ').replace(/s$/, ''), Number(number))
  }

  return {
    read(text: string): void {
      const lines = (open + text).split('\n')
      open = lines.pop() ?? ''
      for (const each of lines) line(each)
    },
    total(): Counts {
      line(open)
      const sum = (...names: string[]) => names.reduce((total, name) => total + (summary.get(name) ?? 0), 0)
      return {
        // The summary leaves this number out when something failed.
        passed: summary.get('passed') ?? ticks,
        failed: sum('failed', 'hook failed', 'uncaught exception', 'unhandled rejection'),
        skipped: sum('skipped', 'todo'),
      }
    },
  }
}
