import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { wrapAnew } from '../../adapters/postgres/vault/master-key.ts'
import { createVault } from '../../adapters/postgres/vault/vault.ts'
import { testDatabase } from '../support/postgres.ts'

test('What was sealed opens again, in another process too, and no two seals look alike', async (t) => {
  const { vault, another } = await setUp(t)
  const sealed = await vault.seal('account-1', 'Ada Lövelace 🜚')
  t.regex(sealed, /^v1\.account-1\.[\w-]{16}\.[\w-]+$/)
  t.not(await vault.seal('account-1', 'Ada Lövelace 🜚'), sealed)
  t.is(await vault.open(sealed), 'Ada Lövelace 🜚')
  t.is(await (await another()).open(sealed), 'Ada Lövelace 🜚')
  t.is(await vault.open(await vault.seal('account-1', '')), '')
})

test('A sealed value that was altered, cut, or put under another name does not open', async (t) => {
  const { vault } = await setUp(t)
  const sealed = await vault.seal('account-1', 'secret')
  await vault.seal('account-2', 'other')
  const [version, subject, iv, box = ''] = sealed.split('.')
  const flipped = box.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
  const altered = [
    [version, subject, iv, flipped],
    [version, 'account-2', iv, box],
    [version, subject, box.slice(0, 16), box],
  ]
  for (const parts of altered) await t.throwsAsync(vault.open(parts.join('.')), { message: /was altered or belongs/ })
  const malformed = ['', 'plain', `v2.${sealed.slice(3)}`, `${sealed}.x`, `v1.account-1.${iv}.`, `v1.account-1..${box}`]
  for (const value of malformed) await t.throwsAsync(vault.open(value), { message: 'Not a sealed value' })
})

test('An erased subject reads as undefined everywhere at once, and nothing new is sealed for it', async (t) => {
  const { vault, another } = await setUp(t)
  const other = await another()
  const sealed = await vault.seal('account-1', 'Ada')
  const kept = await vault.seal('account-2', 'Bob')
  t.is(await other.open(sealed), 'Ada', 'the other process holds the key in its cache')

  await vault.erase('account-1')
  await vault.erase('account-1')
  t.is(await vault.open(sealed), undefined)
  await t.throwsAsync(vault.seal('account-1', 'Ada again'), { name: 'Refusal', code: 'not-found' } as object)
  await eventually(t, async () => (await other.open(sealed)) === undefined)
  await t.throwsAsync(other.seal('account-1', 'Ada again'), { name: 'Refusal' })
  t.is(await other.open(kept), 'Bob')
})

test('A subject that was erased before its first seal gets no key either', async (t) => {
  const { vault } = await setUp(t)
  await vault.erase('account-1')
  await t.throwsAsync(vault.seal('account-1', 'Ada'), { name: 'Refusal' })
})

test('An erasure is heard again after the listening connection was lost', async (t) => {
  const { vault, another, sql } = await setUp(t)
  const other = await another()
  const sealed = await vault.seal('account-1', 'Ada')
  await other.open(sealed)
  const killed = await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'listen %'`
  t.is(killed.length, 2)
  await vault.erase('account-1')
  await eventually(t, async () => (await other.open(sealed)) === undefined)
})

test('A key that is gone from the table reads as undefined', async (t) => {
  const { vault, another, sql } = await setUp(t)
  const sealed = await vault.seal('account-1', 'Ada')
  await sql`delete from daybook_vault.data_keys`
  t.is(await (await another()).open(sealed), undefined)
})

test('Racing first seals of one subject agree on one key', async (t) => {
  const { vault, another, sql } = await setUp(t)
  const vaults = [vault, await another(), await another()]
  const sealing = Array.from({ length: 30 }, (_, n) => vaults[n % 3]?.seal('account-1', `text ${n}`))
  const sealed = await Promise.all(sealing)
  const [row] = await sql`select count(*)::int as keys from daybook_vault.data_keys`
  t.is(row?.keys, 1)
  const reader = await another()
  for (const [n, each] of sealed.entries()) t.is(await reader.open(each ?? ''), `text ${n}`)
})

test('An erasure that races a first seal leaves no key', async (t) => {
  const { vault, another, sql } = await setUp(t)
  const other = await another()
  for (let n = 0; n < 20; n++) await Promise.allSettled([vault.seal(`account-${n}`, 'x'), other.erase(`account-${n}`)])
  const [row] = await sql`select count(*)::int as keys from daybook_vault.data_keys where length(wrapped) > 0`
  t.is(row?.keys, 0)
})

test('A wrong master key is noticed at the start', async (t) => {
  const { sql } = await setUp(t)
  await t.throwsAsync(createVault({ sql, masterKey: randomBytes(32) }), { message: /MASTER_KEY is not the one/ })
  await t.throwsAsync(createVault({ sql, masterKey: randomBytes(16) }), { message: 'MASTER_KEY must be 32 bytes' })
})

test('X-HASH-01: neither the text nor the master key is found in the tables, and keys lie there wrapped', async (t) => {
  const { vault, sql, masterKey } = await setUp(t)
  const sealed = await vault.seal('account-1', 'a secret of the merchant')
  t.false(sealed.includes(Buffer.from('a secret').toString('base64url')))
  const rows = await sql`
    select encode(wrapped, 'hex') as bytes from daybook_vault.data_keys
    union all select encode(proof, 'hex') from daybook_vault.master_key`
  for (const { bytes } of rows) {
    t.false(bytes.includes(masterKey.toString('hex')))
    t.false(bytes.includes(Buffer.from('a secret').toString('hex')))
  }
  t.is(rows[0]?.bytes.length, 2 * (12 + 32 + 16))
})

test('A wrapped key that was moved to another subject does not open', async (t) => {
  const { vault, another, sql } = await setUp(t)
  await vault.seal('account-1', 'Ada')
  await vault.seal('account-2', 'Bob')
  await sql`update daybook_vault.data_keys set wrapped = (select wrapped from daybook_vault.data_keys where subject = 'account-1')`
  await t.throwsAsync((await another()).seal('account-2', 'x'), { message: /was altered or belongs/ })
})

test('A fingerprint is the same for the same value, and differs by purpose, value and installation', async (t) => {
  const { vault, another } = await setUp(t)
  const fingerprint = vault.fingerprint('email', 'ada@example.org')
  t.regex(fingerprint, /^[0-9a-f]{64}$/)
  t.is((await another()).fingerprint('email', 'ada@example.org'), fingerprint)
  const others = [
    vault.fingerprint('phone', 'ada@example.org'),
    vault.fingerprint('email', 'bob@example.org'),
    vault.fingerprint('emaila', 'da@example.org'),
    (await setUp(t)).vault.fingerprint('email', 'ada@example.org'),
  ]
  t.is(new Set([fingerprint, ...others]).size, 5)
})

test('N-134 all data keys go under another master key at once: an open vault reads, makes keys and fingerprints on', async (t) => {
  const { sql, masterKey } = await setUp(t)
  const next = randomBytes(32)
  const vault = await createVault({ sql, masterKey: () => [masterKey, next] })
  t.teardown(() => vault.close())
  const sealed = await Promise.all([1, 2, 3].map((n) => vault.seal(`account-${n}`, `text ${n}`)))
  await vault.erase('account-3')
  const fingerprint = vault.fingerprint('email', 'ada@example.org')
  t.is(await wrapAnew(sql, [masterKey], next), 2)
  t.is(await wrapAnew(sql, [masterKey], next), undefined, 'run again, it has nothing to do')
  await vault.seal('account-4', 'a new key, under the other master key')
  const fresh = await createVault({ sql, masterKey: next })
  t.teardown(() => fresh.close())
  const texts = [
    await fresh.open(sealed[0] ?? ''),
    await fresh.open(sealed[1] ?? ''),
    await fresh.open(sealed[2] ?? ''),
  ]
  t.deepEqual(texts, ['text 1', 'text 2', undefined])
  t.is(await fresh.open(await vault.seal('account-4', 'x')), 'x')
  t.is(fresh.fingerprint('email', 'ada@example.org'), fingerprint)
  await t.throwsAsync(createVault({ sql, masterKey }), { message: /MASTER_KEY is not the one/ })
})

test('N-134 a change of the master key that ends half way has changed nothing, and meets an erasure meanwhile', async (t) => {
  const { vault, another, sql, masterKey } = await setUp(t)
  const next = randomBytes(32)
  const sealed = await vault.seal('account-1', 'Ada')
  await t.throwsAsync(
    wrapAnew(sql, [masterKey], next, () => {
      throw new Error('the power failed')
    }),
    { message: 'the power failed' },
  )
  t.is(await (await another()).open(sealed), 'Ada')
  await vault.seal('account-2', 'Bob')
  let erasing: Promise<void> | undefined
  await wrapAnew(sql, [masterKey], next, () => {
    erasing ??= vault.erase('account-2')
  })
  await erasing
  const [row] = await sql`select length(wrapped) as bytes from daybook_vault.data_keys where subject = 'account-2'`
  t.is(row?.bytes, 0)
})

test('A subject with a dot or a space, an empty one and an overlong one are not accepted', async (t) => {
  const { vault } = await setUp(t)
  for (const subject of ['a.b', 'a b', '', 'x'.repeat(201)]) {
    await t.throwsAsync(vault.seal(subject, 'text'), { message: /A subject is/ })
    await t.throwsAsync(vault.erase(subject), { message: /A subject is/ })
  }
})

async function setUp(t: ExecutionContext) {
  const { url, sql } = await testDatabase(t)
  const masterKey = randomBytes(32)
  const open = async (connection = sql) => {
    const vault = await createVault({ sql: connection, masterKey })
    t.teardown(() => vault.close())
    return vault
  }
  const another = () => {
    const own = connect(url, { max: 3 })
    t.teardown(() => own.end({ timeout: 1 }))
    return open(own)
  }
  return { vault: await open(), another, sql, masterKey }
}

async function eventually(t: ExecutionContext, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await holds()) break
    await sleep(25)
  }
  t.true(await holds(), 'it did not come true within 5 s')
}
