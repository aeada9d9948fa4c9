/**
 * `npm run bench [-- --json] [--only append,door] [--size small|full] [--rounds 5]`: Daybook beside its references, in
 * one run. With `--against <commit>` beside that commit of itself instead; exits 1 when it is slower.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command, Option } from 'commander'
import { checkOut } from './checkout.ts'
import { endChildren } from './children.ts'
import { compare } from './comparison.ts'
import { startPace } from './pace.ts'
import { ROUNDS_MIN } from './ratio.ts'
import { asMarkdown, machine, racesAsMarkdown, type SetReport } from './report.ts'
import { sets } from './sets.ts'
import { type Ground, onStage, openGround, ROOT, type Size } from './stage.ts'
import type { Pace } from './steady.ts'
import { isNoSlower, type Race, race } from './versions.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const ROUNDS = { peers: 5, versions: 11 }
const ROUNDS_MAX = 100
/** The sets whose bar is to be no slower than before. */
const VERSIONED = 'door,verify'
/** Milliseconds that an interrupted run may take to close what it has opened. */
const CLOSING_MS = 60_000
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

const program = new Command('bench')
  .option('--json', 'print the report as JSON')
  .option('--only <sets>', `some of ${sets.map(({ name }) => name).join(',')}`)
  .option('--against <commit>', `compare with the service of another commit; ${VERSIONED} unless --only says more`)
  .addOption(new Option('--size <size>', 'small takes under 5 minutes').choices(['small', 'full']).default('small'))
  .option('--rounds <number>', `times each contestant runs (${ROUNDS.peers}, or ${ROUNDS.versions} with --against)`)
  .parse()
const options = program.opts<{ json?: boolean; only?: string; against?: string; size: Size; rounds?: string }>()
const { against, size } = options
const names = (options.only ?? (against === undefined ? undefined : VERSIONED))?.split(',')
const wanted = sets.filter(({ name }) => names === undefined || names.includes(name))
const rounds = Number(options.rounds ?? (against === undefined ? ROUNDS.peers : ROUNDS.versions))
check()

let interrupted: number | undefined
for (const [signal, code] of Object.entries(SIGNALS))
  process.on(signal, () => {
    if (interrupted !== undefined) process.exit(code)
    interrupted = code
    endChildren()
    setTimeout(() => process.exit(code), CLOSING_MS).unref()
  })

const started = Date.now()
const say = (line: string) => process.stderr.write(`${line}\n`)
try {
  const ground = await openGround()
  try {
    await (against === undefined ? besidePeers(ground) : againstCommit(ground, against))
  } finally {
    await ground.stop()
  }
} catch (error) {
  if (interrupted === undefined) throw error
}
if (interrupted !== undefined) process.exitCode = interrupted

function check(): void {
  const unknown = names?.filter((name) => !sets.some((set) => set.name === name)) ?? []
  if (unknown.length > 0) program.error(`there is no set ${unknown.join(', ')}`)
  const least = against === undefined ? 1 : ROUNDS_MIN
  if (!Number.isInteger(rounds) || rounds < least || rounds > ROUNDS_MAX)
    program.error(`--rounds is a whole number from ${least} to ${ROUNDS_MAX}`)
  const fixed = against === undefined ? [] : wanted.filter(({ versioned }) => !versioned).map(({ name }) => name)
  const comparable = sets.filter(({ versioned }) => versioned).map(({ name }) => name)
  if (fixed.length > 0) program.error(`${fixed.join(', ')}: with --against only ${comparable.join(', ')} can be run`)
  if (existsSync(`${FOLDER}node_modules/.package-lock.json`)) return
  process.stderr.write('installing the peers that Daybook is measured beside\n')
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: ['ignore', 2, 2] })
}

/** The facts that every report begins with. */
function run() {
  const at = new Date(started).toISOString()
  return { at, size, machine: machine(), seconds: (Date.now() - started) / 1000 }
}

function print(report: object, markdown: string): void {
  process.stdout.write(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : markdown)
}

async function besidePeers(ground: Ground): Promise<void> {
  const { pace, stop } = await startPace()
  try {
    await reportOn(ground, pace)
  } finally {
    await stop()
  }
}

async function reportOn(ground: Ground, pace: Pace): Promise<void> {
  const reports: SetReport[] = []
  for (const set of wanted) {
    const outcomes = await onStage(set, ground, {
      size,
      root: ROOT,
      peers: true,
      compare: async (comparison) => [await compare(comparison, rounds, { pace, say })],
    })
    reports.push({ set: set.name, title: set.title, outcomes })
  }
  const report = { ...run(), sets: reports }
  print(report, asMarkdown(report))
}

async function againstCommit(ground: Ground, name: string): Promise<void> {
  const { commit, root, remove } = await checkOut(name)
  try {
    const races: Race[] = []
    for (const set of wanted) races.push(...(await race(set, ground, root, { size, rounds, say })))
    const report = { ...run(), commit, races }
    print(report, racesAsMarkdown(report))
    if (!races.every(isNoSlower)) process.exitCode = 1
  } finally {
    await remove()
  }
}
