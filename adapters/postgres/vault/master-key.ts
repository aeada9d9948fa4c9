/** The master key, under which the data keys are, and how a database tells it from others. */
import { createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { TransactionSql } from 'postgres'
import type { Sql } from '../connect.ts'
import { decrypt, encrypt } from './box.ts'

const KEY_BYTES = 32

/** The master key that is known here, or two while it is changed; asked anew whenever another one is needed. */
export type MasterKeys = () => Buffer | readonly Buffer[]

/** What the vault takes from the master key that its database is under. */
export type KeyRing = {
  readonly proof: Buffer
  /** Wraps data keys. */
  readonly wrap: KeyObject
  /** Makes fingerprints; it stays what it was whatever the master key. */
  readonly fingerprint: KeyObject
}

/** A database has one row that tells its master key; the wrapped key of fingerprints is there once it was changed. */
type MasterKeyRow = { readonly proof: Buffer; readonly fingerprint: Buffer | null }

/** What is authenticated with the wrapped key of fingerprints, as a subject; no subject has a space. */
const FINGERPRINT = 'fingerprint key'

const subKey = (masterKey: Buffer, use: string) =>
  Buffer.from(hkdfSync('sha256', masterKey, '', `daybook vault ${use} v1`, KEY_BYTES))

/**
 * Which of the keys a database is under; the first one from now on, where none was used yet. Throws when it is none.
 */
export const openRing = async (sql: Sql, masterKeys: MasterKeys): Promise<KeyRing> => {
  const known = masterKeys()
  const keys = Buffer.isBuffer(known) ? [known] : known
  if (keys.some(({ length }) => length !== KEY_BYTES)) throw new Error(`MASTER_KEY must be ${KEY_BYTES} bytes`)
  const [first] = keys
  if (first)
    await sql`insert into daybook_vault.master_key (proof) values (${subKey(first, 'proof')}) on conflict do nothing`
  const [row] = await sql<MasterKeyRow[]>`select proof, fingerprint from daybook_vault.master_key`
  const ring = row && ringFor(row, keys)
  if (!ring) throw new Error('MASTER_KEY is not the one this database was set up with: its data keys cannot be opened')
  return ring
}

const ringFor = ({ proof, fingerprint }: MasterKeyRow, keys: readonly Buffer[]): KeyRing | undefined => {
  const key = keys.find((each) => isMasterKeyOf(proof, each))
  if (!key) return undefined
  const wrap = createSecretKey(subKey(key, 'wrap'))
  const own = fingerprint ? decrypt(wrap, FINGERPRINT, fingerprint) : subKey(key, 'fingerprint')
  return { proof, wrap, fingerprint: createSecretKey(own) }
}

/** Whether a proof is that of a master key. */
export const isMasterKeyOf = (proof: Buffer, masterKey: Buffer): boolean => {
  const own = subKey(masterKey, 'proof')
  return proof.length === own.length && timingSafeEqual(proof, own)
}

/**
 * Whether one of the master keys is the one that this database is under; `nothing` where no vault was opened in it yet.
 * It tries the proof and one of the data keys, which may have come from another backup, and changes nothing.
 */
export const keysOpenWith = async (sql: Sql, masterKeys: readonly Buffer[]): Promise<'yes' | 'no' | 'nothing'> => {
  const [there] = await sql<{ all: boolean }[]>`
    select to_regclass('daybook_vault.master_key') is not null and to_regclass('daybook_vault.data_keys') is not null as all`
  if (!there?.all) return 'nothing'
  const [row] = await sql<{ proof: Buffer | null; subject: string | null; wrapped: Buffer | null }[]>`
    select (select proof from daybook_vault.master_key) as proof, subject, wrapped
    from (select) as one
    left join (select subject, wrapped from daybook_vault.data_keys where length(wrapped) > 0 limit 1) as key on true`
  const { proof = null, subject = null, wrapped = null } = row ?? {}
  const sample = subject !== null && wrapped !== null ? { subject, wrapped } : undefined
  if (!proof && !sample) return 'nothing'
  const opens = (key: Buffer) => (!proof || isMasterKeyOf(proof, key)) && (!sample || opensKey(key, sample))
  return masterKeys.some(opens) ? 'yes' : 'no'
}

const opensKey = (masterKey: Buffer, { subject, wrapped }: { subject: string; wrapped: Buffer }): boolean => {
  try {
    decrypt(createSecretKey(subKey(masterKey, 'wrap')), subject, wrapped)
    return true
  } catch {
    return false
  }
}

/**
 * Holds the master key of the database as it is until the transaction ends; false when it is not this one any more. A
 * change of the master key waits for it, and it waits for such a change.
 */
export const holdMasterKey = async (tx: TransactionSql, { proof }: KeyRing): Promise<boolean> => {
  const [row] = await tx`select 1 from daybook_vault.master_key where proof = ${proof} for share`
  return row !== undefined
}

/** Keys that are wrapped anew by one statement. */
const KEYS_AT_ONCE = 1_000

/**
 * Wraps every data key under another master key, in one transaction: whatever ends it, all keys are under the one or
 * all under the other. Whoever needs a new data key waits for it; everybody else serves on, and whoever was erased
 * meanwhile stays erased. Throws when the database is under none of `before`.
 * @returns the number of keys that were wrapped anew; undefined when the database is under the other key already
 */
export const wrapAnew = async (
  sql: Sql,
  before: readonly Buffer[],
  next: Buffer,
  onWrapped: (keys: number) => Promise<void> | void = () => {},
): Promise<number | undefined> =>
  sql.begin(async (tx) => {
    await tx`set local synchronous_commit = on`
    const [row] = await tx<MasterKeyRow[]>`select proof, fingerprint from daybook_vault.master_key for update`
    if (!row) throw new Error('this database has no data keys yet')
    if (isMasterKeyOf(row.proof, next)) return undefined
    const old = ringFor(row, before)
    if (!old) throw new Error('MASTER_KEY is not the one this database was set up with: its data keys cannot be opened')
    const wrap = createSecretKey(subKey(next, 'wrap'))
    let wrapped = 0
    for (let after = ''; ; ) {
      const rows = await tx<{ subject: string; wrapped: Buffer }[]>`
        select subject, wrapped from daybook_vault.data_keys
        where subject > ${after} and length(wrapped) > 0 order by subject limit ${KEYS_AT_ONCE}`
      const last = rows.at(-1)
      if (!last) break
      after = last.subject
      const given = rows.map((each) => ({
        subject: each.subject,
        before: each.wrapped.toString('hex'),
        after: encrypt(wrap, each.subject, decrypt(old.wrap, each.subject, each.wrapped)).toString('hex'),
      }))
      // A subject that is erased between the two statements has no wrapped key any more, and gets none.
      const { count } = await tx`
        update daybook_vault.data_keys k set wrapped = decode(given.after, 'hex')
        from json_to_recordset(${JSON.stringify(given)}::text::json) as given (subject text, before text, after text)
        where k.subject = given.subject and k.wrapped = decode(given.before, 'hex')`
      wrapped += count
      await onWrapped(wrapped)
    }
    const fingerprint = encrypt(wrap, FINGERPRINT, old.fingerprint.export())
    await tx`update daybook_vault.master_key set proof = ${subKey(next, 'proof')}, fingerprint = ${fingerprint}`
    return wrapped
  })
