/**
 * The long run: `npm run faults -- --rounds 200 [--seed N] [--only kills,…] [--processes 3]`. Exits 1 on any loss,
 * double or difference.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../../adapters/postgres/embedded.ts'
import { chanceOf } from './chance.ts'
import { clock } from './clock.ts'
import { cuts } from './cuts.ts'
import { diskByLimit, diskByMount } from './disk.ts'
import { kills } from './kills.ts'
import { faultsOf, isSound, type Kind, lineOf } from './outcome.ts'
import { postgresElsewhere, postgresEmbedded } from './postgres.ts'
import { several } from './several.ts'
import { skips } from './skips.ts'

const ROUNDS = '20'
/** Processes beside each other, where several serve. */
const PROCESSES = '3'
/** Services that run at the same time share one server. */
const CONNECTIONS = 300
const FAULTS_SHOWN_MAX = 20

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: ROUNDS },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    only: { type: 'string' },
    processes: { type: 'string', default: PROCESSES },
  },
})
/** Each with the share of the rounds that it plays: a restart of a database takes longer than a cut. */
const kinds: Readonly<Record<string, { share: number; kind: Kind }>> = {
  'kills on the embedded store': { share: 0.5, kind: kills('embedded') },
  'kills on EventStoreDB': { share: 0.5, kind: kills('eventstoredb') },
  'postgres elsewhere': { share: 0.1, kind: postgresElsewhere },
  'postgres embedded': { share: 0.1, kind: postgresEmbedded },
  'disk by a limit': { share: 0.1, kind: diskByLimit },
  ...(process.getuid?.() === 0 && { 'disk by a mount': { share: 0.1, kind: diskByMount } }),
  clock: { share: 0.1, kind: clock },
  skips: { share: 0.1, kind: skips },
  cuts: { share: 0.25, kind: cuts },
  'several processes': { share: 0.2, kind: several(Number(values.processes)) },
}

const seed = Number(values.seed)
const only = values.only?.split(',')
console.log(`seed ${seed}`)

const dir = mkdtempSync(join(tmpdir(), 'daybook-faults-'))
const postgres = await startEmbeddedPostgres({ dir, durable: false, connections: CONNECTIONS })
process.env.TEST_POSTGRES_URL = postgres.url
const lines: string[] = []
try {
  for (const [name, { share, kind }] of Object.entries(kinds))
    if (!only || only.some((each) => name.startsWith(each))) lines.push(await played(name, share, kind))
} finally {
  await postgres.stop()
  rmSync(dir, { recursive: true, force: true })
}
console.log(`\nseed ${seed}\n${lines.join('\n')}`)

async function played(name: string, share: number, kind: Kind): Promise<string> {
  const rounds = Math.max(1, Math.round(Number(values.rounds) * share))
  const start = performance.now()
  const progress = (line: string) => console.log(`${name}: ${line}`)
  try {
    const outcome = await kind({ seed, rounds, brief: false, progress }, chanceOf(seed))
    if (!isSound(outcome)) process.exitCode = 1
    for (const fault of faultsOf(outcome).slice(0, FAULTS_SHOWN_MAX)) console.log(`${name}: ${fault} (seed ${seed})`)
    return `${lineOf(name, outcome)} (${Math.round((performance.now() - start) / 1_000)} s)`
  } catch (error) {
    process.exitCode = 1
    console.error(error)
    return `${name}: could not be played (seed ${seed}): ${(error as Error).message}`
  }
}
