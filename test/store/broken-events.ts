/**
 * Events that the ledger cannot read, in every stream that it has: a golden event of each category, broken in every way
 * that another program may break it.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { binaryEvent, type EventData, jsonEvent } from '@eventstore/db-client'
import { deciders } from '../../domain/write-side/deciders.ts'
import fields from '../../domain/write-side/event-fields.json' with { type: 'json' }

type Golden = { readonly type: string; readonly v: number; readonly data: Readonly<Record<string, string>> }

const golden: readonly Golden[] = JSON.parse(readFileSync(new URL('../golden/events.json', import.meta.url), 'utf8'))

const META = { at: '2026-03-02T10:00:00.000Z', cause: { actor: 'other', correlationId: 'req_other' } }

/** The names of the fields that an event of a type has for certain. */
const fieldsOf = (type: string): string => {
  const types: Readonly<Record<string, string>> | undefined = Object.values(fields).find((each) => type in each)
  return types?.[type] ?? ''
}

/** The whole event of a category. */
const wholeOf = (category: string): Golden => {
  const decider = Object.values(deciders).find((each) => each.category === category)
  const own = golden.filter(({ type }) => decider && type in decider.evolve)
  const found = own.find(({ type }) => fieldsOf(type) !== '') ?? own[0]
  if (!found) throw new Error(`no golden event of ${category}`)
  return found
}

const metaOf = ({ v }: Golden) => ({ v, ...META })

const bytes = (text: string) => Buffer.from(text)

/** How an event is broken; each answers undefined where its event cannot be broken so. */
const breaks: Readonly<Record<string, (whole: Golden) => EventData | undefined>> = {
  'bad JSON': (whole) =>
    binaryEvent({
      id: randomUUID(),
      type: whole.type,
      data: bytes('{"half":'),
      metadata: bytes(JSON.stringify(metaOf(whole))),
    }),
  'binary data': (whole) =>
    binaryEvent({
      id: randomUUID(),
      type: whole.type,
      data: Buffer.from([0, 255, 10, 128, 34]),
      metadata: bytes(JSON.stringify(metaOf(whole))),
    }),
  'a list for data': (whole) => jsonEvent({ id: randomUUID(), type: whole.type, data: [1], metadata: metaOf(whole) }),
  'an unknown type': (whole) =>
    jsonEvent({ id: randomUUID(), type: `${whole.type}Elsewhere`, data: whole.data, metadata: metaOf(whole) }),
  'the type of another category': (whole) => {
    const other = golden.find(({ type }) => type === (whole.type === 'LogCopied' ? 'AccountSignedUp' : 'LogCopied'))
    return other && jsonEvent({ id: randomUUID(), type: other.type, data: other.data, metadata: metaOf(other) })
  },
  'an unknown version': (whole) =>
    jsonEvent({ id: randomUUID(), type: whole.type, data: whole.data, metadata: { ...metaOf(whole), v: 99 } }),
  'a missing field': (whole) => {
    const [name] = fieldsOf(whole.type).split(' ')
    const left = Object.fromEntries(Object.entries(whole.data).filter(([each]) => each !== name))
    return name ? jsonEvent({ id: randomUUID(), type: whole.type, data: left, metadata: metaOf(whole) }) : undefined
  },
  'no metadata': (whole) => jsonEvent({ id: randomUUID(), type: whole.type, data: whole.data }),
  'metadata that is no JSON': (whole) =>
    jsonEvent({ id: randomUUID(), type: whole.type, data: whole.data, metadata: Buffer.from([0, 1, 255]) }),
  'no time': (whole) =>
    jsonEvent({ id: randomUUID(), type: whole.type, data: whole.data, metadata: { ...metaOf(whole), at: 'today' } }),
}

export type BrokenEvent = { readonly stream: string; readonly how: string; readonly event: EventData }

/** Every category broken in every way, each event in a stream of its own. */
export const brokenEvents = (): readonly BrokenEvent[] =>
  Object.values(deciders).flatMap(({ category }) =>
    Object.entries(breaks).flatMap(([how, broken]) => {
      const event = broken(wholeOf(category))
      return event ? [{ stream: `${category}-${randomUUID()}`, how, event }] : []
    }),
  )

/** A whole event of every category. */
export const wholeEvents = (): readonly Omit<BrokenEvent, 'how'>[] =>
  Object.values(deciders).map(({ category }) => {
    const whole = wholeOf(category)
    const { type, data } = whole
    return {
      stream: `${category}-${randomUUID()}`,
      event: jsonEvent({ id: randomUUID(), type, data, metadata: metaOf(whole) }),
    }
  })
