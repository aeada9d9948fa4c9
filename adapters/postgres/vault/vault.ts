/**
 * Personal data is sealed under one key per subject: destroying that key erases the person from a log that is never
 * edited.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { TransactionSql } from 'postgres'
import type { SealedText, Vault } from '../../../domain/kernel/ports.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { createTables, type Sql, unlessColumn } from '../connect.ts'
import { decrypt, encrypt, IV_BYTES, TAG_BYTES } from './box.ts'
import { createKeyCache } from './key-cache.ts'
import { holdMasterKey, type KeyRing, type MasterKeys, openRing } from './master-key.ts'

const KEY_BYTES = 32
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
  ${unlessColumn(
    'daybook_vault.data_keys',
    'place',
    `alter table daybook_vault.data_keys add column place bigint, add column lost_at timestamptz;
     create index data_keys_place on daybook_vault.data_keys (place);`,
  )}
  create table if not exists daybook_vault.master_key (one boolean primary key default true check (one), proof bytea not null);
  ${unlessColumn(
    'daybook_vault.master_key',
    'fingerprint',
    'alter table daybook_vault.master_key add column fingerprint bytea;',
  )}
`

/** Creates the tables under the vault that do not exist yet. */
export const createVaultTables = (sql: Sql): Promise<void> => createTables(sql, TABLES)

/**
 * The vault on a table of wrapped keys. Sealing for an erased subject is refused with `not-found`.
 * An erasure reaches other processes at once by notification, and after a missed one when their cached key expires.
 */
export async function createVault(options: {
  sql: Sql
  /** One key, or those that may be the one: the master key may be changed while the vault is open. */
  masterKey: Buffer | MasterKeys
}): Promise<Vault & { close(): Promise<void> }> {
  const { sql, masterKey } = options
  const masterKeys: MasterKeys = typeof masterKey === 'function' ? masterKey : () => [masterKey]
  await createVaultTables(sql)
  const ring = await openRing(sql, masterKeys)
  const fingerprintKey = ring.fingerprint
  const keys = await openDataKeys(sql, ring, () => openRing(sql, masterKeys))

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

async function openDataKeys(sql: Sql, first: KeyRing, renew: () => Promise<KeyRing>) {
  let ring = first
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
    return row && keep(await unwrapped(subject, row.wrapped))
  }

  /** A key that does not open may be under a master key that was changed since. */
  async function unwrapped(subject: string, wrapped: Buffer): Promise<KeyObject | undefined> {
    try {
      return unwrap(ring.wrap, subject, wrapped)
    } catch (error) {
      const now = await renew()
      if (now.proof.equals(ring.proof)) throw error
      ring = now
      const [row] = await sql<{ wrapped: Buffer }[]>`
        select wrapped from daybook_vault.data_keys where subject = ${subject}`
      return row && unwrap(ring.wrap, subject, row.wrapped)
    }
  }

  /** The subject's key, a new one if it has none; undefined when it was erased. */
  async function make(subject: string): Promise<KeyObject | undefined> {
    const found = await find(subject)
    if (found) return found
    const fresh = randomBytes(KEY_BYTES)
    for (;;) {
      const wrapped = encrypt(ring.wrap, subject, fresh)
      // Whoever loses the race for the first key finds the winner's when the insert has waited for it.
      let isHeld = false
      await durably(sql, async (tx) => {
        isHeld = await holdMasterKey(tx, ring)
        if (isHeld)
          await tx`insert into daybook_vault.data_keys (subject, wrapped) values (${subject}, ${wrapped}) on conflict do nothing`
      })
      if (isHeld) return find(subject)
      ring = await renew()
    }
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

function unwrap(wrapKey: KeyObject, subject: string, wrapped: Buffer): KeyObject | undefined {
  return wrapped.length === 0 ? undefined : createSecretKey(decrypt(wrapKey, subject, wrapped))
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
