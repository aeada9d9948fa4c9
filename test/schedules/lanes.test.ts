import assert from 'node:assert/strict'
import test from 'ava'
import { fold } from '../../domain/decider.ts'
import { deciders } from '../../domain/deciders.ts'
import { type EventStore, OutcomeUnknown } from '../../domain/ports.ts'
import { Refusal } from '../../domain/refusal.ts'
import { ACCOUNT, opened, SET_ID } from '../domain/samples.ts'
import { createMachine, createOutside, type Machine, watched } from './machine.ts'
import { holds } from './proving.ts'
import { type Process, type Scenario, step } from './schedule.ts'

/** What a process keeps of streams that others write to as well. */

test('what a process keeps of a stream is what is in the log, once all of it has arrived', (t) =>
  holds(t, keeping, 250, { preemptions: 1, crashes: 0 }))

test('of two processes that begin the same stream one begins it, and the other is told that it is there', (t) =>
  holds(t, beginning, 60, { preemptions: 2, crashes: 1 }))

test('a command whose append is not answered in time, and may land late or never, counts once when it is sent again', (t) =>
  holds(t, late, 600, { preemptions: 1, crashes: 0 }, { preemptions: 0, crashes: 1 }))

/** Two processes set addresses in one wallet, and one of them reads what it knows of it. */
const keeping: Scenario = (start) => {
  const outside = createOutside([])
  let reader: Machine | undefined
  const set = (self: Process, { ledger }: Machine, asset: string) =>
    self.task(`sets ${asset}`, () => ledger.wallet.setAddress(ACCOUNT, { asset, addresses: ['a'] }))
  start('A', (self) => {
    reader = createMachine(self, outside)
    reader.listen()
    set(self, reader, 'eth')
    set(self, reader, 'btc')
  })
  start('B', (self) => set(self, createMachine(self, outside), 'sol'))
  return {
    shared: outside.shared,
    always() {},
    async atRest() {
      const wallet = fold(deciders.wallet, outside.store.events())
      assert.deepEqual(Object.keys(wallet).sort(), ['btc', 'eth', 'sol'])
      assert.deepEqual(await reader?.ledger.wallet.recent(ACCOUNT), wallet)
    },
  }
}

/** Both open a challenge under the same id, as nobody does by chance. */
const beginning: Scenario = (start) => {
  const outside = createOutside([])
  const answers: string[] = []
  for (const name of ['A', 'B'])
    start(name, (self) => {
      const { ledger } = createMachine(self, outside)
      self.task('opens', () =>
        ledger.challenge.open(SET_ID, { ...opened, resId: name }).then(
          () => answers.push('opened'),
          (error: unknown) => answers.push(error instanceof Refusal ? error.code : String(error)),
        ),
      )
    })
  return {
    shared: () => `${outside.shared()} ${answers}`,
    always: () => assert.ok(outside.store.events().length <= 1),
    atRest() {
      assert.equal(outside.store.events().length, 1)
      assert.ok(['id-taken,opened', 'id-taken,id-taken'].includes([...answers].sort().join()), answers.join())
    },
  }
}

/** Two processes set addresses in one wallet over a network that takes its time; who is not answered sends his command again. */
const late: Scenario = (start) => {
  const outside = createOutside([])
  let network: Process | undefined
  start('network', (self) => {
    network = self
  })
  let requests = 0
  /** The request goes its own way, whatever becomes of who sent it. */
  const append: EventStore['append'] = async (...request) => {
    const sent = Promise.withResolvers<Awaited<ReturnType<EventStore['append']>>>()
    sent.promise.catch(() => {})
    const limit = setTimeout(() => sent.reject(new OutcomeUnknown('no answer in time')), ANSWER_LIMIT_MS)
    network?.follow(`request ${++requests}`, async () => {
      await step(`append to ${request[0]} after ${request[1]}`)
      await outside.store.append(...request).then(sent.resolve, sent.reject)
    })
    await step(`sent request ${requests}`, { crash: true })
    return sent.promise.finally(() => clearTimeout(limit))
  }
  const set = (name: string, ...assets: string[]) =>
    start(name, (self) => {
      const { ledger } = createMachine(self, outside, { store: { ...watched(outside.store), append } })
      for (const asset of assets)
        self.task(`sets ${asset}`, async () => {
          for (let answered = false; !answered; )
            answered = await ledger.wallet.setAddress(ACCOUNT, { asset, addresses: ['a'] }).then(() => true, onlyLate)
        })
    })
  set('A', 'eth')
  set('B', 'sol')
  return {
    shared: outside.shared,
    always() {},
    atRest() {
      const written = outside.store.events().map(({ data }) => (data as { asset: string }).asset)
      assert.deepEqual(written.sort(), ['eth', 'sol'])
    },
  }
}

const ANSWER_LIMIT_MS = 10_000

const onlyLate = (error: unknown) => {
  if (error instanceof OutcomeUnknown) return false
  throw error
}
