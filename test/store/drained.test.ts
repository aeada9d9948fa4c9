/** Many answers on one call to a slow peer: whoever waits for it shares one wait. */
import { EventEmitter } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import { untilDrained } from '../../adapters/store/node/drained.ts'
import { connected, event } from './client.ts'

const ENDS = ['drain', 'cancelled', 'close', 'error'] as const

for (const end of ENDS)
  test(`whoever waits for a slow call waits at one place, until it says ${end}`, async (t) => {
    const call = new EventEmitter()
    const waits = Array.from({ length: 200 }, () => untilDrained(call))
    t.deepEqual(
      ENDS.map((name) => call.listenerCount(name)),
      [1, 1, 1, 1],
    )
    call.emit(end)
    await Promise.all(waits)
    t.is(call.eventNames().length, 0)
    // The next one who waits waits for the next time.
    let over = false
    const next = untilDrained(call).then(() => {
      over = true
    })
    await turn()
    t.false(over)
    call.emit('drain')
    await next
  })

test.serial('200 appends at once on the batch path of the client are answered without a warning', async (t) => {
  const warnings: string[] = []
  const warned = (warning: Error) => warnings.push(warning.name)
  process.on('warning', warned)
  t.teardown(() => process.off('warning', warned))
  const { client } = await connected(t)
  const appends = Array.from({ length: 200 }, (_, n) => client.appendToStream(`thing-${n}`, [event('One')]))
  t.true((await Promise.all(appends)).every(({ success }) => success))
  await turn()
  t.deepEqual(warnings, [])
})
