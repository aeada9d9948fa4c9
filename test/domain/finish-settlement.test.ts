import test from 'ava'
import type { EventStore, RecordedEvent } from '../../domain/kernel/ports.ts'
import { finishSettlement, reversePayments } from '../../domain/reactions/policies/selling.ts'
import { transferId } from '../../domain/selling/challenge-terms.ts'
import { settlePayment } from '../../domain/use-cases/selling/settling/settle-payment.ts'
import { ledgerOn, react } from '../support/ledger.ts'
import { type MemoryStore, memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { ACCOUNT, CHALLENGE_ID, opened, SET_ID, transferData } from './samples.ts'

/** What follows from a transfer that was claimed: what the process that claimed it may have left undone. */

const CLAIM = { accountId: ACCOUNT, challengeId: CHALLENGE_ID, asset: 'eth', transfer: transferData }

test('X-IDEM-04 a claim whose challenge has settled by then is answered without a read, one that was cut off settles it', async (t) => {
  const { store } = await newChallenge()
  const world = fixedWorld('reading')
  const read: string[] = []
  const noting: EventStore = {
    ...store,
    read(stream, from) {
      read.push(stream)
      return store.read(stream, from)
    },
  }
  const ledger = ledgerOn(noting, world)
  await ledger.transfer.claim(transferId(transferData), CLAIM)
  const claimed = store.events().find(({ type }) => type === 'TransferClaimed') as RecordedEvent
  await react(finishSettlement, claimed, ledger, world)
  t.is(settlementsIn(store), 1)
  t.true(read.length > 0)
  read.length = 0
  await react(finishSettlement, claimed, ledger, world)
  t.deepEqual(read, [])
})

test('N-24 a payment that was taken back and came again settles its challenge anew, whichever of both is answered first', async (t) => {
  for (const order of [
    ['TransferClaimed', 'TransferReversed'],
    ['TransferReversed', 'TransferClaimed'],
  ]) {
    const { store, ledger } = await newChallenge()
    const world = fixedWorld('anew')
    await settlePayment(ledger, CHALLENGE_ID, transferData)
    // The process died before it took the settlement back, too.
    await ledger.transfer.reverse(transferId(transferData), { reason: 'reorganised', times: 0 })
    const moved = { ...transferData, blockHash: '0xanother' }
    await ledger.transfer.claim(transferId(moved), { ...CLAIM, transfer: moved })
    const events = store.events()
    for (const type of order) {
      const event = events.findLast((each) => each.type === type) as RecordedEvent
      for (const policy of [finishSettlement, reversePayments]) await react(policy, event, ledger, world)
    }
    const set = await ledger.challenge.read(SET_ID)
    t.is(set.status === 'open' && set.settled.eth, transferId(transferData), order.join())
    t.is(settlementsIn(store), 2)
  }
})

const newChallenge = async () => {
  const store = memoryStore()
  const ledger = ledgerOn(store, fixedWorld('seller'))
  await ledger.challenge.open(SET_ID, opened)
  return { store, ledger }
}

const settlementsIn = (store: MemoryStore): number =>
  store.events().filter(({ type }) => type === 'ChallengeSettled').length
