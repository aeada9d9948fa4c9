import {
  END,
  eventTypeFilter,
  type Filter,
  type Position,
  type ResolvedEvent,
  streamNameFilter,
} from '@eventstore/db-client'
import test from 'ava'
import { connected, event } from './client.ts'

// One after the other: the batch path of this client mixes up the answers of two clients in one process.
const { serial } = test

const filters: readonly (readonly [string, Omit<Filter, 'checkpointReached'>, readonly string[]])[] = [
  ['stream prefixes', streamNameFilter({ prefixes: ['car-', 'bus-'] }), ['Sold', 'Built', 'Rented']],
  ['a stream expression', streamNameFilter({ regex: '^car-\\d$' }), ['Sold', 'Rented']],
  ['type prefixes', eventTypeFilter({ prefixes: ['Re', 'Bu'] }), ['Built', 'Rented', 'Removed']],
  ['a type expression', eventTypeFilter({ regex: '^[^$].*ed$' }), ['Rented', 'Removed']],
]
for (const [name, filter, expected] of filters)
  serial(`a subscription to all filters by ${name} and reports checkpoints`, async (t) => {
    const { client } = await connected(t)
    for (const [stream, type] of [
      ['car-1', 'Sold'],
      ['bus-1', 'Built'],
      ['car-2', 'Rented'],
      ['van-1', 'Removed'],
    ] as const)
      await client.appendToStream(stream, event(type))
    const checkpoints: Position[] = []
    let last: bigint | undefined
    const subscription = client.subscribeToAll({
      filter: {
        ...filter,
        maxSearchWindow: 2,
        checkpointReached: (_, position) => void checkpoints.push(position),
      } as Filter,
    })
    const seen: string[] = []
    const caughtUp = new Promise((resolve) => subscription.on('caughtUp', resolve))
    subscription.on('data', ({ event: each }) => {
      seen.push(each?.type ?? '')
      last = each?.position?.commit
    })
    await caughtUp
    await new Promise((resolve) => setTimeout(resolve, 50))
    t.deepEqual(seen, [...expected])
    t.true(checkpoints.length >= 2)
    t.true((checkpoints.at(-1)?.commit ?? 0n) >= (last ?? 0n))
    await subscription.unsubscribe()
  })

serial('a filter that is no expression is refused', async (t) => {
  const { client } = await connected(t)
  const subscription = client.subscribeToAll({ filter: streamNameFilter({ regex: '(' }) })
  const error = await new Promise<Error>((resolve) => subscription.on('error', resolve))
  t.regex(error.message, /INVALID_ARGUMENT/)
})

serial('a subscription to a stream starts after its revision and goes on live', async (t) => {
  const { client } = await connected(t)
  await client.appendToStream('a', [event('0'), event('1')])
  await client.appendToStream('b', event('other'))
  const seen: string[] = []
  const subscription = client.subscribeToStream('a', { fromRevision: 0n })
  for await (const { event: each } of subscription) {
    seen.push(each?.type ?? '')
    if (seen.length === 1) await client.appendToStream('a', event('2'))
    if (seen.length === 2) break
  }
  await subscription.unsubscribe()
  t.deepEqual(seen, ['1', '2'])
})

serial('a subscription from the end shows only what is new, also of a stream that is yet to come', async (t) => {
  const { client } = await connected(t)
  await client.appendToStream('a', event('old'))
  const subscriptions = [
    client.subscribeToAll({ fromPosition: END }),
    client.subscribeToStream('b', { fromRevision: END }),
  ]
  const firsts = subscriptions.map(
    (each) =>
      new Promise<string | undefined>((resolve) => each.once('data', (r: ResolvedEvent) => resolve(r.event?.type))),
  )
  await Promise.all(subscriptions.map((each) => new Promise((resolve) => each.on('caughtUp', resolve))))
  await client.appendToStream('b', event('new'))
  t.deepEqual(await Promise.all(firsts), ['new', 'new'])
  await Promise.all(subscriptions.map((each) => each.unsubscribe()))
})

serial('stopping ends subscriptions in order and leaves the log open', async (t) => {
  const { client, served, core } = await connected(t)
  const subscription = client.subscribeToAll()
  await new Promise((resolve) => subscription.on('caughtUp', resolve))
  const ended = new Promise((resolve) => {
    subscription.on('end', resolve).resume()
    subscription.on('error', resolve)
  })
  await served.stop()
  await ended
  t.false(core.closed())
})
