/** What a backup takes from PostgreSQL, and puts back into it: data keys with what tells their master key, pictures. */
import type { TransactionSql } from 'postgres'
import type { Sql } from '../connect.ts'

/** The key of a subject as its row has it; `wrapped` is base64, and empty once the subject is erased. Times are ISO. */
export type DataKeyRow = {
  readonly subject: string
  readonly wrapped: string
  readonly created_at: string
  readonly erased_at: string | null
  readonly lost_at: string | null
}

/** A picture that a seller uploaded; `bytes` is base64. */
export type PictureRow = {
  readonly id: string
  readonly account_id: string
  readonly bytes: string
  readonly created_at: string
}

const KEYS_AT_ONCE = 1_000
/** A picture has a few hundred kilobytes. */
const PICTURES_AT_ONCE = 8

/** What tells under which master key the keys are; `fingerprint` is the wrapped key of fingerprints. Hex. */
export type MasterKeyRow = { readonly proof: string; readonly fingerprint: string | null }

/** Undefined where no vault was opened yet. A table of a former release has no wrapped key of fingerprints. */
export const masterKeyRow = async (sql: Sql): Promise<MasterKeyRow | undefined> => {
  if (!(await isThere(sql, 'daybook_vault.master_key'))) return undefined
  const [row] = await sql<MasterKeyRow[]>`
    select encode(proof, 'hex') as proof, substr(to_jsonb(m) ->> 'fingerprint', 3) as fingerprint
    from daybook_vault.master_key m`
  return row
}

/** Every data key, in the order of the subjects. No row is ever deleted, so that what was there before is there now. */
export async function* dataKeyRows(sql: Sql): AsyncGenerator<DataKeyRow> {
  if (!(await isThere(sql, 'daybook_vault.data_keys'))) return
  for (let after = ''; ; ) {
    const rows = await sql<DataKeyRow[]>`
      select subject, replace(encode(wrapped, 'base64'), e'\n', '') as wrapped, to_json(created_at) #>> '{}' as created_at,
        to_json(erased_at) #>> '{}' as erased_at, to_json(lost_at) #>> '{}' as lost_at
      from daybook_vault.data_keys where subject > ${after} order by subject limit ${KEYS_AT_ONCE}`
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    after = last.subject
  }
}

export async function* pictureRows(sql: Sql): AsyncGenerator<PictureRow> {
  if (!(await isThere(sql, 'daybook_media.pictures'))) return
  for (let after = ''; ; ) {
    const rows = await sql<PictureRow[]>`
      select id, account_id, replace(encode(bytes, 'base64'), e'\n', '') as bytes, to_json(created_at) #>> '{}' as created_at
      from daybook_media.pictures where id > ${after} order by id limit ${PICTURES_AT_ONCE}`
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    after = last.id
  }
}

/** Looked up, because to make the tables would wait for whoever writes to them. */
const isThere = async (sql: Sql, table: string): Promise<boolean> => {
  const [row] = await sql<{ there: boolean }[]>`select to_regclass(${table}) is not null as there`
  return row?.there ?? false
}

/** Writes data keys into a vault that has none, all or nothing. */
export const putDataKeys = async (
  sql: Sql,
  master: MasterKeyRow | undefined,
  rows: AsyncIterable<DataKeyRow>,
): Promise<void> => {
  await sql.begin(async (tx) => {
    await prepare(tx)
    if (master)
      await tx`
        insert into daybook_vault.master_key (proof, fingerprint)
        values (decode(${master.proof}, 'hex'), decode(${master.fingerprint}, 'hex'))
        on conflict (one) do update set proof = excluded.proof, fingerprint = excluded.fingerprint`
    await inGroups(rows, KEYS_AT_ONCE, (group) => putKeys(tx, group))
  })
}

/** A commit that is durable, and a wait for rows that may be that of a slow object store. */
const prepare = async (tx: TransactionSql): Promise<void> => {
  await tx`set local synchronous_commit = on`
  await tx`set local idle_in_transaction_session_timeout = '10min'`
}

const putKeys = async (tx: TransactionSql, group: readonly DataKeyRow[]): Promise<void> => {
  await tx`
    insert into daybook_vault.data_keys (subject, wrapped, created_at, erased_at, lost_at)
    select subject, decode(wrapped, 'base64'), created_at, erased_at, lost_at
    from json_to_recordset(${JSON.stringify(group)}::text::json)
      as given (subject text, wrapped text, created_at timestamptz, erased_at timestamptz, lost_at timestamptz)`
}

/** Writes pictures into a place without any, all or none. */
export const putPictures = async (sql: Sql, rows: AsyncIterable<PictureRow>): Promise<void> => {
  await sql.begin(async (tx) => {
    await prepare(tx)
    await inGroups(rows, PICTURES_AT_ONCE, async (group) => {
      await tx`
        insert into daybook_media.pictures (id, account_id, bytes, created_at)
        select id, account_id, decode(bytes, 'base64'), created_at
        from json_to_recordset(${JSON.stringify(group)}::text::json)
          as given (id text, account_id text, bytes text, created_at timestamptz)`
    })
  })
}

const inGroups = async <T>(
  rows: AsyncIterable<T>,
  size: number,
  act: (group: readonly T[]) => Promise<void>,
): Promise<void> => {
  let group: T[] = []
  for await (const row of rows) {
    group.push(row)
    if (group.length < size) continue
    await act(group)
    group = []
  }
  if (group.length > 0) await act(group)
}
