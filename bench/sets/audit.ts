import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type AccountantRun, accountantRuns } from '../accountants.ts'
import type { Contestant, Goal } from '../comparison.ts'
import type { BenchSet, Stage } from '../stage.ts'
import type { AuditAnswer, AuditQuestion } from '../subjects/audit.ts'
import type { SealedLogAnswer, SealedLogQuestion } from '../subjects/sealed-log.ts'
import { wholeRun } from '../whole-process.ts'
import { startWorker, type Worker } from '../worker.ts'

/**
 * A sealed log of sales, checked as `daybook audit verify` checks it: beside the least that such a check can cost, and
 * beside the programs of accountants over the journal of the same sales.
 */

const SALES = { small: [2_000, 10_000], full: [11_112, 111_112] } as const
/** Sales of which nothing but the two events that move money are written. */
const MONEY_SALES = { small: 10_000, full: 100_000 } as const
/** Sales of a round in which the log is appended to, and then sealed. */
const ROUND_SALES = { small: 500, full: 5_000 } as const
const LIMIT_MS = 3_600_000

const CEILING = 'JSON.parse and SHA-256 of each line, in memory'
const VERIFY = 'daybook audit verify'
const BOOKS = 'daybook books'
const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
/** The sources of the lines, each with its LOG_MIRROR. */
const SOURCES = { 'the embedded log': 'off', 'the mirror': 'on' } as const

export const audit: BenchSet = {
  name: 'audit',
  title: 'Sealing the log, and checking it',
  async run(stage) {
    const [few, many] = SALES[stage.size]
    const small = await sealedLog(stage, few, 'all')
    const large = await sealedLog(stage, many, 'all')
    const money = await sealedLog(stage, MONEY_SALES[stage.size], 'money')
    await sealing(stage)
    await checking(stage, small, large)
    await beside(stage, large, 'events of sales, of which two in nine move money')
    await beside(stage, money, 'events, each of which moves money')
  },
}

type SealedLog = { readonly dir: string; readonly url: string; readonly journal: string; readonly events: number }

const filler = async (stage: Stage, name: string, steps: 'all' | 'money' = 'all') => {
  const dir = `${stage.dir}/${name}`
  await mkdir(dir)
  const { url } = await stage.database()
  const worker = startWorker('subjects/sealed-log.ts', [dir, url, steps])
  stage.closing(() => worker.stop())
  const ask = (question: SealedLogQuestion) => worker.ask<SealedLogAnswer>(question, LIMIT_MS)
  return { dir, url, worker, ask }
}

const sealedLog = async (stage: Stage, sales: number, steps: 'all' | 'money'): Promise<SealedLog> => {
  const { dir, url, worker, ask } = await filler(stage, `${steps}-${sales}`, steps)
  const journal = `${dir}/sales.journal`
  const filled = await ask({ what: 'fill', sales })
  const { events, ms } = await ask({ what: 'finish', journal })
  await worker.stop()
  const seconds = `log ${(filled.ms / 1_000).toFixed(1)} s, mirror and journal ${(ms / 1_000).toFixed(1)} s`
  process.stderr.write(`${counted(events)} sealed events: ${seconds}\n`)
  return { dir, url, journal, events }
}

const counted = (count: number) => count.toLocaleString('en-US')

/** Measures what seals cost the service beside what the events themselves cost. */
const sealing = async (stage: Stage) => {
  const { ask } = await filler(stage, 'sealing')
  const sales = ROUND_SALES[stage.size]
  const spent = { append: { cpuMs: 0, events: 0 }, seal: { cpuMs: 0, events: 0 } }
  const round = (what: 'append' | 'seal') => async () => {
    if (what === 'seal') await ask({ what: 'append', sales })
    else await ask({ what: 'seal' })
    const { events, ms, cpuMs } = await ask(what === 'seal' ? { what } : { what, sales })
    spent[what].cpuMs += cpuMs
    spent[what].events += events
    return { rate: events / (ms / 1_000) }
  }
  const names = { append: 'appended to the embedded log, 64 in flight', seal: 'sealed, 1,000 a seal' } as const
  const cpu = (what: 'append' | 'seal') => (spent[what].cpuMs * 1_000) / spent[what].events
  await stage.compare({
    title: 'Events that come, and their seals',
    unit: 'events',
    contestants: (['append', 'seal'] as const).map((what) => ({ name: names[what], round: round(what) })),
    goals: [],
    details: async () => [
      `CPU of an event: ${cpu('append').toFixed(1)} µs to append it, ${cpu('seal').toFixed(1)} µs to seal it`,
    ],
  })
}

const checking = async (stage: Stage, small: SealedLog, large: SealedLog) => {
  const sources = Object.entries(SOURCES)
  const name = (source: string, { events }: SealedLog) => `verify from ${source}, ${counted(events)} events`
  await stage.compare({
    title: `A log of ${counted(large.events)} sealed events of sales; peak MB is resident memory of the process that checks`,
    unit: 'events',
    contestants: [
      ...[large, small].flatMap((log) =>
        sources.map(([source, mirror]) => looking(stage, log, name(source, log), { what: 'verify' }, mirror)),
      ),
      looking(stage, large, CEILING, { what: 'ceiling' }, 'on'),
    ],
    goals: sources.flatMap(([source]): Goal[] => [
      { subject: name(source, large), reference: CEILING, atLeast: 0.55 },
      { subject: name(source, large), figure: 'peakMb', atMost: 200 },
      { subject: name(source, large), reference: name(source, small), figure: 'peakMb', atMost: 1.25 },
    ]),
  })
}

/** Each round has a process of its own, so that its memory is what one check takes. */
const looking = (
  stage: Stage,
  { dir }: SealedLog,
  name: string,
  question: AuditQuestion,
  mirror: string,
): Contestant => ({
  name,
  round: async () => {
    const { events, ms, peakMb } = await looked(stage, dir, question, mirror)
    return { rate: events / (ms / 1_000), ...(question.what === 'verify' && { peakMb }) }
  },
})

const looked = async (stage: Stage, dir: string, question: AuditQuestion, mirror: string): Promise<AuditAnswer> => {
  const worker: Worker = startWorker('subjects/audit.ts', [dir, mirror])
  stage.closing(() => worker.stop())
  const answer = await worker.ask<AuditAnswer>(question, LIMIT_MS)
  await worker.stop()
  return answer
}

/** Compares whole processes, from start to end; those of accountants read only the events that move money. */
const beside = async (stage: Stage, log: SealedLog, what: string) => {
  const { balances = [] } = await looked(stage, log.dir, { what: 'balances' }, 'on')
  const ours = new Map(balances.map(([name, units]) => [name, BigInt(units)]))
  const runs = accountantRuns()
  const atLeast = { hledger: 10, ledger: 3 } as const
  await stage.compare({
    title: `${counted(log.events)} ${what}, and the journal of the same sales; each a whole process`,
    unit: 'runs',
    contestants: [
      { name: VERIFY, round: () => command(log, ['audit', 'verify'], ({ whole, balanced }) => whole && balanced) },
      { name: BOOKS, round: () => command(log, ['books'], ({ balanced }) => balanced) },
      ...runs.map((run) => asked(run, log, ours)),
    ],
    goals: runs.flatMap(({ name: reference, program }) =>
      [VERIFY, BOOKS].map((subject) => ({ subject, reference, atLeast: atLeast[program] })),
    ),
  })
}

type Told = { readonly whole?: boolean; readonly balanced?: boolean }

const command = async ({ dir, url }: SealedLog, args: readonly string[], fits: (told: Told) => boolean | undefined) => {
  const env = { DATA_DIR: dir, DATABASE_URL: url, LOG_MIRROR: 'on', LOG_LEVEL: 'silent' }
  const { ms, peakMb, stdout } = await wholeRun(process.execPath, [CLI, ...args, '--json'], LIMIT_MS, env)
  if (!fits(JSON.parse(stdout) as Told)) throw new Error(`daybook ${args.join(' ')}: ${stdout}`)
  return { rate: 1_000 / ms, p50: ms, peakMb }
}

const asked = (
  { name, run }: AccountantRun,
  { journal }: SealedLog,
  ours: ReadonlyMap<string, bigint>,
): Contestant => ({
  name,
  round: async () => {
    const { ms, peakMb, balances = ours } = await run(journal)
    const names = new Set([...ours.keys(), ...balances.keys()])
    const other = [...names].find((of) => (ours.get(of) ?? 0n) !== (balances.get(of) ?? 0n))
    if (other) throw new Error(`${name} has ${balances.get(other)} of ${other}, the log ${ours.get(other)}`)
    return { rate: 1_000 / ms, p50: ms, peakMb }
  },
})
