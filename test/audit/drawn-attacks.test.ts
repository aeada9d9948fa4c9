/**
 * Attacks that are drawn: whatever is cut, spliced, forked, sealed anew or brought along, a log passes by the true key
 * and a checkpoint only when it begins with the history of that checkpoint.
 */
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { knownHead, type WitnessedHead } from '../../adapters/audit/containment.ts'
import { trustedKeys } from '../../adapters/audit/trusted-keys.ts'
import { verifier } from '../../adapters/audit/verify.ts'
import type { StoredBytes } from '../../adapters/store/base/bytes.ts'
import { lineOf } from '../../adapters/store/base/log-line.ts'
import { runs } from '../support/depth.ts'
import {
  changed,
  type HonestLog,
  honestLog,
  isOfSeals,
  linesOf,
  resealed,
  rewritten,
  withoutSeals,
} from '../support/forged-log.ts'

type Scene = { readonly t: ExecutionContext; readonly ours: HonestLog; readonly other: HonestLog }
type Events = readonly StoredBytes[]

/** Places of an attack in the log, each as a part of its length. */
type Draw = { readonly at: number; readonly to: number; readonly atOnce: number }

const between = (events: Events, part: number): number => Math.floor(part * events.length)

/** Copies of events under ids of their own, as new ones would have. */
const renamed = (events: Events): Events =>
  events.map((event, n) => ({
    ...event,
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    stream: `spliced-${n}`,
  }))

const attacks: Readonly<Record<string, (scene: Scene, draw: Draw) => Promise<Events> | Events>> = {
  'nothing was done': ({ ours }) => ours.events,
  'cut at its end': ({ ours: { events } }, { at }) => events.slice(0, between(events, at)),
  'cut at its beginning': ({ ours: { events } }, { at }) => events.slice(between(events, at)),
  'cut in the middle': ({ ours: { events } }, { at, to }) => [
    ...events.slice(0, between(events, Math.min(at, to))),
    ...events.slice(between(events, Math.max(at, to))),
  ],
  'an event changed': ({ ours: { events } }, { at }) => {
    const place = between(events, at)
    return events.map((event, n) => (n === place ? changed(event) : event))
  },
  'events of its own spliced in': ({ ours: { events } }, { at, to }) =>
    events.toSpliced(between(events, at), 0, ...renamed(events.slice(0, 1 + between(events, to) / 8))),
  'events of another log spliced in': ({ ours: { events }, other }, { at, to }) =>
    events.toSpliced(between(events, at), 0, ...other.events.slice(0, 1 + between(events, to) / 4)),
  'two events swapped': ({ ours: { events } }, { at }) => {
    const place = Math.min(between(events, at), events.length - 2)
    return [...events.slice(0, place), events[place + 1], events[place], ...events.slice(place + 2)].flatMap(
      (e) => e ?? [],
    )
  },
  'seals dropped from a place on': ({ ours: { events } }, { at }) => [
    ...events.slice(0, between(events, at)),
    ...withoutSeals(events.slice(between(events, at))),
  ],
  'all seals dropped': ({ ours: { events } }) => withoutSeals(events),
  'the keys dropped, too': ({ ours: { events } }) => events.filter((event) => !isOfSeals(event)),
  'sealed anew with the true key': ({ t, ours: { events } }, { atOnce }) => resealed(t, events, atOnce),
  'forged and sealed anew with the true key': ({ t, ours: { events } }, { at, atOnce }) => {
    const place = between(events, at)
    return resealed(
      t,
      events.map((event, n) => (n === place ? changed(event) : event)),
      atOnce,
    )
  },
  'forged, and only its end sealed anew': async ({ t, ours: { events } }, { at, atOnce }) => {
    const place = between(events, at)
    return resealed(
      t,
      events.map((event, n) => (n === place ? changed(event) : event)),
      atOnce,
      place,
    )
  },
  'cut, and gone on with the true key': ({ t, ours: { events } }, { at, to, atOnce }) =>
    resealed(
      t,
      [...events.slice(0, between(events, at)), ...renamed(events.slice(0, between(events, to)))],
      atOnce,
      between(events, at),
    ),
  'sealed anew with a key of its own': ({ t, ours: { events } }, { atOnce }) =>
    resealed(
      t,
      events.filter((event) => !isOfSeals(event)),
      atOnce,
    ),
  'another log': ({ other }) => other.events,
  'the beginning of this log, the end of another': ({ ours: { events }, other }, { at }) => [
    ...events.slice(0, between(events, at)),
    ...other.events.slice(between(events, at)),
  ],
  'an empty log': () => [],
  'gone on honestly': ({ t, ours: { events } }, { to, atOnce }) =>
    resealed(t, [...events, ...renamed(events.slice(0, between(events, to)))], atOnce, events.length),
  'the first event sealed as a log of its own': ({ t, ours: { events } }) => resealed(t, events.slice(0, 1)),
}

/** Whether a log passes by the keys and heads that are brought along, and which of these it does not contain. */
const look = (events: Events, keys: readonly string[], known: readonly WitnessedHead[]) => {
  const verify = verifier(trustedKeys(keys), { known: known.map((witness) => knownHead(witness, 'the auditor')) })
  for (const event of events) if (verify.add(lineOf(event, 0n))) break
  return verify.end()
}

const draws = fc.record({
  attack: fc.constantFrom(...Object.keys(attacks)),
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  to: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  atOnce: fc.integer({ min: 2, max: 30 }),
  checkpoint: fc.nat(100),
  /** Whose checkpoint it is that is brought along. */
  isOther: fc.boolean(),
})

test('by the true key and a checkpoint only a log passes that begins with the history of the checkpoint', async (t) => {
  const [ours, other] = [await honestLog(t), await honestLog(t)]
  const seen = new Map<string, { passed: number; failed: number }>()
  const attempt = async ({
    attack,
    at,
    to,
    atOnce,
    checkpoint,
    isOther,
  }: typeof draws extends fc.Arbitrary<infer D> ? D : never) => {
    const events = [...((await attacks[attack]?.({ t, ours, other }, { at, to, atOnce })) ?? [])]
    const log = await rewritten(t, events)
    const { witnesses } = isOther && checkpoint % 4 === 0 ? other : ours
    const witness = witnesses[checkpoint % witnesses.length]
    if (!witness) return t.fail()
    const owner = witnesses === ours.witnesses ? ours : other
    const history = linesOf(owner.events.slice(0, witness.head.size))
    const isPrefix = history.every((line, n) => line === linesOf(log.slice(n, n + 1))[0])
    const { wrong, parting } = look(log, witness.publicKeys, [witness])
    const said = JSON.stringify({
      attack,
      at,
      to,
      atOnce,
      size: witness.head.size,
      wrong: wrong?.what,
      parting: parting?.why,
    })
    if (!wrong) t.true(isPrefix, `passed: ${said}`)
    if (!isPrefix) t.true(wrong !== undefined, `passed: ${said}`)
    if (parting) {
      const found = linesOf(log)
      const first = history.findIndex((line, n) => line !== found[n])
      t.is(parting.known.size, witness.head.size, said)
      t.true(
        parting.from <= first && first < parting.to,
        `${parting.from} to ${parting.to}, and they part at ${first}: ${said}`,
      )
    }
    const counts = seen.get(attack) ?? { passed: 0, failed: 0 }
    seen.set(attack, { passed: counts.passed + (wrong ? 0 : 1), failed: counts.failed + (wrong ? 1 : 0) })
  }
  // Each kind once, and then as they are drawn.
  for (const attack of Object.keys(attacks))
    await attempt({ attack, at: 0.4, to: 0.7, atOnce: 8, checkpoint: 3, isOther: false })
  await fc.assert(fc.asyncProperty(draws, attempt), { numRuns: runs({ quick: 24, deep: 600 }) })
  t.true((seen.get('nothing was done')?.passed ?? 0) > 0)
  t.true((seen.get('gone on honestly')?.passed ?? 0) > 0)
})
