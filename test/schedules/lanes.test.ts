import assert from 'node:assert/strict'
import test from 'ava'
import { OutcomeUnknown } from '../../domain/kernel/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { ACCOUNT, opened, SET_ID } from '../domain/samples.ts'
import { createMachine, createOutside, type Machine, overNetwork } from './machine.ts'
import { bothAreKnown, newest, setting } from './one-wallet.ts'
import { holds } from './proving.ts'
import { type Scenario, step } from './schedule.ts'

/** What a process keeps of streams that others write to as well. */

test('what a process keeps of a stream is on the disk, and is all that is there once all of it has arrived', (t) =>
  holds(t, keeping, 150, { preemptions: 1, crashes: 0 }))

test('what a process does not know yet refuses nothing, and makes nothing needless', (t) =>
  holds(t, asking, 20, { preemptions: 1, crashes: 1 }))

test('of two processes that begin the same stream one begins it, and the other is told that it is there', (t) =>
  holds(t, beginning, 60, { preemptions: 2, crashes: 1 }))

test('a command whose append is not answered in time, and may land late or never, counts once when it is sent again', (t) =>
  holds(t, late, 600, { preemptions: 1, crashes: 0 }, { preemptions: 0, crashes: 1 }))

/** Two processes set addresses in one wallet, and one of them reads what it knows of it. */
const keeping: Scenario = (start) => {
  const outside = createOutside([])
  let reader: Machine | undefined
  start('A', (self) => {
    const machine = createMachine(self, outside)
    reader = machine
    machine.listen()
    setting(self, machine, 'eth')
    self.task('reads', async () => {
      const known = Object.keys(await machine.ledger.wallet.recent(ACCOUNT))
      const there = Object.keys(newest(outside))
      assert.ok(
        known.every((asset) => there.includes(asset)),
        `${known} was read, ${there} is there`,
      )
    })
  })
  start('B', (self) => setting(self, createMachine(self, outside), 'sol'))
  return bothAreKnown(outside, () => reader)
}

/**
 * Once one process has set and paused coins, another one, which remembers the wallet without them, pauses the first and
 * sets the second.
 */
const asking: Scenario = (start) => {
  const outside = createOutside([])
  const done = { known: false, changed: false }
  start('A', (self) => {
    const { ledger } = createMachine(self, outside)
    self.task('pauses', async () => {
      await ledger.wallet.setAddress(ACCOUNT, { asset: 'eth', addresses: ['a'] })
      done.known = true
      await step('sees what was changed', { ready: () => done.changed })
      await ledger.wallet.pause(ACCOUNT, { asset: 'sol' })
      await ledger.wallet.setAddress(ACCOUNT, { asset: 'eth', addresses: ['a'] })
    })
  })
  start('B', (self) => {
    const { ledger } = createMachine(self, outside)
    self.task('changes', async () => {
      await step('sees the wallet', { ready: () => done.known })
      await ledger.wallet.setAddress(ACCOUNT, { asset: 'sol', addresses: ['a'] })
      await ledger.wallet.setAddress(ACCOUNT, { asset: 'eth', addresses: ['b'] })
      done.changed = true
    })
  })
  return {
    shared: () => [outside.shared(), done.known, done.changed].join(),
    always() {},
    atRest() {
      const { eth, sol } = newest(outside)
      assert.deepEqual([eth?.addresses, sol?.active], [['a'], false])
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

/** Two processes change one wallet over a network that takes its time; who is not answered sends his command again. */
const late: Scenario = (start) => {
  const outside = createOutside([])
  const store = overNetwork(start, outside.store)
  const answered = async (send: () => Promise<unknown>) => {
    for (let done = false; !done; ) done = await send().then(() => true, onlyLate)
  }
  start('A', (self) => {
    const { wallet } = createMachine(self, outside, { store }).ledger
    self.task('sets eth', () => answered(() => wallet.setAddress(ACCOUNT, { asset: 'eth', addresses: ['a'] })))
    self.task('pauses eth', () => answered(() => wallet.pause(ACCOUNT, { asset: 'eth' })).catch(onlyMissing))
  })
  start('B', (self) => {
    const { wallet } = createMachine(self, outside, { store }).ledger
    self.task('sets sol', () => answered(() => wallet.setAddress(ACCOUNT, { asset: 'sol', addresses: ['a'] })))
  })
  return {
    shared: outside.shared,
    always() {
      const written = outside.store.events().map(({ type, data }) => `${type} ${(data as { asset: string }).asset}`)
      assert.equal(new Set(written).size, written.length, written.join())
      const [set, paused] = ['WalletAddressSet eth', 'WalletPaused eth'].map((each) => written.indexOf(each))
      assert.ok(paused === -1 || (set !== -1 && Number(set) < Number(paused)), written.join())
    },
    atRest: () => assert.deepEqual(Object.keys(newest(outside)).sort(), ['eth', 'sol']),
  }
}

const onlyLate = (error: unknown) => {
  if (error instanceof OutcomeUnknown) return false
  throw error
}
const onlyMissing = (error: unknown) => {
  if (!(error instanceof Refusal) || error.code !== 'wallet-missing') throw error
}
