/**
 * Every event has an example that never changes, so that a log of any age can still be read; and nothing that happens
 * goes unseen.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { type AnyDecider, fold } from '../domain/kernel/decider.ts'
import type { RecordedEvent } from '../domain/kernel/ports.ts'
import { factsOf, phaseOf } from '../domain/reading/life-facts.ts'
import { deciders, type EventType } from '../domain/write-side/deciders.ts'
import knownFields from '../domain/write-side/event-fields.json' with { type: 'json' }
import { upcast, versionOf } from '../domain/write-side/upcasts.ts'
import { activityProjection } from '../projections/audit/activity.ts'
import { timelineProjection } from '../projections/audit/timeline.ts'
import type { Change } from '../projections/engine/projection.ts'
import { projections } from '../projections/index.ts'
import { notShown } from '../projections/not-shown.ts'
import { withLinesOf } from '../src/catalogue/code-places.ts'
import { readCatalogue } from '../src/catalogue/events.ts'
import { markdown } from '../src/catalogue/events-page.ts'
import { deepTest } from './support/deep-test.ts'

type Golden = { type: EventType; v: number; data: object }

const golden: Golden[] = JSON.parse(readFileSync(new URL('golden/events.json', import.meta.url), 'utf8'))
const all: readonly AnyDecider[] = Object.values(deciders)
const types = all.flatMap(({ evolve }) => Object.keys(evolve)).sort()
const stream = (type: string) => `${all.find(({ evolve }) => type in evolve)?.category}-golden`

test('every event type belongs to one aggregate and has golden examples of its newest version', (t) => {
  t.is(new Set(types).size, types.length)
  for (const type of types) {
    const examples = golden.filter((event) => event.type === type)
    t.true(
      examples.some(({ v }) => v === versionOf(type)),
      type,
    )
  }
  for (const { type, v } of golden) t.true(types.includes(type) && v <= versionOf(type), type)
})

test('what a reader of a log knows as ours are the events of the deciders, category by category', (t) => {
  const known = Object.entries(knownFields).map(([category, each]) => [category, Object.keys(each).sort()])
  t.deepEqual(
    Object.fromEntries(known),
    Object.fromEntries(all.map(({ category, evolve }) => [category, Object.keys(evolve).sort()])),
  )
})

/** It takes a whole compilation, so the tests share one. */
const catalogueOnce = readCatalogue()

test('every event survives JSON, and an old one is brought forward to the fields of today', async (t) => {
  const { aggregates } = await catalogueOnce
  const fields = new Map(aggregates.flatMap(({ events }) => events.map((event) => [event.type, event.fields])))
  for (const { type, v, data } of golden) {
    t.deepEqual(JSON.parse(JSON.stringify(data)), data)
    const names = Object.keys(upcast(type, v, data))
    const known = fields.get(type) ?? []
    const required = known.filter(({ optional }) => !optional).map(({ name }) => name)
    t.deepEqual(
      required.filter((name) => !names.includes(name)),
      [],
      type,
    )
    t.true(
      names.every((name) => known.some((field) => field.name === name)),
      type,
    )
  }
})

test('each field by which an event tells of VAT, of a rate or of what its money was worth has an example', async (t) => {
  const { aggregates, types: named } = await catalogueOnce
  const texts = new Map(named.map(({ name, text, fields }) => [name, [text, ...fields.map(fieldText)].join(' ')]))
  for (const { type, fields } of aggregates.flatMap(({ events }) => events)) {
    const examples = golden.filter((event) => event.type === type).map(({ data }) => data as Record<string, unknown>)
    for (const field of fields) {
      const told = namesWithin(fieldText(field), texts).filter((name) => MONEY_FACTS.has(name))
      const shown = examples.flatMap((data) =>
        field.name in data ? [field.name, ...keysWithin(data[field.name])] : [],
      )
      t.deepEqual(
        told.filter((name) => !shown.includes(name)),
        [],
        `${type}: ${field.name}`,
      )
    }
  }
})

const fieldText = ({ name, type }: { readonly name: string; readonly type: string }) => `${name}: ${type}`

/** The names of fields in the text of a type, and in the types that it names. Money is never a `number`. */
const namesWithin = (text: string, texts: Map<string, string>, seen = new Set<string>()): readonly string[] => [
  ...(text.match(/\w+(?=\??: (?!number))/g) ?? []),
  ...(text.match(/\b[A-Z]\w+/g) ?? []).flatMap((name) => {
    const within = seen.has(name) ? undefined : texts.get(name)
    seen.add(name)
    return within === undefined ? [] : namesWithin(within, texts, seen)
  }),
]

const keysWithin = (value: unknown): readonly string[] =>
  value instanceof Object
    ? [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(keysWithin)]
    : []

const MONEY_FACTS: ReadonlySet<string> = new Set([
  'vat',
  'rateSource',
  'ownPrice',
  'worth',
  'holder',
  'stands',
  'aside',
])

test('no number in an event has a fraction, so that amounts stay exact', (t) => {
  const numbers = (value: unknown): number[] =>
    typeof value === 'number' ? [value] : Object.values(value instanceof Object ? value : {}).flatMap(numbers)
  for (const { type, data } of golden) t.true(numbers(data).every(Number.isSafeInteger), type)
})

test('every aggregate takes up its golden events, alone and one after the other', (t) => {
  for (const each of all) {
    const own = golden
      .filter(({ type }) => type in each.evolve)
      .map(({ type, v, data }) => ({ type, data: upcast(type, v, data) }))
    for (const event of own) t.notThrows(() => fold(each, [event]), event.type)
    t.notThrows(() => fold(each, own), each.category)
    t.deepEqual(fold(each, own), fold(each, own), each.category)
  }
})

test('every event is on the timeline; another read model than activity shows it too, or it is named as not shown with the reason', (t) => {
  t.deepEqual(Object.keys(timelineProjection.on).sort(), [...types].sort())
  // What people did is a list of names, as the timeline is.
  const others = projections.filter((each) => each !== timelineProjection && each !== activityProjection)
  const shown = new Set(others.flatMap(({ on }) => Object.keys(on)))
  t.deepEqual(
    types.filter((type) => !shown.has(type) && !notShown[type]),
    [],
  )
  t.deepEqual(
    Object.keys(notShown).filter((type) => !types.includes(type) || shown.has(type)),
    [],
  )
})

test('what the life of a transaction tells of an event is text, and nothing that is sealed', (t) => {
  for (const { type, v, data } of golden) {
    const event = { type, data: upcast(type, v, data), stream: stream(type) } as unknown as RecordedEvent
    const facts = Object.values(factsOf(event))
    t.true(
      facts.every((fact) => typeof fact === 'string' && !/v1\.|undefined|NaN/.test(fact)),
      type,
    )
    t.is(typeof phaseOf(event), 'string')
  }
})

test('every read model takes up the golden events it shows', (t) => {
  for (const { name, on, tables } of projections) {
    for (const [n, { type, v, data }] of golden.entries()) {
      const handler = on[type] as ((event: object) => Change | readonly Change[]) | undefined
      const cause = { actor: 'golden', correlationId: 'golden' }
      const place = {
        id: 'golden',
        stream: stream(type),
        revision: 0n,
        position: BigInt(n),
        at: '2026-03-02T10:00:00.000Z',
      }
      const changes = [handler?.({ type, data: upcast(type, v, data), ...place, cause }) ?? []].flat()
      for (const { table } of changes)
        t.true(
          tables.some((each) => each.name === table),
          `${name} ${type} ${table}`,
        )
    }
  }
  t.true(projections.length > 0)
})

test('an event of an old shape is brought forward step by step, one of today is left as it is', (t) => {
  const table = {
    'NameGiven@1': ({ name }: { name: string }) => ({ names: name.split(' ') }),
    'NameGiven@2': ({ names }: { names: string[] }) => ({ first: names[0], last: names.at(-1) }),
  }
  const newest = { first: 'Ada', last: 'Lovelace' }
  t.is(versionOf('NameGiven', table), 3)
  t.is(versionOf('NameTaken', table), 1)
  t.deepEqual(upcast('NameGiven', 1, { name: 'Ada King Lovelace' }, table), newest)
  t.deepEqual(upcast('NameGiven', 2, { names: ['Ada', 'Lovelace'] }, table), newest)
  t.is(upcast('NameGiven', 3, newest, table), newest)
  t.is(upcast('NameTaken', 1, newest, table), newest)
})

deepTest('the catalogue tells every event, with the words written above it and above its fields', async (t) => {
  const catalogue = await catalogueOnce
  const told = catalogue.aggregates.flatMap(({ events }) => events.map(({ type }) => type))
  t.deepEqual(told.sort(), types)
  const challenge = catalogue.aggregates.find(({ name }) => name === 'challenge')
  t.is(challenge?.stream, 'challenge-<id>')
  t.true(challenge?.purpose.startsWith('One answer to "how can I pay this?"'))
  const opened = challenge?.events.find(({ type }) => type === 'ChallengeOpened')
  t.like(
    opened?.fields.find(({ name }) => name === 'amount'),
    { type: 'Units', optional: false, doc: 'Fiat price in millionths, and the same in US dollars at the locked rate.' },
  )
  t.true(catalogue.types.some(({ name, fields }) => name === 'ChallengeEntry' && fields.length > 5))
  t.true(markdown(catalogue).includes('\n### ChallengeOpened\n'))
  t.true(
    markdown(catalogue).includes(
      'Decided by `challenge.settle`, `challenge.simulate`. Answered by `bill-settlement`, ',
    ),
  )
  const undecided = catalogue.aggregates.flatMap(({ events }) =>
    events.flatMap(({ type, commands }) => (commands.length === 0 ? [type] : [])),
  )
  t.deepEqual(undecided, [], 'each event is one that some command decides')
  t.is(markdown(catalogue), markdown(await readCatalogue()))
})

test('a page leads to the line at which a name is declared, and to no name that is gone', async (t) => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const page = (name: string) =>
    `See \`${name}\` in\n  [code-places.ts](src/catalogue/code-places.ts) (1), which is short.`
  const lines = readFileSync(join(root, 'src/catalogue/code-places.ts'), 'utf8').split('\n')
  const line = lines.findIndex((each) => each.startsWith('export const withLinesOf')) + 1
  t.is(await withLinesOf(root, page('withLinesOf')), page('withLinesOf').replace('(1)', `(${line})`))
  await t.throwsAsync(withLinesOf(root, page('withLines')), { message: /code-places\.ts declares no withLines/ })
  await t.throwsAsync(withLinesOf(root, page('withLinesOf').replace('code-places.ts)', 'gone.ts)')), { code: 'ENOENT' })
})
