/**
 * The test command: runs ava on a PostgreSQL of its own and ends with one line of counts. Arguments go to ava. With
 * `--deep` it runs the files named `*.deep.test.ts` as well, and every test as deep as it goes (support/depth.ts); so
 * it does when it is given one of them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { glob, mkdir, rm, statfs, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { provideAccountants } from './support/accountants.ts'
import { provideChromium } from './support/chromium.ts'
import { provideClients } from './support/clients.ts'
import { COMPILED, provideCompiled } from './support/compiled.ts'
import { provideDeployPrograms } from './support/deploy-programs.ts'
import { provideLitecoind } from './support/litecoind.ts'
import { provideSignInClients } from './support/sign-in-clients.ts'
import { withTestServer } from './support/test-server.ts'
import { PROVIDED, type Turn } from './support/turns.ts'
import { provideWatchers } from './support/watchers.ts'

const AVA = fileURLToPath(new URL('../node_modules/ava/entrypoints/cli.js', import.meta.url))
const STOP_LIMIT_MS = 10_000
/**
 * Processes that run all the quick tests, each of them two files at a time: with fewer a processor waits, and with more
 * each loads and compiles once more what the others do.
 */
const PROCESSES = Math.min(8, availableParallelism() + 1)
/**
 * Files that one process runs at most in a deep run: what a file leaves behind in memory stays until its process ends.
 * Of these processes as many run at once as AVA is set to.
 */
const DEEP_FILES_PER_PROCESS = 60
/** Where the files stand that AVA starts instead of the test files, when it runs them all. */
const TOGETHER = new URL('together/', import.meta.url)
/**
 * Of those that share a process the longest ones begin first, so that no processor waits for them in the end; some of
 * them mostly wait, and others run meanwhile.
 */
const FIRST =
  /^test\/(relay|chains|cli|card|demo|projections|outbound|acceptance|backup|http\/(isolation|closed|commerce\/sessions)|http\/agent\/(card|limits|watch|wallets|gasless\/pending))/
/** They need programs of others, which are installed meanwhile. */
const NEEDY =
  /^test\/(browser|books)\/|\/litecoin[^/]*$|clients\.test\.ts$|^test\/journal-|\/(verify-export|developer)\.test\.ts$/
/** They read every source of the project, which a process parses once. */
const READERS = /^test\/(architecture|house|requirements|http\/refusal-words)\.test\.ts$/
/**
 * They compute for a second without a pause, look at what their whole process does, set its clock, or have both ends of
 * a connection with time limits of tenths of a second, so that no other file runs in it meanwhile.
 */
const ALONE = [
  READERS,
  /^test\/(ap2|domain|mutate|store|storefront)\//,
  /^test\/(catalogue|faults\/clock)\.test\.ts$/,
  /^test\/(chains\/(bitcoin|solana-scan)|http\/(agent\/bounds|body|described|pages\/parts))\.test\.ts$/,
]
/** MB of long-lived objects below which a test process collects none of them: less where less than 24 GB is free. */
const OLD_SPACE_MB = Math.min(2_000, Math.floor(process.availableMemory() / 12e6))
/**
 * What the processes of tests are started with: they collect seldom, which saves a twelfth of the run, and end with 1
 * to 1.5 GB each.
 */
const NODE_ARGUMENTS = [
  `--initial-old-space-size=${OLD_SPACE_MB}`,
  '--min-semi-space-size=32',
  '--max-semi-space-size=64',
]
/** How long ava waits without a test that ends; the longest of the deep ones set limits of their own below this. */
const DEEP_TIMEOUT = '30m'
/** A folder in memory. A test that asks for a flush to the disk waits for nothing there, which saves a tenth. */
const MEMORY = '/dev/shm'
/** Where TEST_ONLY is given, only the files of this pattern run, together as in the whole run. */
const ONLY = process.env.TEST_ONLY ? new RegExp(process.env.TEST_ONLY) : undefined
/** What the tests write at the same time, several times over. */
const ROOM_BYTES = 6 * 2 ** 30
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

if (!process.env.TMPDIR && (await hasRoom(MEMORY))) process.env.TMPDIR = MEMORY

const given = process.argv.slice(2).filter((argument) => argument !== '--deep')
const files = given.filter((argument) => argument.endsWith('.ts'))
const deep = process.argv.includes('--deep') || files.some((file) => file.endsWith('.deep.test.ts'))
const depth = deep ? [`--timeout=${DEEP_TIMEOUT}`] : []
const runs = (part: string) => files.length === 0 || files.some((file) => file.includes(part))
if (files.length > 0 || deep) {
  if (runs('browser/')) provideChromium(deep)
  if (runs('clients')) provideClients(strict || deep || files.length > 0)
  if (deep ? runs('oidc/clients') : files.some((file) => file.includes('*clients'))) provideSignInClients()
  if (runs('chains/')) provideLitecoind()
  if (deep && runs('observing/')) provideWatchers()
  if (deep && runs('deploy/')) provideDeployPrograms()
  if (runs('journal-') || runs('books/')) provideAccountants()
}
const compiled = provideCompiled()
let provided: Promise<unknown> = Promise.resolve()
try {
  await withTestServer(async ({ url, socketDir, dir }) => {
    if (files.length === 0) provided = provideBeside(dir)
    await compiled
    if (socketDir !== undefined) process.env.TEST_POSTGRES_SOCKET = socketDir
    const together = files.length === 0 ? await shareOut(dir) : []
    if (interrupted === undefined) process.exitCode = await runTests(url, together)
    // An installation that is broken off leaves the next one with a broken list of packages.
    await provided
  })
} finally {
  await rm(TOGETHER, { recursive: true, force: true })
}
if (interrupted !== undefined) process.exitCode = interrupted

/** Whether there is such a folder, with room for all that tests write. */
async function hasRoom(folder: string): Promise<boolean> {
  const room = await statfs(folder).catch(() => undefined)
  return room !== undefined && room.bavail * room.bsize >= ROOM_BYTES
}

/** Installs what is missing while the tests run that need none of it; a file in the folder says when it is there. */
async function provideBeside(dir: string): Promise<void> {
  if (!deep) {
    const provide = fileURLToPath(new URL('support/provide.ts', import.meta.url))
    const child = spawn(process.execPath, [provide, ...(strict ? ['strict'] : [])], { stdio: 'inherit' })
    await once(child, 'exit')
  }
  await writeFile(join(dir, PROVIDED), '')
}

/**
 * Writes the files by which AVA's processes share out all test files (support/together.ts); answers where they stand.
 */
async function shareOut(dir: string): Promise<readonly string[]> {
  await rm(TOGETHER, { recursive: true, force: true })
  const all = await Array.fromAsync(
    glob('test/**/*.test.ts', { exclude: (name) => name === 'node_modules' || name === 'together' }),
  )
  const chosen = all.filter((file) => (deep || !file.endsWith('.deep.test.ts')) && (ONLY?.test(file) ?? true))
  const isAlone = (file: string) => ALONE.some((each) => each.test(file))
  const readers = chosen.filter((file) => READERS.test(file))
  const alone = chosen.filter((file) => isAlone(file) && !READERS.test(file))
  const shared = chosen.filter((file) => !isAlone(file))
  const needy = shared.filter((file) => NEEDY.test(file))
  const others = shared.filter((file) => !NEEDY.test(file))
  const first = others.filter((file) => FIRST.test(file))
  const rest = others.filter((file) => !FIRST.test(file))
  // Those that mostly wait come among others, so that not all processes wait at once; those that need what is being
  // installed come late enough for it, and early enough that the last to run are short.
  const early = inTurns(first, rest.slice(0, rest.length / 2))
  const each = [...alone, ...early, ...needy, ...rest.slice(rest.length / 2)]
  const list = [readers, ...each.map((file) => [file])]
    .filter((files) => files.length > 0)
    .map(
      (files): Turn => ({
        files: files.map((file) => resolve(file)),
        alone: files.every(isAlone),
        waits: files.some((file) => NEEDY.test(file)),
      }),
    )
  await writeFile(join(dir, 'files.json'), JSON.stringify(list))
  await mkdir(TOGETHER, { recursive: true })
  const call = `takeFiles(${JSON.stringify(dir)}, ${deep ? DEEP_FILES_PER_PROCESS : chosen.length})`
  const processes = deep ? Math.ceil(chosen.length / DEEP_FILES_PER_PROCESS) : PROCESSES
  for (let n = 1; n <= processes; n++)
    await writeFile(
      new URL(`${n}.test.ts`, TOGETHER),
      `import { takeFiles } from '../support/together.ts'\n\n${call}\n`,
    )
  return [fileURLToPath(new URL('*.test.ts', TOGETHER))]
}

/** One of each in turn, and then what is left of the longer list. */
function inTurns(one: readonly string[], other: readonly string[]): readonly string[] {
  return Array.from({ length: Math.max(one.length, other.length) }, (_, n) => [one[n], other[n]])
    .flat()
    .filter((file) => file !== undefined)
}

async function runTests(url: string, together: readonly string[]): Promise<number> {
  const { code, counts } = await runAva(url, together)
  let failed = code === 0 ? counts.failed : Math.max(counts.failed, 1)
  if (strict && counts.skipped > 0) {
    console.log(`${counts.skipped} skipped or left to do, which fails in CI`)
    failed += counts.skipped
  }
  console.log(`${counts.passed} passed, ${failed} failed`)
  return code || (failed > 0 ? 1 : 0)
}

async function runAva(url: string, together: readonly string[]): Promise<{ code: number; counts: Counts }> {
  const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
  const env = {
    ...process.env,
    ...colour,
    TEST_POSTGRES_URL: url,
    NODE_COMPILE_CACHE: COMPILED,
    TEST_DEPTH: deep ? 'deep' : 'quick',
  }
  const atOnce = together.length > 0 && !deep ? [`--concurrency=${PROCESSES}`] : []
  const node = `--node-arguments=${NODE_ARGUMENTS.join(' ')}`
  const child = spawn(process.execPath, [AVA, node, ...depth, ...atOnce, ...together, ...given], {
    env,
    stdio: ['inherit', 'pipe', 'inherit'],
  })
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
