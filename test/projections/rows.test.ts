import test from 'ava'
import fc from 'fast-check'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import type { LedgerEvent } from '../../domain/write-side/deciders.ts'
import { accountsProjection } from '../../projections/account/accounts.ts'
import { walletsProjection } from '../../projections/account/wallets.ts'
import { readPlaces, type WatchedPlace } from '../../projections/chains/watched.ts'
import { isConcerned } from '../../projections/engine/apply.ts'
import { createQueries, projections } from '../../projections/index.ts'
import { challengesProjection } from '../../projections/selling/challenges.ts'
import { CHALLENGE_ID, opened, PAY_TO, SET_ID, transferData } from '../domain/samples.ts'
import { everything, newStore } from '../support/ledger.ts'
import { ODD_TEXT, TAKEN_BACK, TOKEN, wholeHistory } from './history.ts'
import { applyAll, contents, emptyReadModels } from './setup.ts'

test('every read model shows a whole history as it happened', async (t) => {
  const { sql } = await emptyReadModels(t)
  const store = newStore(t)
  await wholeHistory(store)
  for (const projection of projections) await applyAll(sql, projection, await everything(store))
  const queries = createQueries(sql)
  t.deepEqual(await queries.account('acc_1'), {
    email: 'v1.acc_1.iv.new',
    activated: true,
    primaryWallet: ODD_TEXT,
    agentUrl: null,
    credit: '4800000',
    settlementsCount: 1,
    testCount: 0,
    totalUsd: '100000000',
  })
  t.like(await queries.apiKey('k1'), { accountId: 'acc_1', kind: 'owner', keyHash: 'h1' })
  t.deepEqual(
    [...(await queries.wallets('acc_1'))],
    [
      { asset: 'btc', addresses: [], active: true },
      { asset: 'eth', addresses: [PAY_TO, 'second'], active: false },
      { asset: 'mine', addresses: [PAY_TO], active: true },
    ],
  )
  t.like(await queries.resource('res_1'), { settled: true, maxPerCaller: null, acceptedAssets: ['eth', ODD_TEXT] })
  t.is(await queries.resource('res_2'), undefined)
  const [disabled] = await sql`select disabled, settled, max_per_caller from resources where res_id = 'res_2'`
  t.deepEqual(disabled, { disabled: true, settled: false, max_per_caller: { amount: '5000000', windowHours: 24 } })
  const paid = await sql`select challenge_id, status, amount from challenges order by 1`
  t.deepEqual(
    [...paid].map((row) => ({ ...row })),
    [
      { challenge_id: CHALLENGE_ID, status: 'settled', amount: '40000020000000000' },
      { challenge_id: `${SET_ID}.mine`, status: 'open', amount: '40000020000000000' },
      { challenge_id: `${SET_ID}.usdc`, status: 'open', amount: '9'.repeat(60) },
      // Its payment was seen and taken back.
      { challenge_id: `${TAKEN_BACK}.eth`, status: 'open', amount: opened.entries[0]?.amount },
    ],
  )
  const [sold] = await queries.transactions('acc_1', { status: 'C' }, 10, 0)
  t.like(sold, { status: 'C', hash: transferData.tx, amountFiat: '100', amount: '0.04000002', cryptocurrency: 'eth' })
  t.is(await queries.transactionCount('acc_1', {}), 5)
  const log = await queries.webhookLog('acc_1', sold?.id ?? '')
  t.is(log.length, 1)
  t.like(log[0], { state: 'failed', status: 500, responseBody: ODD_TEXT, url: 'https://hook.example/b' })
})

test('R-20 R-16 payment requests are shown with what became of them, and the settlement log with what was paid', async (t) => {
  const { sql } = await emptyReadModels(t)
  const store = newStore(t)
  await wholeHistory(store)
  for (const projection of projections) await applyAll(sql, projection, await everything(store))
  const queries = createQueries(sql)
  for (const [id, status] of Object.entries({ rq_paid: 'paid', rq_late: 'expired', rq_open: 'open' }))
    t.like(await queries.paymentRequest(id, 'acc_1'), { status, title: ODD_TEXT, amount: '3000000' }, id)
  const [late] = await queries.transactions('acc_1', { status: 'X' }, 10, 0)
  t.is(late?.id, (await queries.paymentRequest('rq_late', 'acc_1'))?.transactionId)
  // Either id finds it, for its own account.
  t.is((await queries.paymentRequest(late?.id ?? '', 'acc_1'))?.requestId, 'rq_late')
  for (const id of ['rq_late', late?.id ?? '']) t.is(await queries.paymentRequest(id, 'acc_2'), undefined)
  const paid = await queries.settlements('acc_1', { test: false }, 10, 0)
  t.deepEqual(
    [...paid].map(({ challengeId, status }) => ({ challengeId, status })),
    [{ challengeId: CHALLENGE_ID, status: 'settled' }],
  )
})

test('J-TOK-01 J-TOK-08 the tokens that a seller has are shown, and their contracts while a challenge asks for them', async (t) => {
  const { sql } = await emptyReadModels(t)
  const store = newStore(t)
  await wholeHistory(store)
  for (const projection of projections) await applyAll(sql, projection, await everything(store))
  const queries = createQueries(sql)
  const { type, network, contract, decimals, name } = TOKEN
  t.deepEqual([...(await queries.customTokens('acc_1'))], [{ code: 'mine', type, network, name, contract, decimals }])
  const contracts = async (since: string) => {
    const places: WatchedPlace[] = []
    await readPlaces(sql, ['eth'], since, (page) => places.push(...page))
    return places.flatMap((place) => (place.kind === 'contract' ? [place.name] : []))
  }
  t.deepEqual(await contracts('2026-03-02T10:59:59.999Z'), [contract])
  t.deepEqual(await contracts('2026-03-02T11:00:00.000Z'), [])
})

test('K-SBX-01 K-SBX-03 sandbox keys are shown with what became of them, and each secret that they ever had is known', async (t) => {
  const { sql } = await emptyReadModels(t)
  const store = newStore(t)
  await wholeHistory(store)
  for (const projection of projections) await applyAll(sql, projection, await everything(store))
  const queries = createQueries(sql)
  t.like(await queries.apiKey('s1'), { accountId: 'acc_1', revoked: true })
  t.like(await queries.apiKey('s2'), { revoked: true })
  t.like(await queries.apiKey('s3'), { accountId: 'acc_1', kind: 'sandbox', keyHash: 'sh3', revoked: false })
  const [active, revoked] = await queries.sandboxKeys('acc_1', 10)
  t.like(active, { number: 1, kind: 'secret', label: ODD_TEXT, hint: 'sk_test_…3', revokedAt: null })
  t.truthy(active?.lastUsedAt)
  t.like(revoked, { number: 2, kind: 'publishable', label: null, lastUsedAt: null })
  t.truthy(revoked?.revokedAt)
})

test('I-SUM-01 the trial balance of a whole history sums to zero per asset', async (t) => {
  const { sql } = await emptyReadModels(t)
  const store = newStore(t)
  await wholeHistory(store)
  for (const projection of projections) await applyAll(sql, projection, await everything(store))
  const balances = await createQueries(sql).trialBalance()
  const sums = Map.groupBy(balances, ({ asset }) => asset)
  t.deepEqual([...sums.keys()].sort(), ['USD', 'eth'])
  for (const rows of sums.values())
    t.is(
      rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
      0n,
    )
  t.is(balances.find(({ account }) => account === 'seller:acc_1:credit')?.amount, '4800000')
})

test('however a history is cut into batches, the rows are the same to the byte', async (t) => {
  const { sql } = await emptyReadModels(t)
  const store = newStore(t)
  await wholeHistory(store)
  const events = await everything(store)
  const applied = async (batches: readonly (readonly RecordedEvent[])[]) => {
    for (const { tables } of projections) for (const { name } of tables) await sql`truncate ${sql(name)}`
    for (const projection of projections) for (const batch of batches) await applyAll(sql, projection, batch)
    return contents(sql)
  }
  const whole = await applied([events])
  t.deepEqual(await applied(events.map((event) => [event])), whole)
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat({ max: events.length }), { maxLength: 6 }), async (cuts) => {
      const ends = [...cuts.sort((a, b) => a - b), events.length]
      t.deepEqual(await applied(ends.map((end, i) => events.slice(ends[i - 1] ?? 0, end))), whole)
    }),
    { numRuns: 12 },
  )
})

test('a change to a row that is not there stops the batch, and nothing of it stays', async (t) => {
  const { sql } = await emptyReadModels(t)
  const paused = recorded('wallet-acc_1', { type: 'WalletPaused', data: { asset: 'eth' } })
  const set = recorded('wallet-acc_2', { type: 'WalletAddressSet', data: { asset: 'eth', addresses: ['a'] } })
  await t.throwsAsync(applyAll(sql, walletsProjection, [set, paused]), { message: /wallets has no row acc_1, eth/ })
  t.is((await sql`select * from wallets`).length, 0)
})

test('an amount keeps sixty digits, in a row that is written and in one that is added to', async (t) => {
  const { sql } = await emptyReadModels(t)
  const amount = `1${'2345678901'.repeat(6)}`.slice(0, 60)
  const grant = { amount, reason: 'email-verified', ref: 'r', source: 's', position: '1' } as const
  const granted = recorded('creditAccount-acc_1', { type: 'CreditGranted', data: grant })
  await applyAll(sql, accountsProjection, [granted])
  await applyAll(sql, accountsProjection, [granted, granted])
  t.is((await sql`select balance::text as b from credits`)[0]?.b, String(3n * BigInt(amount)))
})

test('text that Postgres cannot hold does not stop the read model', async (t) => {
  const { sql } = await emptyReadModels(t)
  const addresses = ['nul\u0000', 'half \ud83d pair', ODD_TEXT]
  const stream = 'wallet-acc\u0000'
  const set = recorded(stream, { type: 'WalletAddressSet', data: { asset: 'eth', addresses } })
  const paused = recorded(stream, { type: 'WalletPaused', data: { asset: 'eth' } })
  await applyAll(sql, walletsProjection, [set])
  await applyAll(sql, walletsProjection, [paused])
  const rows = await sql`select * from wallets`
  t.deepEqual(rows[0]?.addresses, ['nul\ufffd', 'half \ufffd pair', ODD_TEXT])
  t.false(rows[0]?.active)
})

test('any text comes back from a table as it went in', async (t) => {
  const { sql } = await emptyReadModels(t)
  const text = fc.string({ unit: 'grapheme' }).map((each) => each.replaceAll('\0', ''))
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 5 }), text, async (addresses, asset) => {
      const set = recorded('wallet-acc_1', { type: 'WalletAddressSet', data: { asset, addresses } })
      await applyAll(sql, walletsProjection, [set])
      const [row] = await sql`select addresses from wallets where asset = ${asset}`
      t.deepEqual(row?.addresses, addresses)
    }),
    { numRuns: 40 },
  )
})

test('what looks like nothing is kept apart from nothing', async (t) => {
  const { sql } = await emptyReadModels(t)
  const odd = [null, '', 'NULL', 'null', '{}', '{"a"}', '"', '\\', '\\"', ',', '\\N', '\\n', "'", ' ', '\n', '\r\n\t']
  for (const [n, primaryWallet] of odd.entries()) {
    const signUp = {
      email: 'v1.e',
      emailFingerprint: 'f',
      passwordHash: 'h',
      primaryWallet,
      termsAgreed: 'explicit' as const,
    }
    await applyAll(sql, accountsProjection, [recorded(`account-acc_${n}`, { type: 'AccountSignedUp', data: signUp })])
  }
  const all = odd.map((email, n) =>
    recorded(`account-acc_${n}`, {
      type: 'EmailChanged',
      data: { email: email ?? '', emailFingerprint: 'g', former: 'f' },
    }),
  )
  await applyAll(sql, accountsProjection, all)
  const rows = await sql`select primary_wallet, email from accounts order by substr(account_id, 5)::int`
  t.deepEqual(
    rows.map((row) => ({ ...row })),
    odd.map((text) => ({ primary_wallet: text, email: text ?? '' })),
  )
})

test('an empty batch, and one that concerns nobody, change nothing', async (t) => {
  const { sql } = await emptyReadModels(t)
  await applyAll(sql, challengesProjection, [])
  const sent = recorded('letter-1', { type: 'LetterSent', data: { accountId: 'acc_1', attempts: 1 } })
  for (const projection of projections) await applyAll(sql, projection, [sent])
  const { timeline = [], ...others } = await contents(sql)
  t.true(Object.values(others).every((rows) => rows.length === 0))
  t.is(timeline.length, 1, 'the timeline has every event')
})

test('an event of a type that every object has a member of is for no read model', async (t) => {
  const { sql } = await emptyReadModels(t)
  for (const type of ['constructor', 'toString', '__proto__'] as const) {
    const foreign = { ...recorded('letter-1', { type: 'LetterSent', data: { accountId: 'acc_1', attempts: 1 } }), type }
    for (const projection of projections) {
      t.false(isConcerned(projection, [foreign]))
      await t.notThrowsAsync(applyAll(sql, projection, [foreign]))
    }
  }
  t.true(Object.values(await contents(sql)).every((rows) => rows.length === 0))
})

const recorded = (stream: string, event: LedgerEvent): RecordedEvent => ({
  ...event,
  stream,
  id: crypto.randomUUID(),
  revision: 0n,
  position: 1n,
  order: 1n,
  at: '2026-03-02T10:00:00.000Z',
  cause: { actor: 'tester', correlationId: 'test' },
})
