import { hashBytes } from '../../adapters/audit/hash.ts'
import type { SignedHead } from '../../adapters/audit/head.ts'
import type { Sql } from '../../adapters/postgres/connect.ts'
import type { LogStore } from '../../adapters/store/origin.ts'
import { SEALS_STREAM, type SealEvents } from '../../domain/log/seals.ts'
import { SERVING } from '../../projections/schema.ts'
import { readSealWitness } from '../seal-witness.ts'
import type { LogReach } from './log.ts'
import { events, type Part, partOf } from './part.ts'

/** The newest head that the witness has seen; undefined before the first, and a text where its file is not one of ours. */
export type WitnessReach = { readonly head: SignedHead | undefined; readonly damage?: string }

export const readWitness = (file: string): WitnessReach => {
  try {
    return { head: readSealWitness(file)?.head }
  } catch (error) {
    return { head: undefined, damage: (error as Error).message }
  }
}

/**
 * Holds the newest witnessed head against the log's own seal of the same size. `sql` is that of a database that fits the
 * log, so that its row can stand for the event; without it the log is read from the witnessed place on.
 */
export const witnessPart = async (
  { head, damage }: WitnessReach,
  { store, sql }: { store: LogStore; sql: Sql | undefined },
  log: LogReach,
): Promise<Part> => {
  if (damage !== undefined)
    return partOf('witness', { reach: 'unreadable', fits: false, misfit: 'witness-unreadable', says: damage })
  if (!head) return partOf('witness', { reach: 'none yet', fits: true })
  const known = { whose: head.log, reach: `${events(head.size)} · ${shortRoot(head)}`, at: head.sealedAt }
  const wrong = (misfit: NonNullable<Part['misfit']>, says: string) =>
    partOf('witness', { ...known, fits: false, misfit, says })
  if (!log.head) return wrong('log-gone', 'the log is empty')
  const order = BigInt(head.order)
  if (order > log.head.order) return wrong('log-older', 'the log ends before')
  const seal = (sql && (await sealRow(sql, head.size))) ?? (await sealFrom(store, log, head))
  if (!seal) return wrong('log-older', 'the log has no seal of that size')
  if (seal.log !== head.log) return wrong('another-log', `it has seen the log ${head.log}`)
  const same = seal.size === head.size && seal.root === head.root
  return same ? partOf('witness', { ...known, fits: true }) : wrong('log-parted', 'the log was sealed otherwise')
}

type Seal = Pick<SignedHead, 'log' | 'size' | 'root'>

const sealRow = async (sql: Sql, size: number): Promise<Seal | undefined> => {
  const [there] = await sql<{ there: boolean }[]>`select to_regclass(${`${SERVING}.seals`}) is not null as there`
  if (!there?.there) return undefined
  const [row] = await sql<Seal[]>`
    select log, size::float8 as size, root from ${sql(SERVING)}.seals where size = ${size}`
  return row
}

/** The first seal after the place that the head covers that covers as many events, or more; it comes soon after it. */
const sealFrom = async (store: LogStore, log: LogReach, { order, size }: SignedHead): Promise<Seal | undefined> => {
  const after = BigInt(order) - log.base
  // What was copied from another store has no position that could be told from its order, so it is looked for from the start.
  const known = after >= 0n && (await log.at(after)) !== undefined
  for await (const page of store.readAll(known ? after : -1n))
    for (const { stream, type, data } of page) {
      if (stream !== SEALS_STREAM || type !== 'LogSealed') continue
      const seal = data as SealEvents['LogSealed']
      if (seal.size >= size) return seal
    }
  return undefined
}

const SHOWN_HEX = 12

const shortRoot = ({ root }: SignedHead): string => hashBytes(root)?.toString('hex').slice(0, SHOWN_HEX) ?? ''
