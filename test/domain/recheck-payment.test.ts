import test, { type ExecutionContext } from 'ava'
import type { Chain, Transfer } from '../../domain/kernel/ports.ts'
import { type TransferData, transferId } from '../../domain/selling/challenge-terms.ts'
import { attributeTransfer } from '../../domain/use-cases/selling/settling/attribute-transfer.ts'
import { recheckPayment } from '../../domain/use-cases/selling/settling/recheck-payment.ts'
import { alone, ledgerOn } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { chain } from './flow-setup.ts'
import { ACCOUNT, CHALLENGE_ID, EXPIRES, entry, opened, SET_ID, transferData } from './samples.ts'

/** A payment that was seen, and is looked at again on a chain that says this or that of it. */

const { tx, height, blockHash } = transferData
const ENOUGH = height + entry.confirmations - 1
const asTold = (transfer: TransferData): Transfer => ({ ...transfer, amount: BigInt(transfer.amount) })

/** It was seen in the newest block, and waits. */
const seen = async (t: ExecutionContext) => {
  const store = memoryStore()
  const ledger = ledgerOn(store, fixedWorld('recheck'))
  const [endsAt, heldUntil] = [EXPIRES, '2026-03-02T13:00:00.000Z']
  const place = { challengeId: CHALLENGE_ID, accountId: ACCOUNT, endsAt, heldUntil }
  await ledger.receiveAddress.lend(`eth:eth:${transferData.to}`, place)
  await ledger.challenge.open(SET_ID, opened)
  t.is((await attributeTransfer(ledger, transferData, alone.heard, height)).outcome, 'pending')
  const pending = { challengeId: CHALLENGE_ID, transferId: transferId(transferData), tx, height, blockHash }
  const before = store.events().length
  const look = async (node: Partial<Chain>, head = ENOUGH) => {
    await recheckPayment(ledger, { ...chain(), ...node }, pending, head, alone.heard)
    return store.events().flatMap(({ type }, n) => (n < before ? [] : [type]))
  }
  return { look }
}

const own = async () => blockHash
const other = async () => `0x${'ef'.repeat(32)}`

test('N-24 a node that does not know a payment, and has its block, takes nothing back', async (t) => {
  for (const told of [undefined, [], [asTold({ ...transferData, index: 'erc20:1' })]]) {
    const { look } = await seen(t)
    t.deepEqual(await look({ transfersOf: async () => told, hashAt: own }), [])
  }
})

test('N-24 a node that lags behind does not know the block of a payment, and takes nothing back', async (t) => {
  const { look } = await seen(t)
  for (const head of [height - 1, height, ENOUGH, height + 63])
    t.deepEqual(await look({ hashAt: async () => undefined }, head), [])
})

test('N-24 a payment whose block is not in the chain any more, and that is in no other, is taken back', async (t) => {
  const gone = await seen(t)
  t.deepEqual(await gone.look({ hashAt: other }), ['PaymentRetracted'])
  // Some chains skip heights: one that went on for so long has nothing there.
  const skipped = await seen(t)
  t.deepEqual(await skipped.look({ hashAt: async () => undefined }, height + 64), ['PaymentRetracted'])
})

test('N-24 a payment that is still there settles when it is deep enough, and waits before that', async (t) => {
  const { look } = await seen(t)
  const transfersOf = async () => [asTold(transferData)]
  t.deepEqual(await look({ transfersOf }, ENOUGH - 1), [])
  t.deepEqual(await look({ transfersOf }), ['TransferClaimed', 'ChallengeSettled'])
})

test('N-24 a payment that another block has taken is booked from there, and another amount pays by itself', async (t) => {
  const moved = { ...transferData, height: height + 1, blockHash: await other() }
  const there = (transfer: TransferData) => ({ transfersOf: async () => [asTold(transfer)], hashAt: other })
  const same = await seen(t)
  t.deepEqual(await same.look(there(moved), ENOUGH + 1), ['TransferClaimed', 'ChallengeSettled'])
  for (const [another, ...types] of [
    [{ to: `0x${'12'.repeat(20)}` }, 'PaymentRetracted'],
    [{ amount: '1' }, 'PaymentRetracted', 'TransferSetAside'],
  ] as const) {
    const { look } = await seen(t)
    t.deepEqual(await look(there({ ...moved, index: 'erc20:1', ...another }), ENOUGH + 1), types)
  }
})
