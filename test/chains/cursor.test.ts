import test from 'ava'
import {
  type Cursor,
  type CursorStanding,
  firstCursor,
  movedCursor,
  placeOf,
} from '../../adapters/chains/rpc/cursor.ts'
import { networkOf } from '../../domain/kernel/networks.ts'
import type { Chain, ChainHead } from '../../domain/kernel/ports.ts'

/** A chain as far as a cursor asks it: hashes by height; a height without one was skipped. */
const chainOf = (hashes: Readonly<Record<number, string>>) => {
  const asked: number[] = []
  const chain = {
    hashAt: async (height: number) => {
      asked.push(height)
      return hashes[height]
    },
  } as unknown as Chain
  return { chain, asked }
}
const headAt = (height: number, hash = `${height}`): ChainHead => ({ height, hash })
const plain = (from: number, to: number) =>
  Object.fromEntries(Array.from({ length: to - from + 1 }, (_, n) => [from + n, `${from + n}`]))

/** A cursor that has read block after block. */
const readTo = (from: number, to: number): Cursor => {
  let cursor = firstCursor({ height: from, hash: `${from}` }, headAt(to))
  for (let height = from + 1; height <= to; height++) cursor = movedCursor(cursor, height, `${height}`, false)
  return cursor
}
const look = (chain: Chain, cursor: Cursor, head: ChainHead): Promise<CursorStanding> => {
  const network = networkOf('eth')
  if (!network) throw new Error('there is no network eth')
  return placeOf(chain, network, cursor, head)
}
/** Looks until it is sure; how many looks that took. */
const lookLong = async (chain: Chain, from: Cursor, head: ChainHead) => {
  let cursor = from
  for (let looks = 1; ; looks++) {
    const place = await look(chain, cursor, head)
    if (place.kind !== 'unsure') return { place, looks }
    cursor = place.cursor
  }
}

test('a first watch begins a little below the newest block, a later one where the log says', (t) => {
  t.like(firstCursor({ height: -1, hash: '' }, headAt(500)), { height: 400, recorded: -1, blocks: [] })
  t.like(firstCursor({ height: -1, hash: '' }, headAt(5)), { height: -1 })
  t.like(firstCursor({ height: 7, hash: 'x' }, headAt(500)), {
    height: 7,
    recorded: 7,
    blocks: [{ height: 7, hash: 'x' }],
  })
})

test('while the newest block stands nothing is asked but its hash', async (t) => {
  const { chain, asked } = chainOf(plain(0, 30))
  t.is((await look(chain, readTo(10, 20), headAt(20))).kind, 'sure')
  t.deepEqual(asked, [])
  t.is((await look(chain, readTo(10, 20), headAt(30))).kind, 'sure')
  t.deepEqual(asked, [20])
})

test('N-24 another hash in the place of a block is a reorganisation, and only what was replaced is read again', async (t) => {
  const { chain } = chainOf({ ...plain(0, 17), 18: 'b', 19: 'b', 20: 'b', 21: 'b' })
  const place = await look(chain, { ...readTo(10, 20), recorded: 19 }, headAt(21, 'b'))
  t.like(place, { kind: 'reorganised', from: 20, cursor: { height: 17, recorded: 17, doubts: 0 } })
  t.deepEqual(place.cursor.blocks.at(-1), { height: 17, hash: '17' })
})

test('N-24 when none of the remembered blocks is there it goes back twice the depth at which payments count', async (t) => {
  const { chain } = chainOf({ 200: 'b', 201: 'b' })
  const after = firstCursor({ height: 200, hash: '200' }, headAt(201))
  t.like(await look(chain, after, headAt(201, 'b')), { kind: 'reorganised', cursor: { height: 136, blocks: [] } })
})

test('N-24 a head that goes back is no reorganisation: another provider may lag behind', async (t) => {
  const { chain } = chainOf(plain(0, 20))
  let cursor = readTo(10, 20)
  for (let n = 0; n < 5; n++) {
    const place = await look(chain, cursor, headAt(17))
    t.is(place.kind, 'unsure')
    cursor = place.cursor
  }
  t.is(cursor.height, 20)
  const back = await look(chain, cursor, headAt(20))
  t.like(back, { kind: 'sure', cursor: { height: 20, doubts: 0 } })
})

test('N-24 a chain that stays shorter, and a block that is skipped for good, are reorganisations after a while', async (t) => {
  const shorter = await lookLong(chainOf(plain(0, 17)).chain, readTo(10, 20), headAt(17))
  t.like(shorter, { looks: 10, place: { kind: 'reorganised', cursor: { height: 17 } } })
  const { 20: _, ...skipped } = plain(0, 40)
  const fork = await lookLong(chainOf(skipped).chain, readTo(10, 20), headAt(40))
  t.like(fork, { looks: 10, place: { kind: 'reorganised', cursor: { height: 19 } } })
  const young = await lookLong(chainOf(plain(0, 5)).chain, readTo(10, 20), headAt(5))
  t.like(young, { looks: 10, place: { kind: 'reorganised', cursor: { height: -1 } } })
})

test('heights that a chain skipped are passed over, and the block before them is what is looked for', async (t) => {
  const { chain } = chainOf({ 10: '10', 14: '14' })
  const cursor = movedCursor(firstCursor({ height: 10, hash: '10' }, headAt(14)), 13, undefined, true)
  t.like(cursor, { height: 13, recorded: 13 })
  t.is((await look(chain, cursor, headAt(14))).kind, 'sure')
})
