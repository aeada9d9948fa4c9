import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { createExpiringSet } from '../../adapters/chains/rpc/expiring-set.ts'
import { createWatched, type WatchedPlaces } from '../../adapters/chains/watch/watched.ts'
import { startFeed } from '../../adapters/following/feed.ts'
import type { Sql } from '../../adapters/postgres/connect.ts'
import type { Feed } from '../../domain/kernel/following.ts'
import type { EventStore } from '../../domain/kernel/ports.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { addressClaimsProjection } from '../../projections/account/address-claims.ts'
import { readPlaces, type WatchedPlace } from '../../projections/chains/watched.ts'
import { challengesProjection } from '../../projections/selling/challenges.ts'
import { eventually } from '../../src/demo/stage.ts'
import { entry, opened } from '../domain/samples.ts'
import { following } from '../projections/setup.ts'
import { HANG_MS } from '../support/depth.ts'
import { gate } from '../support/ledger.ts'

const START = Date.parse('2026-03-02T10:00:00.000Z')
const MINUTE_MS = 60_000
const LATE_MS = 24 * 60 * MINUTE_MS
const NETWORKS = ['eth', 'base']
const TOKEN = '0x2222222222222222222222222222222222222222'

/** What the test itself knows to have been opened. */
type Opened = { network: string; address: string; contract: string | undefined; expiresAt: number; test: boolean }

type Setup = { t: ExecutionContext; sql: Sql; store: EventStore; feed: Feed; ledger: Ledger; clock: { now: number } }

const setup = async (t: ExecutionContext) => {
  const { start, ...rest } = await following(t, [challengesProjection, addressClaimsProjection])
  const feed = await startFeed(rest.store)
  t.teardown(() => feed.stop())
  return { ...rest, t, feed, start, clock: { now: START } }
}

/** Another process: it knows nothing yet. Addresses are looked for in lower case on the second network. */
const newWatched = ({ t, sql, store, feed, clock }: Setup, after: Feed['after'] = feed.after): WatchedPlaces => {
  const watched = createWatched({
    networks: new Map([
      ['eth', (address) => address],
      ['base', (address) => address.toLowerCase()],
    ]),
    sql,
    store,
    feed: { after },
    now: () => new Date(clock.now),
    log: { warn: () => {} },
  })
  t.teardown(() => watched.stop())
  return watched
}

let sets = 0
const open = async ({ ledger }: Setup, { network, address, contract, expiresAt, test: isTest }: Opened) => {
  const id = `ch_${String.fromCharCode(97 + (sets % 26)).repeat(20)}${(sets++)
    .toString()
    .padStart(6, '2')
    .replaceAll(/[0189]/g, (d) => 'wxyz'['0189'.indexOf(d)] as string)}`
  const one = { ...entry, network, payTo: address, ...(contract !== undefined && { asset: 'mine', contract }) }
  await ledger.challenge.open(id, {
    ...opened,
    entries: [one],
    test: isTest,
    expiresAt: new Date(expiresAt).toISOString(),
  })
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('open' as const),
      network: fc.constantFrom(...NETWORKS, 'sol'),
      address: fc.integer({ min: 0, max: 6 }).map((n) => `0xA${n}`),
      contract: fc.constantFrom(undefined, undefined, TOKEN),
      minutes: fc.integer({ min: 1, max: 90 }),
      test: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 1_000 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('look' as const, 'move' as const, 'follow' as const) }) },
)

test('after any history what is watched is what the read model would say, whichever process watches', async (t) => {
  t.timeout(HANG_MS)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const now = await setup(t)
      const known: Opened[] = []
      let watched = newWatched(now)
      let projector: ReturnType<typeof now.start> | undefined
      for (const each of steps) {
        if (each.kind === 'open') {
          const place = { ...each, expiresAt: now.clock.now + each.minutes * MINUTE_MS }
          known.push(place)
          await open(now, place)
        } else if (each.kind === 'wait') now.clock.now += each.minutes * MINUTE_MS
        else if (each.kind === 'look') await same(now, watched, known)
        else if (each.kind === 'move') watched = newWatched(now)
        else if (projector) projector = void (await projector.stop())
        else projector = now.start(challengesProjection)
      }
      await same(now, watched, known)
      projector ??= now.start(challengesProjection)
      t.true(await projector.progress.reached(await now.store.head(), 60_000))
      await projector.stop()
      await same(now, newWatched(now), known)
      await readModelSays(now, known)
    }),
    { numRuns: 25 },
  )
})

test('T-CHL-01 while what was opened last has not arrived here, there is no answer that would miss it', async (t) => {
  const now = await setup(t)
  const { opened: go, open: letGo } = gate()
  const watched = newWatched(now, async function* (position, signal) {
    await go
    yield* now.feed.after(position, signal)
  })
  await open(now, { network: 'eth', address: '0xA', contract: undefined, expiresAt: START + MINUTE_MS, test: false })
  t.is(await watched.on('eth'), undefined)
  letGo()
  const { addresses } = await eventually('an answer', () => watched.on('eth'))
  t.deepEqual([...addresses], ['0xA'])
})

test('a network that nobody watches and a database that fails have no answer, and it heals', async (t) => {
  const now = await setup(t)
  let fails = true
  const sql = new Proxy(now.sql, {
    get: (target, key) => (key === 'begin' && fails ? () => Promise.reject(new Error('no')) : Reflect.get(target, key)),
  })
  const watched = newWatched({ ...now, sql })
  await open(now, { network: 'eth', address: '0xA', contract: undefined, expiresAt: START + MINUTE_MS, test: false })
  t.is(await watched.on('nowhere'), undefined)
  t.is(await watched.on('eth'), undefined)
  fails = false
  const { addresses } = await eventually('an answer', () => watched.on('eth'))
  t.deepEqual([...addresses], ['0xA'])
})

test('a name stays until the latest time it was added with, and then leaves', (t) => {
  const set = createExpiringSet()
  set.add('a', 5 * MINUTE_MS)
  set.add('b', 2.5 * MINUTE_MS)
  set.add('a', 3 * MINUTE_MS)
  set.add('b', 10 * MINUTE_MS)
  const at = (minute: number) => {
    set.expire(minute * MINUTE_MS)
    return [...set.names].join('')
  }
  t.deepEqual([at(1), at(3), at(4.9), at(5), at(9), at(10)], ['ab', 'ab', 'ab', 'b', 'b', ''])
  set.add('a', 20 * MINUTE_MS)
  t.is(at(19), 'a')
})

/** Nothing is missing once there is an answer; what has expired is gone a minute later. */
const same = async ({ t, clock }: Setup, watched: WatchedPlaces, known: readonly Opened[]) => {
  for (const network of NETWORKS) {
    const found = await eventually('an answer', () => watched.on(network))
    const key = (address: string) => (network === 'base' ? address.toLowerCase() : address)
    const own = known.filter((place) => place.network === network)
    const late = (since: number) => own.filter(({ expiresAt }) => expiresAt + LATE_MS > since)
    const addresses = (since: number) =>
      sorted(late(since).flatMap(({ address, test: isTest }) => (isTest ? [] : [key(address)])))
    const contracts = (since: number) => sorted(late(since).flatMap(({ contract }) => contract ?? []))
    for (const [what, expected] of [
      [found.addresses, addresses],
      [found.contracts, contracts],
    ] as const) {
      const got = sorted(what)
      t.deepEqual(
        expected(clock.now).filter((name) => !got.includes(name)),
        [],
        'missing',
      )
      t.deepEqual(
        got.filter((name) => !expected(clock.now - MINUTE_MS).includes(name)),
        [],
        'too long',
      )
    }
  }
}

const readModelSays = async ({ t, sql, clock }: Setup, known: readonly Opened[]) => {
  const rows: WatchedPlace[] = []
  const since = new Date(clock.now - LATE_MS).toISOString()
  await readPlaces(sql, NETWORKS, since, (page) => rows.push(...page))
  const live = known.filter(({ network, expiresAt }) => NETWORKS.includes(network) && expiresAt + LATE_MS > clock.now)
  const names = (kind: string) =>
    sorted(rows.flatMap((row) => (row.kind === kind ? [`${row.network} ${row.name}`] : [])))
  t.deepEqual(
    names('address'),
    sorted(live.flatMap(({ network, address, test: isTest }) => (isTest ? [] : [`${network} ${address}`]))),
  )
  t.deepEqual(
    names('contract'),
    sorted(live.flatMap(({ network, contract }) => (contract ? [`${network} ${contract}`] : []))),
  )
}

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].toSorted()
