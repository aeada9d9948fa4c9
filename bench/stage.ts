import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect, type Sql } from '../adapters/postgres/connect.ts'
import { startEmbeddedPostgres } from '../adapters/postgres/embedded.ts'
import type { Comparison, Outcome } from './comparison.ts'
import { temporaryFolder } from './folder.ts'

export type Size = 'small' | 'full'

/**
 * The means by which a set measures. For everything that it opens, the set gives `closing` a function; these are called
 * in reverse at the end of the set.
 */
export type Stage = {
  readonly size: Size
  /** The folder whose service is measured. */
  readonly root: string
  /** Whether there are contestants besides the service; when two versions of it are compared there are none. */
  readonly peers: boolean
  /** The figure for this size: `pick(10_000, 1_000_000)`. */
  pick<T>(small: T, full: T): T
  /** A folder of the set's own, on the disk that is measured. */
  readonly dir: string
  /** A fresh database on a durable PostgreSQL (fsync and synchronous_commit on), one server for the whole run. */
  database(): Promise<BenchDatabase>
  compare(comparison: Comparison): Promise<void>
  closing(close: () => unknown): void
}

/** It is dropped when the set ends, or before. */
type BenchDatabase = { readonly url: string; readonly sql: Sql; drop(): Promise<void> }

export type BenchSet = {
  readonly name: string
  readonly title: string
  /**
   * Contestants that are the service of `Stage.root`, driven by HTTP alone, or the worker of its own bench: these can
   * be compared with another version's.
   */
  readonly versioned?: readonly string[]
  run(stage: Stage): Promise<void>
}

export type Settings = {
  readonly size: Size
  readonly root: string
  readonly peers: boolean
  compare(comparison: Comparison): Promise<readonly Outcome[]>
}
/** This version of the product. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** A set may have four processes of the service at once, which take up to 21 each (docs/operations.md). */
const CONNECTIONS = 120

/** The server that all sets share; its folder is gone after `stop`. */
export const openGround = async () => {
  const { dir, remove } = await temporaryFolder('daybook-bench-')
  const server = await startEmbeddedPostgres({ dir: join(dir, 'postgres'), durable: true, connections: CONNECTIONS })
  return {
    dir,
    postgresUrl: server.url,
    async stop() {
      await server.stop()
      await remove()
    },
  }
}
export type Ground = Awaited<ReturnType<typeof openGround>>

/** Runs one set on a stage of its own. */
export const onStage = async (set: BenchSet, ground: Ground, settings: Settings): Promise<Outcome[]> => {
  const { size, root, peers } = settings
  const outcomes: Outcome[] = []
  const closers: (() => unknown)[] = []
  const dir = await mkdtemp(join(ground.dir, `${set.name}-`))
  const stage: Stage = {
    size,
    root,
    peers,
    pick: (small, full) => (size === 'small' ? small : full),
    dir,
    database: () => freshDatabase(ground.postgresUrl, (close) => closers.push(close)),
    compare: async (comparison) => void outcomes.push(...(await settings.compare(comparison))),
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

const freshDatabase = async (server: string, closing: (close: () => unknown) => void): Promise<BenchDatabase> => {
  const admin = connect(server, { max: 1 })
  const name = `bench_${process.pid}_${databases++}`
  await admin`create database ${admin(name)}`
  const url = new URL(server)
  url.pathname = `/${name}`
  const sql = connect(url.href)
  let dropping: Promise<void> | undefined
  const remove = async () => {
    await sql.end({ timeout: 1 })
    await admin`drop database ${admin(name)} with (force)`
    await admin.end({ timeout: 1 })
  }
  const drop = () => (dropping ??= remove())
  closing(drop)
  return { url: url.href, sql, drop }
}
