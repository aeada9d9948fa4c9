/** `npm run bench [-- --json] [--only append,door] [--size small|full] [--rounds 5]`: Daybook beside its references, in one run. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command, Option } from 'commander'
import { asMarkdown, machine, type Report, type SetReport } from './report.ts'
import { sets } from './sets.ts'
import { onStage, openGround, type Size } from './stage.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))

const program = new Command('bench')
  .option('--json', 'print the report as JSON')
  .option('--only <sets>', `some of ${sets.map(({ name }) => name).join(',')}`)
  .addOption(new Option('--size <size>', 'small takes under 5 minutes').choices(['small', 'full']).default('small'))
  .option('--rounds <number>', 'times each contestant runs', '5')
  .parse()
const options = program.opts<{ json?: boolean; only?: string; size: Size; rounds: string }>()

const wanted = options.only?.split(',') ?? sets.map(({ name }) => name)
const unknown = wanted.filter((name) => !sets.some((set) => set.name === name))
if (unknown.length > 0) program.error(`there is no set ${unknown.join(', ')}`)
const rounds = Number(options.rounds)
if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) program.error('--rounds is a whole number from 1 to 100')

if (!existsSync(`${FOLDER}node_modules/.package-lock.json`)) {
  process.stderr.write('installing the peers that Daybook is measured beside\n')
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: ['ignore', 2, 2] })
}

const started = Date.now()
const ground = await openGround()
try {
  const reports: SetReport[] = []
  for (const set of sets.filter(({ name }) => wanted.includes(name))) {
    const say = (line: string) => process.stderr.write(`${line}\n`)
    reports.push({
      set: set.name,
      title: set.title,
      outcomes: await onStage(set, ground, { size: options.size, rounds, say }),
    })
  }
  const at = new Date(started).toISOString()
  const report: Report = {
    at,
    size: options.size,
    machine: machine(),
    seconds: (Date.now() - started) / 1000,
    sets: reports,
  }
  process.stdout.write(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : asMarkdown(report))
} finally {
  await ground.stop()
}
