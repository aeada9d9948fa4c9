import type { ISql, Sql } from 'postgres'
import type { RecordedEvent, SealedText } from '../../domain/kernel/ports.ts'
import type { EventType } from '../../domain/write-side/deciders.ts'
import { type Change, onEach, type Projection, type Table, upsert } from '../engine/projection.ts'

/**
 * Every data subject that the log has sealed a value for, numbered in the order of the log. Without the data key of a
 * subject, its sealed values can never be read again, so that the vault is asked for the key in the very transaction in
 * which the subject is first seen.
 */

const subjects = {
  name: 'sealed_subjects',
  columns: { subject: 'text', vault: 'text', number: 'bigint' },
  key: ['subject'],
  indexes: ['vault, number'],
  numbered: { column: 'number', per: 'vault' },
} as const satisfies Table

/** All subjects are numbered together. */
const VAULT = 'all'

/**
 * The fields in which something is sealed for an account, a person, an app or the service itself for the first time.
 * Later values need no check, because a key that was there once is not lost alone.
 */
const FIRST_SEALED = {
  AccountSignedUp: 'email',
  UserRegistered: 'email',
  SigningSecretSet: 'secret',
  CreditGrantSent: 'description',
  SigningKeyAdded: 'privateKey',
  SealKeyPublished: 'privateKey',
} as const satisfies { readonly [T in EventType]?: string }

export const sealedSubjectsProjection: Projection = {
  name: 'sealed_subjects',
  version: 1,
  tables: [subjects],
  on: onEach(Object.keys(FIRST_SEALED) as (keyof typeof FIRST_SEALED)[], (event) => seen(sealedSubjectOf(event))),
  written: (sql, events) => lookForKeys(sql, events),
}

/** The form of a sealed value: `v1.<subject>.<iv>.<box>`. */
const SEALED = /^v1\.([^.\s]+)\.[\w-]+\.[\w-]+$/

/** The data subject whose key the event's value was sealed under; undefined where it has none. */
export const sealedSubjectOf = ({ type, data }: Pick<RecordedEvent, 'type' | 'data'>): string | undefined => {
  const field = FIRST_SEALED[type as keyof typeof FIRST_SEALED]
  const sealed = field && (data as Record<string, SealedText | null>)[field]
  return SEALED.exec(sealed ?? '')?.[1]
}

const seen = (subject: string | undefined): readonly Change[] =>
  subject === undefined ? [] : [upsert(subjects, { subject, vault: VAULT, number: null }, () => ({}))]

/**
 * Numbers the keys of the vault as their subjects are numbered here, and notes which subjects have none. A vault that
 * was put back from an older backup is found by comparing the highest numbers of both sides.
 */
const lookForKeys = async (sql: ISql, events: readonly RecordedEvent[]): Promise<void> => {
  const touched = events.flatMap((event) => sealedSubjectOf(event) ?? [])
  if (touched.length === 0 || !(await hasVault(sql))) return
  await sql`
    with seen as (
      select s.subject, s.number from sealed_subjects s
      join json_array_elements_text(${JSON.stringify([...new Set(touched)])}::text::json) t(subject) using (subject)
    ), placed as (
      update daybook_vault.data_keys k set place = seen.number from seen
      where k.subject = seen.subject and k.place is distinct from seen.number
    )
    insert into daybook_vault.missing_keys (subject)
    select subject from seen where not exists (select from daybook_vault.data_keys k where k.subject = seen.subject)
    on conflict do nothing`
}

/**
 * Whether there is a vault. There is none yet in a database in which read models are built before a service has ever
 * started.
 */
const hasVault = async (sql: ISql | Sql): Promise<boolean> => {
  const [row] = await sql<{ there: boolean }[]>`select to_regclass('daybook_vault.missing_keys') is not null as there`
  return row?.there ?? false
}
