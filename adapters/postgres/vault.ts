/**
 * Personal data is sealed under one key per subject: destroying that key erases the person from a log that is never
 * edited.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import type { TransactionSql } from 'postgres'
import type { SealedText, Vault } from '../../domain/kernel/ports.ts'
import { refuse } from '../../domain/kernel/refusal.ts'
import { createTables, type Sql } from './connect.ts'
import { createKeyCache } from './key-cache.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const SUBJECT_MAX_CHARS = 200
const CHANNEL = 'daybook_vault_erased'

// An empty `wrapped` is the tombstone of an erased subject: it is kept, so that no new key is ever made for it. `place`
// is the number that the read model of sealed subjects gave it. A subject that has a sealed value and no row is in
// `missing_keys`.
const TABLES = `
  create schema if not exists daybook_vault;
  create table if not exists daybook_vault.data_keys (
    subject text primary key,
    wrapped bytea not null,
    created_at timestamptz not null default now(),
    erased_at timestamptz,
    check ((erased_at is null) = (length(wrapped) > 0))
  );
  create table if not exists daybook_vault.missing_keys (
    subject text primary key,
    found_at timestamptz not null default now()
  );
  do $$ begin
    if not exists (select from information_schema.columns
      where table_schema = 'daybook_vault' and table_name = 'data_keys' and column_name = 'place')
    then
      alter table daybook_vault.data_keys add column place bigint, add column lost_at timestamptz;
      create index data_keys_place on daybook_vault.data_keys (place);
    end if;
  end $$;
  create table if not exists daybook_vault.master_key (one boolean primary key default true check (one), proof bytea not null);
`

/** Creates the tables under the vault that do not exist yet. */
export const createVaultTables = (sql: Sql): Promise<void> => createTables(sql, TABLES)

/**
 * The vault on a table of wrapped keys. Sealing for an erased subject is refused with `not-found`.
 * An erasure reaches other processes at once by notification, and after a missed one when their cached key expires.
 */
export async function createVault(options: {
  sql: Sql
  masterKey: Buffer
}): Promise<Vault & { close(): Promise<void> }> {
  const { sql, masterKey } = options
  if (masterKey.length !== KEY_BYTES) throw new Error(`MASTER_KEY must be ${KEY_BYTES} bytes`)
  const fingerprintKey = createSecretKey(subKey(masterKey, 'fingerprint'))
  await createVaultTables(sql)
  await checkMasterKey(sql, subKey(masterKey, 'proof'))
  const keys = await openDataKeys(sql, createSecretKey(subKey(masterKey, 'wrap')))

  return {
    async seal(subject, text) {
      requireSubject(subject)
      const key = (await keys.make(subject)) ?? refuse('not-found', 'the data of this subject was erased')
      const sealed = encrypt(key, subject, Buffer.from(text))
      const [iv, box] = [sealed.subarray(0, IV_BYTES), sealed.subarray(IV_BYTES)]
      return `v1.${subject}.${iv.toString('base64url')}.${box.toString('base64url')}`
    },
    async open(sealed) {
      const { subject, bytes } = parse(sealed)
      const key = await keys.find(subject)
      return key && decrypt(key, subject, bytes).toString()
    },
    async isLost(sealed) {
      const [row] = await sql`
        select 1 from daybook_vault.data_keys where subject = ${parse(sealed).subject} and lost_at is not null`
      return row !== undefined
    },
    async erase(subject) {
      requireSubject(subject)
      await keys.destroy(subject)
    },
    fingerprint: (purpose, value) =>
      // The length keeps ("ab", "c") and ("a", "bc") apart.
      createHmac('sha256', fingerprintKey).update(`${purpose.length}.${purpose}.${value}`).digest('hex'),
    close: keys.close,
  }
}

async function openDataKeys(sql: Sql, wrapKey: KeyObject) {
  const cache = createKeyCache()
  // Listening starts anew after every lost connection, and what was said meanwhile is unknown.
  const listening = await sql.listen(CHANNEL, cache.evict, cache.clear)

  async function find(subject: string): Promise<KeyObject | undefined> {
    const cached = cache.get(subject)
    if (cached) return cached
    const keep = cache.reading(subject)
    const [row] = await sql<
      { wrapped: Buffer }[]
    >`select wrapped from daybook_vault.data_keys where subject = ${subject}`
    return row && keep(unwrap(wrapKey, subject, row.wrapped))
  }

  /** The subject's key, a new one if it has none; undefined when it was erased. */
  async function make(subject: string): Promise<KeyObject | undefined> {
    const found = await find(subject)
    if (found) return found
    const wrapped = encrypt(wrapKey, subject, randomBytes(KEY_BYTES))
    // Whoever loses the race for the first key finds the winner's when the insert has waited for it.
    await durably(sql, async (tx) => {
      await tx`insert into daybook_vault.data_keys (subject, wrapped) values (${subject}, ${wrapped}) on conflict do nothing`
    })
    return find(subject)
  }

  async function destroy(subject: string): Promise<void> {
    const done = durably(sql, async (tx) => {
      await tx`
        insert into daybook_vault.data_keys (subject, wrapped, erased_at) values (${subject}, '', now())
        on conflict (subject) do update set wrapped = '', erased_at = coalesce(data_keys.erased_at, now())`
      await tx`select pg_notify(${CHANNEL}, ${subject})`
    })
    await done.finally(() => cache.evict(subject))
  }

  async function close(): Promise<void> {
    cache.clear()
    await listening.unlisten().catch(() => {})
  }
  return { find, make, destroy, close }
}

/**
 * Commits to the disk. A crash must not forget a key, because texts that were sealed under it would be lost; nor may it
 * bring back a key that was erased.
 */
async function durably(sql: Sql, act: (tx: TransactionSql) => Promise<void>): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local synchronous_commit = on`
    await act(tx)
  })
}

const subKey = (masterKey: Buffer, use: string) =>
  Buffer.from(hkdfSync('sha256', masterKey, '', `daybook vault ${use} v1`, KEY_BYTES))

async function checkMasterKey(sql: Sql, proof: Buffer): Promise<void> {
  await sql`insert into daybook_vault.master_key (proof) values (${proof}) on conflict do nothing`
  const [row] = await sql<{ proof: Buffer }[]>`select proof from daybook_vault.master_key`
  if (!row || !isSame(row.proof, proof))
    throw new Error('MASTER_KEY is not the one this database was set up with: its data keys cannot be opened')
}

/**
 * Whether a master key is the one that this database was set up with; `nothing` where no vault was opened in it yet. It
 * tries the proof and one of the data keys, which may have come from another backup, and changes nothing.
 */
export async function keysOpenWith(sql: Sql, masterKey: Buffer | undefined): Promise<'yes' | 'no' | 'nothing'> {
  const [there] = await sql<{ all: boolean }[]>`
    select to_regclass('daybook_vault.master_key') is not null and to_regclass('daybook_vault.data_keys') is not null as all`
  if (!there?.all) return 'nothing'
  const [row] = await sql<{ proof: Buffer | null; subject: string | null; wrapped: Buffer | null }[]>`
    select (select proof from daybook_vault.master_key) as proof, subject, wrapped
    from (select) as one
    left join (select subject, wrapped from daybook_vault.data_keys where length(wrapped) > 0 limit 1) as key on true`
  const { proof = null, subject = null, wrapped = null } = row ?? {}
  const key = subject !== null && wrapped !== null ? { subject, wrapped } : undefined
  if (!proof && !key) return 'nothing'
  if (!masterKey) return 'no'
  const fits = !proof || isSame(proof, subKey(masterKey, 'proof'))
  return fits && (!key || opensKey(createSecretKey(subKey(masterKey, 'wrap')), key)) ? 'yes' : 'no'
}

const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)

const opensKey = (wrapKey: KeyObject, { subject, wrapped }: { subject: string; wrapped: Buffer }): boolean => {
  try {
    return unwrap(wrapKey, subject, wrapped) !== undefined
  } catch {
    return false
  }
}

function unwrap(wrapKey: KeyObject, subject: string, wrapped: Buffer): KeyObject | undefined {
  return wrapped.length === 0 ? undefined : createSecretKey(decrypt(wrapKey, subject, wrapped))
}

/**
 * Encrypts into iv, ciphertext and tag, in that order. The subject is authenticated with them, so that a value cannot
 * pass for another subject's.
 */
function encrypt(key: KeyObject, subject: string, plain: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(subject))
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: KeyObject, subject: string, bytes: Buffer): Buffer {
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(subject)).setAuthTag(bytes.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    throw new Error(`What was sealed for ${subject} was altered or belongs to another key`)
  }
}

function parse(sealed: SealedText): { subject: string; bytes: Buffer } {
  const [version, subject, iv, box, ...rest] = sealed.split('.')
  const bytes = Buffer.concat([Buffer.from(iv ?? '', 'base64url'), Buffer.from(box ?? '', 'base64url')])
  const ivFits = Buffer.byteLength(iv ?? '', 'base64url') === IV_BYTES
  if (version !== 'v1' || !subject || !ivFits || rest.length > 0 || bytes.length < IV_BYTES + TAG_BYTES)
    throw new Error('Not a sealed value')
  return { subject, bytes }
}

function requireSubject(subject: string): void {
  if (!/^[^.\s]+$/.test(subject) || subject.length > SUBJECT_MAX_CHARS)
    throw new Error(`A subject is 1 to ${SUBJECT_MAX_CHARS} characters without dots and spaces`)
}
