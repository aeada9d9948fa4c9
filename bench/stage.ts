import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Sql } from '../adapters/postgres/connect.ts'
import { startEmbeddedPostgres } from '../adapters/postgres/embedded.ts'
import { type Comparison, compare, type Outcome } from './comparison.ts'

export type Size = 'small' | 'full'

/** What a set is given to measure with. Everything it opens it hands to `closing`, which is called in reverse at the end of the set. */
export type Stage = {
  readonly size: Size
  /** The figure for this size: `pick(10_000, 1_000_000)`. */
  pick<T>(small: T, full: T): T
  /** A folder of the set's own, on the disk that is measured. */
  readonly dir: string
  /** A fresh database on a durable PostgreSQL (fsync and synchronous_commit on), one server for the whole run. */
  database(): Promise<{ readonly url: string; readonly sql: Sql }>
  compare(comparison: Comparison): Promise<void>
  closing(close: () => unknown): void
}

export type BenchSet = { readonly name: string; readonly title: string; run(stage: Stage): Promise<void> }

export type Settings = { readonly size: Size; readonly rounds: number; say(line: string): void }

/** The server that all sets share; its folder is gone after `stop`. */
export const openGround = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'daybook-bench-'))
  const server = await startEmbeddedPostgres({ dir: join(dir, 'postgres'), durable: true })
  return {
    dir,
    postgresUrl: server.url,
    async stop() {
      await server.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
export type Ground = Awaited<ReturnType<typeof openGround>>

/** Runs one set on a stage of its own. */
export const onStage = async (set: BenchSet, ground: Ground, { size, rounds, say }: Settings): Promise<Outcome[]> => {
  const outcomes: Outcome[] = []
  const closers: (() => unknown)[] = []
  const dir = await mkdtemp(join(ground.dir, `${set.name}-`))
  const stage: Stage = {
    size,
    pick: (small, full) => (size === 'small' ? small : full),
    dir,
    database: () => freshDatabase(ground.postgresUrl, (close) => closers.push(close)),
    compare: async (comparison) => void outcomes.push(await compare(comparison, rounds, say)),
    closing: (close) => void closers.push(close),
  }
  try {
    await set.run(stage)
  } finally {
    for (const close of closers.reverse()) await close()
    await rm(dir, { recursive: true, force: true })
  }
  return outcomes
}

let databases = 0

const freshDatabase = async (server: string, closing: (close: () => unknown) => void) => {
  const admin = connect(server, { max: 1 })
  const name = `bench_${process.pid}_${databases++}`
  await admin`create database ${admin(name)}`
  const url = new URL(server)
  url.pathname = `/${name}`
  const sql = connect(url.href)
  closing(async () => {
    await sql.end({ timeout: 1 })
    await admin`drop database ${admin(name)} with (force)`
    await admin.end({ timeout: 1 })
  })
  return { url: url.href, sql }
}
