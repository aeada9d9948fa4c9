/** Several looks of one process at the log overlap: each is held against what was seen before it began to read. */
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { embeddedPlace } from '../../adapters/store/node/embedded-bytes.ts'
import { checkLog, type PartsReport } from '../../src/parts/check.ts'
import { type LogReading, rememberLog } from '../../src/parts/log.ts'
import { newEvent, newStream } from '../store/events.ts'
import { newDirectory } from '../store/open.ts'

/** A log in a folder of its own, and looks at it that share one memory. */
const watched = (t: ExecutionContext) => {
  const dir = newDirectory(t)
  const place = embeddedPlace(join(dir, 'events.db'))
  t.teardown(() => place.close())
  const memory = rememberLog()
  const look = (log: LogReading = place) =>
    checkLog({ log, sql: undefined, mirror: undefined, witness: join(dir, 'heads.jsonl'), memory })
  const write = () => place.store.append(newStream(), -1n, [newEvent('Noted')])
  return { place, look, write }
}

const misfitOfLog = ({ parts }: PartsReport) => parts.find(({ part }) => part === 'log')?.misfit

/** The same log, whose `nth` read of an event answers only once `open` was called. */
const slowed = (log: LogReading, nth: number) => {
  const gate = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  let reads = 0
  const bytes: LogReading['bytes'] = {
    readLines: (...given) => log.bytes.readLines(...given),
    async lineAt(position) {
      const line = await log.bytes.lineAt(position)
      if (++reads !== nth) return line
      reached.resolve()
      await gate.promise
      return line
    },
  }
  return { log: { store: log.store, bytes }, reached: reached.promise, open: gate.resolve }
}

for (const { nth, what } of [
  { nth: 1, what: 'the end of the log' },
  { nth: 2, what: 'the event that was seen' },
])
  test(`a look that reads ${what} while another sees more of the log finds no misfit`, async (t) => {
    const { place, look, write } = watched(t)
    await write()
    t.is(misfitOfLog(await look()), null)
    await write()
    const { log, reached, open } = slowed(place, nth)
    const slow = look(log)
    await reached
    await write()
    t.is(misfitOfLog(await look()), null)
    open()
    t.is(misfitOfLog(await slow), null)
    t.is(misfitOfLog(await look()), null)
  })

test('a look that saw less than another takes nothing of what is known: a log that lacks the newest is found', async (t) => {
  const { place, look, write } = watched(t)
  await write()
  const { log, reached, open } = slowed(place, 1)
  const slow = look(log)
  await reached
  await write()
  await look()
  open()
  t.is(misfitOfLog(await slow), null)
  const other = watched(t)
  await other.write()
  t.is(misfitOfLog(await look(other.place)), 'log-older')
  for (let n = 0; n < 3; n++) await other.write()
  t.is(misfitOfLog(await look(other.place)), 'log-parted')
  t.is(misfitOfLog(await look()), null, 'the log is there again')
})
