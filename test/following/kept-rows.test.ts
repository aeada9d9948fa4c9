import test from 'ava'
import { keepRows } from '../../adapters/following/kept-rows.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'

/** A table behind a read model that is `at` a position; events name the row they change by their stream. */
const setup = () => {
  const table = new Map([['a', 1]])
  const reads: string[] = []
  const model = { at: 0n, isFresh: true }
  let slow: Promise<unknown> | undefined
  const kept = keepRows<number>({
    read: async (id) => {
      reads.push(id)
      const found = table.get(id)
      await slow
      return found
    },
    changedBy: (event) => [event.stream],
    at: () => model.at,
    isFresh: () => model.isFresh,
  })
  const arrives = (id: string, position: bigint) => kept.arrived([{ stream: id, position } as RecordedEvent])
  return { table, reads, model, kept, arrives, slowBy: (wait: Promise<unknown>) => (slow = wait) }
}

test('a row is read from the database once, however many ask', async (t) => {
  const { kept, reads } = setup()
  t.deepEqual(await Promise.all([kept.read('a'), kept.read('a')]), [1, 1])
  t.is(await kept.read('a'), 1)
  t.deepEqual(reads, ['a'])
})

test('a row that an event changes is not kept until the read model has come past that event', async (t) => {
  const { table, kept, reads, model, arrives } = setup()
  await kept.read('a')
  arrives('a', 5n)
  t.is(await kept.read('a'), 1)
  table.set('a', 2)
  t.is(await kept.read('a'), 2)
  model.at = 5n
  t.is(await kept.read('a'), 2)
  t.is(await kept.read('a'), 2)
  t.is(reads.length, 4)
})

test('a row that changes while it is read is not kept', async (t) => {
  const { table, kept, arrives, model, slowBy } = setup()
  let go: () => void = () => {}
  slowBy(new Promise<void>((resolve) => (go = resolve)))
  const early = kept.read('a')
  arrives('a', 7n)
  table.set('a', 3)
  model.at = 7n
  go()
  t.is(await early, 1)
  t.is(await kept.read('a'), 3)
})

test('what is not there is asked for again, and so is what could not be read', async (t) => {
  const { table, kept } = setup()
  t.is(await kept.read('b'), undefined)
  table.set('b', 9)
  t.is(await kept.read('b'), 9)
  let broken = true
  const failing = keepRows<number>({
    read: async () => {
      if (broken) throw new Error('the database is away')
      return 4
    },
    changedBy: () => [],
    at: () => 0n,
    isFresh: () => true,
  })
  await t.throwsAsync(failing.read('x'))
  broken = false
  t.is(await failing.read('x'), 4)
})

test('with more changed rows than are remembered, nothing is kept until the read model has come up', async (t) => {
  const { table, kept, model, arrives } = setup()
  const changes = Array.from(
    { length: 20_001 },
    (_, n) => ({ stream: `r${n}`, position: BigInt(n + 1) }) as RecordedEvent,
  )
  kept.arrived(changes)
  t.is(await kept.read('a'), 1)
  table.set('a', 2)
  t.is(await kept.read('a'), 2)
  model.at = 20_001n
  t.is(await kept.read('a'), 2)
  arrives('zzz', 20_002n)
  t.is(await kept.read('a'), 2)
})

test('after a crash of the database took the read model back, nothing is kept until it has come up again', async (t) => {
  const { table, kept, reads, model } = setup()
  model.at = 9n
  await kept.read('b')
  model.at = 4n
  t.is(await kept.read('a'), 1)
  table.set('a', 2)
  t.is(await kept.read('a'), 2)
  model.at = 9n
  await kept.read('a')
  await kept.read('a')
  t.is(reads.length, 4)
})

/** As `setup`, where it is told how to wait; waits are noted, and end by `come`. */
const waiting = (isFresh = () => true) => {
  const table = new Map([['a', 1]])
  const model = { at: 0n }
  const asked: (bigint | undefined)[] = []
  let end = () => {}
  const kept = keepRows<number>({
    read: async (id) => table.get(id),
    changedBy: (event) => [event.stream],
    at: () => model.at,
    come(position) {
      asked.push(position)
      return new Promise<void>((resolve) => (end = resolve))
    },
    isFresh,
  })
  const arrives = (...ids: string[]) => kept.arrived(ids.map((stream) => ({ stream, position: 5n }) as RecordedEvent))
  const come = () => {
    table.set('a', 2)
    model.at = 5n
    end()
  }
  return { kept, arrives, asked, come }
}

test('N-173 where it is told how, a row that was changed is read once the read model has come past its change', async (t) => {
  const { kept, arrives, asked, come } = waiting()
  t.is(await kept.read('a'), 1)
  arrives('a')
  const reading = kept.read('a')
  t.deepEqual(asked, [5n])
  come()
  t.is(await reading, 2)
  t.is(await kept.read('a'), 2)
  t.deepEqual(asked, [5n])
})

test('N-173 so is each row where more were changed than are remembered', async (t) => {
  const { kept, arrives, asked, come } = waiting()
  arrives(...Array.from({ length: 20_001 }, (_, n) => `other-${n}`))
  const reading = kept.read('a')
  t.deepEqual(asked, [5n])
  come()
  t.is(await reading, 2)
})

test('N-173 while what others wrote may not have arrived, a row is read once all that was answered shows', async (t) => {
  const { kept, asked, come } = waiting(() => false)
  const reading = kept.read('a')
  t.deepEqual(asked, [undefined])
  come()
  t.is(await reading, 2)
})

/** As `setup`, where an event of the type `set ten` says all that changes. */
const changing = () => {
  const table = new Map([['a', 1]])
  const reads: string[] = []
  const model = { at: 0n }
  let slow: Promise<unknown> | undefined
  const kept = keepRows<number>({
    async read(id) {
      reads.push(id)
      const found = table.get(id)
      await slow
      return found
    },
    changedBy: ({ stream, type }) => (type === 'EventQuarantined' ? [] : [stream]),
    changeBy: ({ type }) => (type === 'set ten' ? () => 10 : undefined),
    at: () => model.at,
    isFresh: () => true,
  })
  const arrives = (type: string, position: bigint, data: object = {}) =>
    kept.arrived([{ stream: 'a', type, position, data } as RecordedEvent])
  return { table, reads, model, kept, arrives, slowBy: (wait: Promise<unknown>) => (slow = wait) }
}

test('N-173 an event that says all that changes changes the row in memory, and nothing is read', async (t) => {
  const { kept, reads, arrives } = changing()
  t.is(await kept.read('a'), 1)
  arrives('set ten', 5n)
  t.is(await kept.read('a'), 10)
  t.deepEqual(reads, ['a'])
})

test('N-173 so it does while the row is being read', async (t) => {
  const { kept, reads, arrives, slowBy } = changing()
  let go = () => {}
  slowBy(new Promise<void>((resolve) => (go = resolve)))
  const early = kept.read('a')
  arrives('set ten', 5n)
  const late = kept.read('a')
  go()
  t.deepEqual([await early, await late], [1, 10])
  t.deepEqual(reads, ['a'])
})

test('N-173 a row that is not in memory is read, and kept once the read model has come past the event', async (t) => {
  const { kept, reads, arrives, model, table } = changing()
  arrives('set ten', 5n)
  t.deepEqual([await kept.read('a'), await kept.read('a')], [1, 1])
  model.at = 5n
  table.set('a', 10)
  t.deepEqual([await kept.read('a'), await kept.read('a')], [10, 10])
  t.is(reads.length, 3)
})

test('N-173 after any other event the row is read, whatever was known of it', async (t) => {
  const { kept, reads, arrives, model, table } = changing()
  await kept.read('a')
  arrives('set ten', 5n)
  arrives('another', 6n)
  arrives('set ten', 7n)
  table.set('a', 11)
  model.at = 6n
  t.deepEqual([await kept.read('a'), await kept.read('a')], [11, 11])
  model.at = 7n
  t.deepEqual([await kept.read('a'), await kept.read('a')], [11, 11])
  t.is(reads.length, 4)
})

test('N-173 once an event is set aside, what it had changed in memory is read again', async (t) => {
  const { kept, reads, arrives } = changing()
  await kept.read('a')
  arrives('set ten', 5n)
  arrives('EventQuarantined', 6n, { event: 'the sale', stream: 'challenge-1' })
  t.is(await kept.read('a'), 1)
  t.deepEqual(reads, ['a', 'a'])
})
