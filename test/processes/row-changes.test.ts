/** A row that every process keeps is changed by an event of a stream that nobody keeps. */
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import type { Peers } from '../../adapters/processes/homes.ts'
import { eventually } from '../../src/demo/stage.ts'
import { fresh, isAtOnce, setUp } from './feeds.ts'

test('N-173 who changes a row that all keep waits for the others, whichever stream the change is of', async (t) => {
  const { process, write } = await setUp(t)
  const [one, two] = [await process(), await process()]
  await Promise.all([fresh(one), fresh(two)])
  const settled = write('ChallengeSettled')
  one.arrives(settled, 'challenge-1', 'ChallengeSettled')
  const told = one.freshness.heard(settled)
  t.false(await isAtOnce(told))
  two.arrives(settled, 'challenge-1', 'ChallengeSettled')
  await told
  t.is(one.place().kept, settled)
})

test('N-173 processes that are connected tell each other without PostgreSQL, and with it once they are not', async (t) => {
  const group = connected()
  const { process, messages, write } = await setUp(t, group.peersOf)
  const [one, two] = [await process(), await process()]
  await Promise.all([fresh(one), fresh(two)])
  const hears = async () => {
    const settled = write('ChallengeSettled')
    one.arrives(settled, 'challenge-1', 'ChallengeSettled')
    two.arrives(settled, 'challenge-1', 'ChallengeSettled')
    await one.freshness.heard(settled)
  }
  await hears()
  t.deepEqual([group.told.length > 0, messages], [true, []])
  group.cut()
  await hears()
  // The test listens on a connection of its own, which may hear it later than they do.
  t.true(await eventually('a message of PostgreSQL', () => messages.length > 0))
})

test('N-173 a process knows what all have heard of, as far as they have told it', async (t) => {
  const { process, write } = await setUp(t)
  const [one, two] = [await process(), await process()]
  await Promise.all([fresh(one), fresh(two)])
  const settled = write('ChallengeSettled')
  t.false(one.freshness.hasHeard(settled))
  two.arrives(settled, 'challenge-1', 'ChallengeSettled')
  one.arrives(settled, 'challenge-1', 'ChallengeSettled')
  t.false(one.freshness.hasHeard(settled))
  await one.freshness.heard(settled)
  t.true(one.freshness.hasHeard(settled))
  t.false(one.freshness.hasHeard(settled + 1n))
  // Who comes has told nothing yet.
  await process()
  for (let tries = 0; tries < 2_000 && one.presence.members().length < 3; tries++) await sleep(10)
  t.deepEqual([one.presence.members().length, one.freshness.hasHeard(settled)], [3, false])
})

test('N-173 a process that is alone waits for what it keeps itself', async (t) => {
  const { process, write } = await setUp(t)
  const one = await process()
  for (let tries = 0; tries < 2_000 && !one.presence.isAlone(); tries++) await sleep(10)
  const kept = write()
  const heard = one.freshness.heard(kept)
  t.false(await isAtOnce(heard))
  one.arrives(kept)
  await heard
  t.pass()
})

/** Connections between processes, over which what is told is heard at once. */
const connected = () => {
  const listeners = new Map<string, (message: string) => void>()
  const told: string[] = []
  const peersOf = (id: string): Peers => ({
    tell(to, message) {
      told.push(message)
      listeners.get(to)?.(message)
      return listeners.has(to)
    },
    listen(heard) {
      listeners.set(id, heard)
      return () => listeners.delete(id)
    },
  })
  return { peersOf, told, cut: () => listeners.clear() }
}
