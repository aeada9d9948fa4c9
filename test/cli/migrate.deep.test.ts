/**
 * One shop with sales whose log moves: from the embedded store to a server, killed on its way, and from there to
 * another.
 */
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { serve } from '../../src/runtime/serve.ts'
import { readConfig } from '../../src/settings/config.ts'
import { newEvent } from '../store/events.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { around, ledgerOn, runPolicies } from '../support/ledger.ts'
import { assertReplayEqual, me, postFor, postsFor, type Shop, saidOf, sell, shop } from '../support/sale.ts'
import { fixedWorld } from '../support/world.ts'
import { daybook, start } from './daybook.ts'
import { answersOf, booksOf, everyTurnTaken, logOf, move, openTarget, type Target } from './moving.ts'

let app: TestApp
let seller: Shop
let first: Target
let second: Target
const env = () => app.env as Record<string, string>

test.before(async () => {
  ;[app, first, second] = await Promise.all([startApp({ store: 'embedded' }), openTarget(), openTarget()])
  // The log is still empty when its followers begin.
  await everyTurnTaken(app.databaseUrl)
  seller = await shop(app)
  for (let sale = 0; sale < 2; sale++) await postFor(app, (await sell(app, seller)).offer.challengeId)
})

test.after.always(async () => {
  await app?.stop()
  await Promise.all([first?.stop(), second?.stop()])
})

test.serial('a database notes the log it follows at its first event', async (t) => {
  const sql = connect(app.databaseUrl, { max: 1 })
  t.teardown(() => sql.end({ timeout: 1 }))
  const [begun] = await logOf(app.served().eventStoreUrl)
  const noted = await sql`select id, name from daybook_run.log`
  t.deepEqual([...noted], [{ id: begun?.id, name: `file:${join(app.dataDir, 'events.db')}` }])
})

test.serial('a log does not move while its service runs, wherever that runs', async (t) => {
  await t.throwsAsync(move(env(), first.url), { message: /service_running/ })
  // As from another machine, which shares no more than the database.
  const elsewhere = { ...env(), DATA_DIR: join(app.dataDir, 'elsewhere'), EVENTSTORE_URL: app.served().eventStoreUrl }
  await t.throwsAsync(move(elsewhere, first.url), { message: /service_running/ })
  t.deepEqual(await logOf(first.url), [])
})

test.serial(
  'what cannot be a target is refused before anything is written, and the service goes on as before',
  async (t) => {
    const foreign = await openTarget()
    t.teardown(() => foreign.stop())
    const other = eventStoreDb(foreign.url)
    t.teardown(() => other.close())
    await other.append('account-acc_other', -1n, [newEvent('AccountActivated', { emailFingerprint: 'f' })])
    const before = await logOf(foreign.url)
    await app.restart(async () => {
      const { code, stdout } = await daybook(env(), 'migrate', '--to', foreign.url, '--json')
      t.is(code, 1)
      t.like(JSON.parse(stdout), { code: 'target_foreign' })
      t.regex(JSON.parse(stdout).error, /event 0 of .* differs in its place \(there is event 0 of account-acc_other/)
      const typo = await daybook(env(), 'migrate', '--to', 'esdb://me:topsecret@there:2113?tls=maybe')
      t.is(typo.code, 2)
      t.false(typo.stderr.includes('topsecret'), typo.stderr)
      for (const [to, says] of [
        [`file:${app.dataDir}`, /is the log that is to be copied/],
        ['http://localhost:2113', /starts with esdb/],
        ['file:/nowhere/at/all/events.db', /no directory/],
      ] as const)
        await t.throwsAsync(move(env(), to), { name: 'BadSetting', message: says })
      const nothing = `file:${join(app.dataDir, 'nothing.db')}`
      await t.throwsAsync(move(env(), nothing, true), { name: 'BadSetting', message: /there is no log/ })
    })
    t.deepEqual(await logOf(foreign.url), before)
    t.is((await app.call('GET', '/readyz')).status, 200)
  },
)

/** Appends at which a run dies, before they are made or when they are, and the one that ends the copy. */
const KILLS = [
  { at: 3, landed: false },
  { at: 6, landed: true },
  { at: 5, landed: false },
  { at: Number.POSITIVE_INFINITY, landed: true },
]

test.serial(
  'killed at any append and run again, it goes on where it was; half a copy is no log to serve',
  async (t) => {
    t.timeout(120_000)
    const letters = async () => (await app.call('GET', '/dev/inbox.json')).json
    const mailed = await letters()
    const before = { answers: await answersOf(app, seller.key), posts: app.receiver.posts.length }
    const time = new Date()
    const onTarget = { ...env(), EVENTSTORE_URL: first.url }
    let source: readonly RecordedEvent[] = []
    await app.restart(async () => {
      source = await logOf(`file:${join(app.dataDir, 'events.db')}`)
      const books = await booksOf(env(), time)
      let copied = 0
      for (const kill of KILLS) {
        await killedAt(t, kill)
        const { equal, complete, events } = await move(env(), first.url, true)
        const ended = kill.at === Number.POSITIVE_INFINITY
        t.deepEqual([equal, complete], [true, ended])
        t.true(events > copied)
        copied = events
        const refusal = ended
          ? { name: 'PartsUnfit', message: /it follows the log at file:[\s\S]* or move the database/ }
          : { name: 'BadSetting', message: /half a copy of a log/ }
        await t.throwsAsync(serve(readConfig(onTarget)), refusal)
      }
      t.is(copied, source.length)
      t.like(await move(env(), first.url), { ok: true, events: copied, copied: 0 })
      t.like(await move(env(), first.url), { ok: true, events: copied, checkpoints: 0 })
      t.like(await move(env(), first.url, true), { ok: true, equal: true, complete: true, events: copied })
      await t.throwsAsync(serve(readConfig(env())), { name: 'PartsUnfit', message: /follows the log at esdb:\/\/127/ })
      const stale = await daybook(env(), 'replay')
      t.deepEqual([stale.code, /follows the log at esdb/.test(stale.stderr)], [2, true], stale.stderr)
      Object.assign(env(), { EVENTSTORE_URL: first.url })
      t.deepEqual(await booksOf(env(), time), books)
    })
    t.deepEqual(await answersOf(app, seller.key), before.answers)
    t.is(app.receiver.posts.length, before.posts, 'nothing is delivered again')
    t.deepEqual(await letters(), mailed, 'nothing is mailed again')
    const told = ({ position: _, ...event }: RecordedEvent) => event
    t.deepEqual((await logOf(first.url)).slice(0, source.length).map(told), source.map(told))
    await nothingIsLeft(t)
  },
)

test.serial('a sale after the move bills one fee, sends one webhook, and leaves nothing to do', (t) => sellsOn(t))

test.serial('an event that was changed in the copy is found and named, and so is one that is missing', async (t) => {
  const copy = join(app.dataDir, 'tampered.db')
  const source = { ...env(), EVENTSTORE_URL: '' }
  const tampered = async (change: string) => {
    copyFileSync(first.file, copy)
    copyFileSync(`${first.file}-wal`, `${copy}-wal`)
    const db = new DatabaseSync(copy)
    db.exec(change)
    db.close()
    return daybook(source, 'migrate', '--to', `file:${copy}`, '--verify', '--json')
  }
  const untouched = await tampered('SELECT 1')
  t.is(untouched.code, 0, untouched.stdout)
  const credit = "(SELECT min(position) FROM events WHERE type = 'CreditDebited')"
  const richer = await tampered(
    `UPDATE events SET data = CAST(replace(CAST(data AS TEXT), '"amount":"', '"amount":"1') AS BLOB) WHERE position = ${credit}`,
  )
  t.is(richer.code, 1)
  const { equal, difference } = JSON.parse(richer.stdout)
  t.false(equal)
  t.like(difference, { type: 'CreditDebited', parts: ['data'] })
  t.regex(difference.stream, /^creditAccount-acc_/)
  const missing = await tampered(`DELETE FROM events WHERE position = ${credit}`)
  t.is(missing.code, 1)
  t.like(JSON.parse(missing.stdout).difference, { type: 'CreditDebited' })
})

test.serial('a log that was moved moves on, and every event keeps its place in the order', async (t) => {
  const answers = await answersOf(app, seller.key)
  let before: readonly RecordedEvent[] = []
  await app.restart(async () => {
    before = await logOf(first.url)
    t.like(await move(env(), second.url), { ok: true, events: before.length, copied: before.length })
    Object.assign(env(), { EVENTSTORE_URL: second.url })
  })
  const after = await logOf(second.url)
  t.deepEqual(await answersOf(app, seller.key), answers)
  t.deepEqual(after.slice(0, before.length).map(placeOf), before.map(placeOf))
  t.true(after.every((event, i) => i === 0 || event.order > (after[i - 1]?.order ?? 0n)))
  t.is(after.filter(({ type }) => type === 'LogCopied').length, 2)
  await nothingIsLeft(t)
  await sellsOn(t)
})

test.serial('a process that stands by while the log moves away follows it no more', async (t) => {
  const sql = connect(app.databaseUrl, { max: 1 })
  t.teardown(() => sql.end({ timeout: 1 }))
  const places = () => sql`select name, position from daybook_run.checkpoints order by 1`
  await sql`update daybook_run.log set id = 'moved', name = 'esdb://elsewhere'`
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'daybook lease' and datname = current_database()`
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const before = await places()
  await app.call('POST', '/v1/signup', { body: { email: 'late@example.test', password: 'correct horse' } })
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  t.deepEqual(await places(), before)
})

/** One more sale ends in one fee and one delivery. */
const sellsOn = async (t: ExecutionContext) => {
  const credit = Number((await me(app, seller.key)).credit_balance)
  const { offer } = await sell(app, seller)
  await postFor(app, offer.challengeId)
  t.is((await saidOf(app, 'CreditDebited', offer.challengeId)).length, 1)
  t.is(postsFor(app, offer.challengeId).length, 1)
  t.true(Math.abs(credit - Number((await me(app, seller.key)).credit_balance) - 0.2) < 1e-9)
  await nothingIsLeft(t)
}

/** Every read model equals its replay, and every policy that is run over the whole log again finds its work done. */
const nothingIsLeft = async (t: ExecutionContext) => {
  await assertReplayEqual(t, app)
  const store = eventStoreDb(app.env.EVENTSTORE_URL ?? '')
  t.teardown(() => store.close())
  const world = fixedWorld('again')
  const written: string[] = []
  // The service beside it goes on looking at the chain, so only what these policies write is looked at.
  const watched = around(store, (go) => async (stream, expected, events) => {
    // Who begins a stream without a look at it is refused where it is there already, and has written nothing.
    const appended = await go(stream, expected, events)
    written.push(...events.map(({ type }) => `${type} for ${stream}`))
    return appended
  })
  await runPolicies(watched, ledgerOn(watched, world), world)
  t.deepEqual(written, [])
}

/** Runs the command in a process of its own until it dies at an append. */
const killedAt = async (t: ExecutionContext, { at, landed }: (typeof KILLS)[number]) => {
  const child = start(env(), ['migrate', '--to', first.url])
  const gone = once(child, 'exit')
  let appends = 0
  first.hook.intercept = (go) => async (stream, expected, events) => {
    const dies = ++appends === at || events[0]?.type === 'LogCopied'
    if (dies && !landed) child.kill('SIGKILL')
    else if (!dies) return go(stream, expected, events)
    else {
      await go(stream, expected, events)
      child.kill('SIGKILL')
    }
    await gone
    throw new Error('nobody waits for this answer')
  }
  t.is((await gone)[1], 'SIGKILL')
  first.hook.intercept = (go) => go
}

const placeOf = ({ id, stream, revision, order }: RecordedEvent) => ({ id, stream, revision, order })
