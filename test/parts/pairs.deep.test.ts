/**
 * Every pair of parts, each taken back to an earlier copy of itself, gone, or another ledger's: the service serves
 * rightly, or it refuses by name and writes nothing.
 */
import { existsSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import type { Misfit } from '../../src/parts/part.ts'
import type { StoreKind } from '../support/app.ts'
import { signUp } from '../support/seller.ts'
import { answersOf, eventsOf, examined, live, lived, refused } from './lives.ts'
import type { Copy, Installation, PlacedPart } from './stage.ts'

type Way = 'older' | 'gone' | 'foreign'

/** What each alone is refused for, by the part that says so; nothing where it is served. */
const ALONE: Readonly<Record<PlacedPart, Readonly<Record<Way, readonly `${string}: ${Misfit}`[]>>>> = {
  log: {
    older: ['database: log-older', 'mirror: log-older', 'witness: log-older'],
    gone: ['database: log-gone', 'mirror: log-gone', 'witness: log-gone'],
    foreign: ['database: another-log', 'witness: another-log'],
  },
  database: {
    older: ['data keys: keys-missing'],
    gone: ['data keys: keys-missing'],
    foreign: ['database: another-log', 'master key: master-key'],
  },
  'data keys': {
    older: ['data keys: keys-missing'],
    gone: ['data keys: keys-missing'],
    foreign: ['data keys: keys-missing', 'master key: master-key'],
  },
  // It never changes, so that an earlier copy is the same.
  'master key': { older: [], gone: ['master key: master-key'], foreign: ['master key: master-key'] },
  mirror: { older: [], gone: [], foreign: [] },
  witness: { older: [], gone: [], foreign: ['witness: another-log'] },
}

const PARTS = Object.keys(ALONE) as readonly PlacedPart[]
const WAYS: readonly Way[] = ['older', 'gone', 'foreign']

type Change = readonly [PlacedPart, Way]
const EACH: readonly Change[] = PARTS.flatMap((part) => WAYS.map((way) => [part, way] as const))
/** The database is put back before the data keys in it. */
const PAIRS: readonly (readonly Change[])[] = EACH.flatMap((one, at) =>
  EACH.slice(at).flatMap((other) =>
    other[0] === one[0] && other !== one ? [] : [other === one ? [one] : [one, other]],
  ),
)

const told = (changes: readonly Change[]) => changes.map(([part, way]) => `${part} ${way}`).join(', ')

const playAll = async (t: ExecutionContext, kind: StoreKind) => {
  const { place, people } = await lived(t, kind)
  const older = await place.copy()
  people.push(...(await live(place, 3)))
  const answers = await answersOf(place, people)
  const newest = await place.copy()
  const other = await lived(t, kind)
  const copies = { older, foreign: await other.place.copy() }
  const sealed = (await eventsOf(place)).length
  for (const changes of PAIRS) {
    for (const part of PARTS) if (part !== 'data keys') await place.putBack(part, newest)
    for (const [part, way] of changes) await change(place, copies, part, way)
    const expected = changes.flatMap(([part, way]) => ALONE[part][way])
    if (expected.length > 0) await mustRefuse(t, place, changes, expected)
    else {
      t.deepEqual(await answersOf(place, people), answers, told(changes))
      await place.start()
      const { key } = await signUp(place)
      t.is((await place.call('GET', '/v1/wallets', { key })).status, 200, told(changes))
      await place.close()
      t.true((await eventsOf(place)).length > sealed)
    }
  }
}

const change = async (place: Installation, copies: Record<'older' | 'foreign', Copy>, part: PlacedPart, way: Way) =>
  way === 'gone' ? place.remove(part) : place.putBack(part, copies[way])

const mustRefuse = async (
  t: ExecutionContext,
  place: Installation,
  changes: readonly Change[],
  expected: readonly string[],
) => {
  const before = await lengthOf(place)
  const { report } = await refused(t, place)
  const found = report.parts.flatMap(({ part, misfit }) => (misfit ? [`${part}: ${misfit}`] : []))
  t.true(found.length > 0, told(changes))
  if (changes.length === 1) t.deepEqual(found, [...expected], told(changes))
  t.is(await lengthOf(place), before, `${told(changes)}: nothing is sealed, and nothing reacts`)
  await refused(t, place)
  const { ok, told: said } = await examined(place)
  t.deepEqual([ok, said.status], [false, 'unfit'], told(changes))
}

/** Events of the log, of which a lost one has none. */
const lengthOf = async (place: Installation): Promise<number> =>
  existsSync(place.files.log) ? (await eventsOf(place)).length : 0

for (const [kind, over] of [
  ['embedded', ''],
  ['eventstoredb', ' over EventStoreDB’s protocol'],
] as const)
  test.serial(
    `each pair of parts that is older, gone or another ledger's is served rightly or refused${over}`,
    async (t) => {
      t.timeout(3_600_000)
      await playAll(t, kind)
    },
  )
