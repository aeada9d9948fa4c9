import test from 'ava'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { readAhead } from '../../projections/engine/read-ahead.ts'
import { gate, turns } from '../support/ledger.ts'

type Page = readonly RecordedEvent[]

test('a lone page is handed over at once, before another is there', async (t) => {
  const more = gate()
  const reader = readAhead(async function* () {
    yield page(1)
    await more.opened
    yield page(2)
  })
  t.deepEqual(positions(await reader.next()), [1n])
  const second = reader.next()
  more.open()
  t.deepEqual(positions(await second), [2n])
  t.true((await reader.next()).done)
})

test('what is read while the reader works comes in one piece and in order, and the reading waits when enough is there', async (t) => {
  let read = 0
  const reader = readAhead(async function* () {
    for (read = 1; read <= 30; read++) yield page(read)
  })
  const seen = [...positions(await reader.next())]
  await turns(50)
  const early = read
  t.true(early > 2 && early < 15, `${early} pages read ahead`)
  const pieces: number[] = []
  for await (const piece of reader) {
    pieces.push(piece.length)
    seen.push(...piece.map(({ position }) => position))
    await turns(50)
  }
  t.deepEqual(
    seen,
    Array.from({ length: 30 }, (_, i) => BigInt(i + 1)),
  )
  t.is(pieces[0], early - 1)
  t.true(pieces.every((length) => length <= early))
})

test('N-173 after a small page the next is read when it is asked for, and holds what has come until then', async (t) => {
  const come: number[] = [1]
  const reads: number[] = []
  let closed = false
  const reader = readAhead(async function* () {
    for (;;) {
      while (come.length === 0 && !closed) await turns(1)
      if (come.length === 0) return
      const these = come.splice(0).map((position) => ({ position: BigInt(position) }) as RecordedEvent)
      reads.push(these.length)
      yield these
    }
  }, 3)
  t.deepEqual(positions(await reader.next()), [1n])
  come.push(2)
  await turns(50)
  come.push(3)
  await turns(50)
  t.deepEqual(reads, [1])
  t.deepEqual(positions(await reader.next()), [2n, 3n])
  come.push(4, 5, 6)
  t.deepEqual(positions(await reader.next()), [4n, 5n, 6n])
  // One that is not small is read on from.
  come.push(7)
  await turns(50)
  t.deepEqual(reads, [1, 2, 3, 1])
  t.deepEqual(positions(await reader.next()), [7n])
  closed = true
  t.true((await reader.next()).done)
})

test('pages before a failure are handed over, then the failure', async (t) => {
  const reader = readAhead(async function* () {
    yield page(1)
    yield page(2)
    throw new Error('the log cannot be read')
  })
  const seen: bigint[] = []
  const all = (async () => {
    for await (const piece of reader) seen.push(...piece.map(({ position }) => position))
  })()
  await t.throwsAsync(all, { message: 'the log cannot be read' })
  t.deepEqual(seen, [1n, 2n])
})

test('a reader that leaves ends the reading, and does not wait for a page that never comes', async (t) => {
  const closed = gate()
  let left: AbortSignal | undefined
  const reader = readAhead(async function* (signal) {
    left = signal
    try {
      yield page(1)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    } finally {
      closed.open()
    }
  })
  for await (const _ of reader) break
  t.true(left?.aborted)
  await closed.opened
})

test('a reading that waits for room ends when its reader leaves', async (t) => {
  const closed = gate()
  const reader = readAhead(async function* () {
    try {
      for (let n = 1; ; n++) yield page(n)
    } finally {
      closed.open()
    }
  })
  await reader.next()
  await turns(50)
  await reader.return(undefined)
  await closed.opened
  t.pass()
})

const page = (position: number): Page => [{ position: BigInt(position) } as RecordedEvent]

const positions = ({ value }: IteratorResult<Page, unknown>) => (value as Page).map(({ position }) => position)
