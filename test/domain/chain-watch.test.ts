import test from 'ava'
import { chainWatch } from '../../domain/chains/chain-watch.ts'
import { given } from '../support/given.ts'
import { transferData } from './samples.ts'

const scan = (height: number, transfers: (typeof transferData)[] = []) => ({
  network: 'eth',
  height,
  hash: `0x${height}`,
  head: height + 2,
  transfers,
})
const scanned = (height: number) =>
  ({ type: 'BlocksScanned', data: { network: 'eth', height, hash: `0x${height}` } }) as const
const many = (count: number) => Array.from({ length: count }, (_, n) => ({ ...transferData, index: String(n) }))

test('transfers and cursor are written together', (t) => {
  given(t, chainWatch)
    .when('scanned', scan(7, [transferData]))
    .yields({ type: 'TransfersSeen', data: { network: 'eth', transfers: [transferData], head: 9 } }, scanned(7))
  given(t, chainWatch).when('scanned', scan(0)).yields(scanned(0))
})

test('the cursor never goes back, and blocks that were read are not read again', (t) => {
  given(t, chainWatch, scanned(7))
    .when('scanned', scan(7, [transferData]))
    .yieldsNothing()
  given(t, chainWatch, scanned(7))
    .when('scanned', scan(6, [transferData]))
    .yieldsNothing()
  given(t, chainWatch, scanned(7)).when('scanned', scan(8)).yields(scanned(8))
})

test('many transfers go out in pages of a hundred, in order, none left out', (t) => {
  for (const [count, pages] of [
    [0, 0],
    [1, 1],
    [100, 1],
    [101, 2],
    [250, 3],
  ] as const) {
    const events = chainWatch.decide.scanned(chainWatch.initial, scan(9, many(count)), '')
    t.is(events.length, pages + 1)
    t.is(events.at(-1)?.type, 'BlocksScanned')
    const seen = events.flatMap((event) => (event.type === 'TransfersSeen' ? event.data.transfers : []))
    t.deepEqual(seen, many(count))
    for (const event of events) t.true(JSON.stringify(event).length < 65_536)
  }
})

test('N-24 a reorganised chain is read again from further back, and only back', (t) => {
  const back = { network: 'eth', from: 7, height: 3 }
  const reorganised = { type: 'BlocksReorganised', data: back } as const
  given(t, chainWatch, scanned(7)).when('reorganised', back).yields(reorganised)
  given(t, chainWatch, scanned(7), reorganised).when('reorganised', back).yieldsNothing()
  given(t, chainWatch, scanned(7), reorganised).when('scanned', scan(5)).yields(scanned(5))
  given(t, chainWatch).when('reorganised', back).yieldsNothing()
})
