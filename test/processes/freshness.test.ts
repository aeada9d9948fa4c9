/** What processes keep in memory of what the others write, with the real table of processes and the real channels. */

import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { eventually } from '../../src/demo/stage.ts'
import { startWire } from '../faults/proxy.ts'
import { startOwnTime } from '../support/own-time.ts'
import { fresh, isAtOnce, setUp } from './feeds.ts'

test('N-109 who writes waits until the log has arrived at everybody who is alive', async (t) => {
  const { process, write } = await setUp(t)
  const [one, two, three] = [await process(), await process(), await process()]
  await Promise.all([fresh(one), fresh(two), fresh(three)])
  const position = write()
  one.arrives(position)
  let answered = false
  const answer = one.freshness.heard(position).then(() => (answered = true))
  two.arrives(position)
  await sleep(150)
  t.false(answered, 'one of them has not heard yet')
  three.arrives(position)
  const ownTime = startOwnTime()
  await answer
  t.true(ownTime() < 1_700, 'nobody is waited for in vain')
  t.true(await isAtOnce(one.freshness.heard(position)), 'what is heard already is not asked for again')
})

test('N-109 once a writer gives up waiting for a process, that process trusts in nothing that it keeps', async (t) => {
  const { process, write } = await setUp(t)
  const [one, two] = [await process(), await process()]
  await Promise.all([fresh(one), fresh(two)])
  const asking = setInterval(() => two.freshness.isFresh(), 20)
  t.teardown(() => clearInterval(asking))
  const position = write()
  one.arrives(position)
  const [begun, ownTime] = [performance.now(), startOwnTime()]
  t.true(two.freshness.isFresh(), 'nothing was answered yet')
  await one.freshness.heard(position)
  const took = performance.now() - begun
  t.true(took > 1_500 && ownTime() < 3_000, `${took}`)
  t.false(two.freshness.isFresh())
  two.arrives(position)
  await fresh(two)
})

test('N-109 a process that lost its place trusts in nothing before the log has arrived up to its end', async (t) => {
  const { process, write, url, sql } = await setUp(t)
  const { hostname, port } = new URL(url)
  const wire = await startWire({ host: hostname, port: Number(port) })
  t.teardown(() => wire.stop())
  const through = new URL(url)
  through.port = String(wire.port)
  const one = await process(through.href)
  await fresh(one)
  wire.refuse()
  // What is waited for: that the place is over for everybody else, which comes after it is over for the process itself.
  for (let ended = false; !ended; await sleep(50)) {
    const places = await sql<{ ended: boolean }[]>`select until < now() as ended from daybook_run.processes`
    ended = places.every((place) => place.ended)
  }
  t.false(one.freshness.isFresh())
  // Somebody came, wrote and went while this process was not seen.
  const position = write()
  wire.restore()
  await eventually('one is alone', () => one.presence.isAlone())
  await sleep(200)
  t.false(one.freshness.isFresh())
  one.arrives(position)
  await fresh(one)
})

test('N-109 one process alone waits for nobody, asks nobody and looks nothing up', async (t) => {
  const { process, write, messages, looks } = await setUp(t)
  const one = await process()
  /** False where a beat came so late that it no longer believed to be alone. */
  const aloneForSecond = async () => {
    await fresh(one)
    const [before, position] = [looks(), write()]
    one.arrives(position)
    if (!one.presence.isAlone()) return false
    t.true(await isAtOnce(one.freshness.heard(position)))
    for (let n = 0; n < 50; n++) {
      if (!one.presence.isAlone()) return false
      t.true(one.freshness.isFresh())
      await sleep(20)
    }
    t.is(looks(), before)
    return true
  }
  await eventually('a second without a late beat', aloneForSecond)
  t.deepEqual(messages, [])
})

test('N-109 who comes while somebody is silent keeps nothing, and waits until nobody can believe to be alone', async (t) => {
  t.true(await eventually('somebody comes in time', () => comesBesideSilent(t)))
})

/** False where it took so long to come that the other one believes no more to be alone. */
const comesBesideSilent = async (t: ExecutionContext): Promise<boolean> => {
  const { process, write, sql } = await setUp(t)
  const silent = await process()
  await fresh(silent)
  // From here on it hears nothing and says nothing, as if it hung: its beats go to the same connection.
  silent.hangs()
  const [hung, ownTime] = [performance.now(), startOwnTime()]
  const two = await process()
  t.true(ownTime() < 2_000, 'a start waits for nobody')
  const position = write()
  two.arrives(position)
  const isBelieved = silent.freshness.isFresh()
  if (!isBelieved && performance.now() - hung > BELIEF_MS) return false
  t.true(isBelieved, 'it believes to be alone')
  await two.freshness.heard(position)
  t.false(silent.freshness.isFresh())
  for (let n = 0; n < 20; n++) {
    t.false(two.freshness.isFresh())
    await sleep(20)
  }
  await sql`delete from daybook_run.processes where id = ${silent.presence.id}`
  await fresh(two)
  return true
}

/** Milliseconds for which a process that was just trusted believes to be alone, whenever its next beat is due. */
const BELIEF_MS = 1_000

test('N-109 for what nobody keeps, nobody is asked', async (t) => {
  const { process, write, messages } = await setUp(t)
  const [one, two] = [await process(), await process()]
  await fresh(two)
  const position = write()
  one.arrives(position, 'challenge-1')
  t.true(await isAtOnce(one.freshness.heard(position)))
  t.deepEqual(messages, [])
})

test('N-109 what was told while a connection was lost is asked for again', async (t) => {
  const { process, write, sql } = await setUp(t)
  const [one, two] = [await process(), await process()]
  await Promise.all([fresh(one), fresh(two)])
  const position = write()
  two.arrives(position)
  one.arrives(position)
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'daybook processes' and datname = current_database()`
  const ownTime = startOwnTime()
  await one.freshness.heard(position)
  // The connection is open again after half a second; without a second question it would be the whole wait.
  t.true(ownTime() < 1_900)
})

test('N-118 who does not hear all trusts in rows once nothing of them is missing, and in no other state', async (t) => {
  const { process, write, looks } = await setUp(t)
  const [one, two] = [await process(), await process(undefined, false)]
  await Promise.all([fresh(one), fresh(two)])
  await fresh(two, 'account-1')
  const before = looks()
  for (let n = 0; n < 50; n++) {
    t.false(two.freshness.isFresh('challenge-1'))
    await sleep(1)
  }
  t.true(looks() - before < 10, 'a state that cannot be trusted in is not looked for')
  await fresh(one, 'challenge-1')
  // Ages by, in which much is written that it need not hear of.
  for (let n = 0; n < 20; n++) {
    write('ChallengeOpened')
    await sleep(100)
  }
  await fresh(two)
  t.is(two.found(), two.place().head)
  // One that it has to hear of is missing.
  const missing = write()
  const asking = setInterval(() => two.freshness.isFresh(), 20)
  t.teardown(() => clearInterval(asking))
  await sleep(1_700)
  t.false(two.freshness.isFresh())
  two.arrives(missing)
  await fresh(two)
})

test('N-118 who does not hear all looks how far the log has come although nobody reads what it keeps', async (t) => {
  const { process, write } = await setUp(t)
  const two = await process(undefined, false, 50)
  const head = write('ChallengeOpened')
  await eventually('two finds the end', () => two.found() === head)
  t.is(two.place().head, head)
})

test('N-118 what was proven while not all was heard proves nothing of the rest once all is heard', async (t) => {
  const { process } = await setUp(t)
  const two = await process(undefined, false)
  await fresh(two)
  two.hearsAllFromNowOn()
  t.false(two.freshness.isFresh())
  await fresh(two)
  for (let tries = 0; tries < 100 && !two.freshness.isFresh('challenge-1'); tries++) await sleep(20)
  t.true(two.freshness.isFresh('challenge-1'))
})

test('N-118 who does not hear all waits for others by what the process with the followers has told', async (t) => {
  const { process, write, looks } = await setUp(t)
  const [one, two] = [await process(), await process(undefined, false)]
  await Promise.all([fresh(one), fresh(two)])
  const kept = write()
  const passing = write('ChallengeOpened')
  one.arrives(kept)
  one.arrives(passing, 'challenge-1')
  t.deepEqual(one.freshness.place(), { head: passing, kept })
  two.freshness.told(one.freshness.place())
  let answered = false
  const answer = two.freshness.heardUpTo(passing).then(() => (answered = true))
  await sleep(100)
  t.false(answered, 'it has not heard itself')
  const before = looks()
  two.arrives(kept)
  await answer
  t.is(looks(), before)
})

test('N-118 who does not hear all, and was told nothing, looks up what it waits for', async (t) => {
  const { process, write } = await setUp(t)
  const [one, two] = [await process(), await process(undefined, false)]
  await Promise.all([fresh(one), fresh(two)])
  const kept = write()
  const passing = write('ChallengeOpened')
  let answered = false
  const ownTime = startOwnTime()
  const answer = two.freshness.heardUpTo(passing).then(() => (answered = true))
  await sleep(150)
  t.false(answered)
  two.arrives(kept)
  await sleep(150)
  t.false(answered, 'the other one has not heard')
  one.arrives(kept)
  one.arrives(passing, 'challenge-1')
  await answer
  t.true(ownTime() < 1_500)
})
