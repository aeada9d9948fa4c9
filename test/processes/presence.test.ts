import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { type Channels, openChannels } from '../../adapters/processes/channels.ts'
import { joinProcesses, type Member, type Presence } from '../../adapters/processes/presence.ts'
import { startWire } from '../faults/proxy.ts'
import { startOwnTime } from '../support/own-time.ts'
import { testDatabase } from '../support/postgres.ts'

test('Processes that come see each other at once, with where they are and what they do', async (t) => {
  const { join } = await setUp(t)
  const one = await join({ address: '10.0.0.1:7001', parts: ['web', 'followers'] })
  t.deepEqual(one.members().map(facts), [{ id: one.id, address: '10.0.0.1:7001', parts: ['web', 'followers'] }])
  const [two, three] = await Promise.all([join({ parts: ['web'] }), join({ address: undefined, parts: [] })])
  const all = [one, two, three]
  const ids = all.map(({ id }) => id).sort()
  await eventually(t, () => all.every((each) => each.isHere() && each.isKnown()))
  for (const each of all) t.deepEqual(names(each), ids)
  t.deepEqual(facts(one.members().find(({ id }) => id === two.id)), { id: two.id, address: undefined, parts: ['web'] })
  t.true(one.members().every(({ since }) => Math.abs(since.getTime() - Date.now()) < 60_000))
})

test('Ten processes that come at the same moment are in the lists of each other when they have come', async (t) => {
  const { join } = await setUp(t)
  const all = await Promise.all(Array.from({ length: 10 }, () => join({ parts: ['web'] })))
  const ids = all.map(({ id }) => id).sort()
  await eventually(t, () => all.every(({ isKnown }) => isKnown()))
  for (const each of all) t.deepEqual(names(each), ids)
})

test('A process that nobody can be beside takes away the places of those that died', async (t) => {
  const { join, sql } = await setUp(t)
  await (await join({ parts: ['web'] })).close()
  await sql`
    insert into daybook_run.processes (id, parts, until, knows) values ('died', '[]', now() + interval '10 s', 0)`
  const beside = await join({ parts: ['web'] })
  t.deepEqual(names(beside), ['died', beside.id].sort())
  t.false(beside.isKnown() || beside.isAlone())
  await beside.close()
  const sole = await join({ parts: ['web'], isSole: true })
  t.deepEqual(names(sole), [sole.id])
  t.true(sole.isKnown() && sole.isAlone())
})

test('A process that stops takes its place away, and the others hear of it at once', async (t) => {
  const { join } = await setUp(t)
  const [one, two] = [await join({ parts: ['web'] }), await join({ parts: ['web'] })]
  await eventually(t, () => two.isKnown())
  const heard = new Promise<void>((resolve) => {
    const end = one.changed(() => {
      if (names(one).length > 1) return
      end()
      resolve()
    })
  })
  const ownTime = startOwnTime()
  await two.close()
  await heard
  // A beat alone would take up to two seconds, and the end of the place ten.
  t.true(ownTime() < 1_500)
  t.deepEqual(names(one), [one.id])
  t.false(two.isHere())
  t.deepEqual(names(two), [one.id])
})

test('A lost connection keeps its place, and is opened again', async (t) => {
  const { join, sql } = await setUp(t)
  const [one, two] = [await join({ parts: ['web'] }), await join({ parts: ['web'] })]
  await eventually(t, () => two.isKnown())
  const since = one.members().map((member) => member.since.getTime())
  const ended = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'daybook processes' and datname = current_database()`
  t.is(ended.length, 2)
  const three = await join({ parts: ['web'] })
  await eventually(t, () => [one, two, three].every((each) => names(each).length === 3 && each.isKnown()))
  t.true(one.isHere() && two.isHere())
  const now = one.members().filter(({ id }) => id !== three.id)
  t.deepEqual(
    now.map((member) => member.since.getTime()),
    since,
  )
})

test('A process that is cut off gives its place up before the others do, and comes again', async (t) => {
  const { join, url } = await setUp(t)
  const { hostname, port } = new URL(url)
  const wire = await startWire({ host: hostname, port: Number(port) })
  t.teardown(() => wire.stop())
  const through = new URL(url)
  through.port = String(wire.port)
  const one = await join({ parts: ['web'] })
  const two = await join({ parts: ['web'] }, through.href)
  await eventually(t, () => two.isKnown())
  const since = one.members().find(({ id }) => id === two.id)?.since
  wire.hold('up', 'down')
  await new Promise<void>((resolve) => {
    const end = one.changed(() => {
      if (names(one).includes(two.id)) return
      // This is asked in the very moment in which the other one is told.
      t.false(two.isHere())
      end()
      resolve()
    })
  })
  t.deepEqual(names(two), [one.id])
  wire.cut()
  wire.restore()
  await eventually(t, () => names(one).length === 2 && names(two).length === 2 && two.isKnown())
  const again = one.members().find(({ id }) => id === two.id)
  t.true((again?.since.getTime() ?? 0) > (since?.getTime() ?? 0))
})

test('A message is heard by everybody who listens, and one that is too long is refused', async (t) => {
  const { channels } = await setUp(t)
  const [one, two] = [channels(), channels()]
  const heard: string[] = []
  await Promise.all(
    [one, two].map(
      (each, n) =>
        new Promise<void>((resolve) =>
          each.listen('words', { heard: (message) => heard.push(`${n}: ${message}`), renewed: resolve }),
        ),
    ),
  )
  const long = 'ä'.repeat(3_999)
  await Promise.all([one.tell('words', 'first'), one.tell('words', long), two.tell('others', 'not for these')])
  await eventually(t, () => heard.length === 4)
  t.deepEqual(heard.toSorted(), ['0: first', `0: ${long}`, '1: first', `1: ${long}`])
  await t.throwsAsync(one.tell('words', `${long}ä`), { instanceOf: RangeError })
  await one.close()
  await t.throwsAsync(one.tell('words', 'nobody tells this'), { message: /no connection/ })
})

type Own = { address?: string | undefined; parts: readonly string[]; isSole?: boolean }

const setUp = async (t: ExecutionContext) => {
  const { url, sql } = await testDatabase(t)
  const channels = (own = url): Channels => {
    const opened = openChannels(own)
    t.teardown(() => opened.close())
    return opened
  }
  const join = async ({ address, parts, isSole = false }: Own, own = url): Promise<Presence> => {
    const presence = await joinProcesses(sql, channels(own), { address, parts, isSole })
    t.teardown(() => presence.close())
    return presence
  }
  return { url, sql, channels, join }
}

const names = (presence: Presence) => presence.members().map(({ id }) => id)

const facts = (member: Member | undefined) => member && { id: member.id, address: member.address, parts: member.parts }

const eventually = async (t: ExecutionContext, holds: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 800 && !holds(); tries++) await sleep(25)
  t.true(holds(), 'it did not come true within 20 s')
}
