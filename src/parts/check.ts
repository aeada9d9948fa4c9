import { readDatabase } from '../../adapters/postgres/checkpoints.ts'
import type { Sql } from '../../adapters/postgres/connect.ts'
import { databasePart } from './database.ts'
import { dataKeysPart, masterKeyPart } from './keys.ts'
import { type LogMemory, type LogReach, type LogReading, logPart, misfitWith, readLog } from './log.ts'
import { mirrorPart, readMirror } from './mirror.ts'
import { type InstallationPart, type Misfit, partOf } from './part.ts'
import { witnessPart } from './witness.ts'

/** The places of the parts of an installation. */
export type PartsPlaces = {
  /** The log itself, and not its mirror. */
  readonly log: LogReading
  /** Undefined where no database was made yet. */
  readonly sql: Sql | undefined
  /** Those of which one may be the master key; none where there is none yet. */
  readonly masterKeys: readonly Buffer[]
  /** The directory of the mirror; undefined where the log is not mirrored. */
  readonly mirror: string | undefined
  /** The journal of heads. */
  readonly witness: string
  /** What a process that runs has seen of the log; a command has seen nothing. */
  readonly memory?: LogMemory | undefined
}
/** The log, and the parts that follow it. */
type LogPlaces = Omit<PartsPlaces, 'masterKeys'>

export type PartsReport = {
  /** Whether the service may start. */
  readonly fits: boolean
  readonly parts: readonly InstallationPart[]
}

/**
 * Holds all parts against the log. When everything is in order it reads a few rows and events, whatever the length of
 * the log; with `whole` it looks up every data key. It changes nothing.
 */
export const checkParts = async (places: PartsPlaces, whole = false): Promise<PartsReport> => {
  const { sql, masterKeys } = places
  const { log, database, mirror, witness } = await partsOfLog(places)
  const keys = sql ? [await dataKeysPart(sql, whole), await masterKeyPart(sql, masterKeys)] : []
  return reportOf([log, database, ...keys, mirror, witness])
}

/**
 * The same of the parts that follow the log, without the keys: whether the log is still the one that they have seen.
 */
export const checkLog = async (places: LogPlaces): Promise<PartsReport> =>
  reportOf(Object.values(await partsOfLog(places)))

const partsOfLog = async ({ log: place, sql, mirror, witness, memory }: LogPlaces) => {
  // The log is looked at last: what follows it may move meanwhile, and is never ahead of it.
  const mirrored = await readMirror(mirror)
  const followed = sql ? await readDatabase(sql) : { followed: undefined, furthest: undefined }
  const [log, misfit] = await readAgain(place, memory)
  const database = sql
    ? await databasePart(sql, followed, log)
    : partOf('database', { reach: 'none yet', fits: true, says: 'it is built from the log' })
  return {
    log: logPart(log, misfit),
    database,
    mirror: await mirrorPart(mirrored, followed, log),
    witness: await witnessPart(witness, place, log),
  }
}

/** Reads the log, and holds it against what this process had seen of it when it began to read. */
const readAgain = async (place: LogReading, memory?: LogMemory): Promise<[LogReach, Misfit | undefined]> => {
  const seen = memory?.newest()
  const log = await readLog(place)
  const misfit = seen && (await misfitWith(seen, log))
  if (misfit === undefined) memory?.see(log.head)
  return [log, misfit]
}

const reportOf = (parts: readonly InstallationPart[]): PartsReport => ({
  fits: parts.every(({ misfit }) => misfit === null),
  parts,
})

/** The log and the database alone, for a command that uses no other part. Throws nothing when they do not fit. */
export const checkDatabase = async (place: PartsPlaces['log'], sql: Sql): Promise<PartsReport> => {
  const followed = await readDatabase(sql)
  const log = await readLog(place)
  const database = await databasePart(sql, followed, log)
  return reportOf([logPart(log), database])
}

/** How long one look serves everybody who asks; every follower of the log asks when it takes its turn. */
const SHARED_MS = 1_000

/** The same check for many askers: a look that was begun within the last second serves them all. */
export const sharedCheck = (check: () => Promise<PartsReport>): (() => Promise<PartsReport>) => {
  let look: Promise<PartsReport> | undefined
  let until = 0
  return () => {
    if (look === undefined || performance.now() >= until) {
      look = check()
      until = performance.now() + SHARED_MS
      look.catch(() => {
        until = 0
      })
    }
    return look
  }
}
