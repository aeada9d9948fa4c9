import assert from 'node:assert/strict'
import { fold } from '../../domain/kernel/decider.ts'
import { deciders } from '../../domain/write-side/deciders.ts'
import { ACCOUNT } from '../domain/samples.ts'
import type { Machine, Outside } from './machine.ts'
import type { Process } from './schedule.ts'

/** One wallet to which two processes write. */

export const setting = (self: Process, { ledger }: Machine, asset: string, then: () => unknown = () => {}) =>
  self.task(`sets ${asset}`, () => ledger.wallet.setAddress(ACCOUNT, { asset, addresses: ['a'] }).then(then))

/** The wallet as the log has it. */
export const newest = ({ store }: Outside) => fold(deciders.wallet, store.events())

/** At rest both addresses are there, and one of the processes knows all of it. */
export const bothAreKnown = (outside: Outside, knows: () => Machine | undefined) => ({
  shared: outside.shared,
  always() {},
  async atRest() {
    assert.deepEqual(Object.keys(newest(outside)).sort(), ['eth', 'sol'])
    assert.deepEqual(await knows()?.ledger.wallet.recent(ACCOUNT), newest(outside))
  },
})
