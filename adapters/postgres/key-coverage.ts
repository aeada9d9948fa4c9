/** Whether the vault has a row for every subject that the log has sealed a value for. */
import { SERVING } from '../../projections/engine/schema.ts'
import { createTables, type Sql } from './connect.ts'

export type KeyCoverage = {
  /** Subjects that the read models have seen a sealed value of. */
  readonly subjects: number
  /** The subjects among them that have neither an open nor an erased key. */
  readonly missing: number
}

/**
 * Subjects whose numbers are compared with those of the vault: the vault of another ledger has other subjects there.
 */
const COMPARED = 16

/**
 * Counts by the newest numbers of each side and by the subjects that were found without a key, which takes two looks
 * into an index. Every subject is looked up with `whole`, and whenever the vault has not numbered the newest subjects
 * as the read models have, as it is after a restore.
 */
export const keyCoverage = async (sql: Sql, whole = false): Promise<KeyCoverage> => {
  const tables = await tablesOf(sql)
  if (!tables.subjects) return { subjects: 0, missing: 0 }
  if (!tables.keys || !tables.places) {
    const subjects = await countSubjects(sql)
    return { subjects, missing: tables.keys ? await countMissing(sql) : subjects }
  }
  const { subjects, alike, noted } = await newestNumbers(sql)
  const areNumberedAlike = alike === Math.min(subjects, COMPARED)
  return { subjects, missing: whole || !areNumberedAlike ? await countMissing(sql) : noted }
}

/**
 * Marks everybody who has a sealed value and no key as lost: nothing is sealed for them any more, and what was sealed
 * reads as lost. Answers how many they are.
 */
export const markLost = async (sql: Sql): Promise<number> =>
  sql.begin(async (tx) => {
    await tx`set local synchronous_commit = on`
    const lost = await tx`
      insert into daybook_vault.data_keys (subject, wrapped, erased_at, lost_at, place)
      select s.subject, '', now(), now(), s.number from ${tx(SERVING)}.sealed_subjects s
      where not exists (select from daybook_vault.data_keys k where k.subject = s.subject)`
    await tx`delete from daybook_vault.missing_keys`
    return lost.count
  })

/**
 * Numbers the keys of a vault that was put back from a backup without their numbers. It is called once all are there.
 */
export const numberKeys = async (sql: Sql): Promise<void> => {
  const tables = await tablesOf(sql)
  if (!tables.subjects || !tables.places) return
  await createTables(
    sql,
    `update daybook_vault.data_keys k set place = s.number from ${SERVING}.sealed_subjects s
     where k.subject = s.subject and k.place is distinct from s.number
       and (select coalesce(max(place), 0) from daybook_vault.data_keys)
         < (select coalesce(max(number), 0) from ${SERVING}.sealed_subjects where vault = 'all')`,
  )
}

const tablesOf = async (sql: Sql): Promise<{ subjects: boolean; keys: boolean; places: boolean }> => {
  const [row] = await sql<{ subjects: boolean; keys: boolean; places: boolean }[]>`
    select to_regclass(${`${SERVING}.sealed_subjects`}) is not null as subjects,
      to_regclass('daybook_vault.data_keys') is not null as keys,
      to_regclass('daybook_vault.data_keys_place') is not null
        and to_regclass('daybook_vault.missing_keys') is not null as places`
  return row ?? { subjects: false, keys: false, places: false }
}

/** The subjects, how many of the newest the vault has numbered alike, and those that were found without a key. */
const newestNumbers = async (sql: Sql): Promise<{ subjects: number; alike: number; noted: number }> => {
  const [row] = await sql<{ subjects: string; alike: number; noted: number }[]>`
    with newest as (
      select coalesce(max(number), 0) as number from ${sql(SERVING)}.sealed_subjects where vault = 'all'
    )
    select number as subjects,
      (select count(*)::int from ${sql(SERVING)}.sealed_subjects s
        join daybook_vault.data_keys k on k.place = s.number and k.subject = s.subject
        where s.vault = 'all' and s.number > (select number from newest) - ${COMPARED}::bigint) as alike,
      (select count(*)::int from daybook_vault.missing_keys m
        where not exists (select from daybook_vault.data_keys k where k.subject = m.subject)) as noted
    from newest`
  return { subjects: Number(row?.subjects ?? 0), alike: row?.alike ?? 0, noted: row?.noted ?? 0 }
}

const countSubjects = async (sql: Sql): Promise<number> => {
  const [row] = await sql<{ count: string | null }[]>`
    select max(number) as count from ${sql(SERVING)}.sealed_subjects where vault = 'all'`
  return Number(row?.count ?? 0)
}

const countMissing = async (sql: Sql): Promise<number> => {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from ${sql(SERVING)}.sealed_subjects s
    where not exists (select from daybook_vault.data_keys k where k.subject = s.subject)`
  return row?.count ?? 0
}
