import test from 'ava'
import type { Chain, Transfer } from '../../domain/kernel/ports.ts'
import { policies } from '../../domain/reactions/policies/index.ts'
import { isGone } from '../../domain/selling/transactions/transaction.ts'
import { refundStatusOf } from '../../domain/selling/transactions/transaction-record.ts'
import { lookForRefunds, refundPayment } from '../../domain/use-cases/selling/refunds/refund-payment.ts'
import { settlePayment } from '../../domain/use-cases/selling/settling/settle-payment.ts'
import { paid } from '../schedules/given.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { flowOn } from '../support/money.ts'
import { fixedWorld } from '../support/world.ts'
import { chain } from './flow-setup.ts'
import { CHALLENGE_ID, transferData } from './samples.ts'

/** The hash that a seller names as its refund, for as long as its chain does not know it. */

const HASH = `0x${'77'.repeat(32)}`
const WEEK_MS = 7 * 24 * 3_600_000

const UNMINED: Partial<Chain> = {}
const SILENT: Partial<Chain> = { transfersOf: () => Promise.reject(new Error('down')) }
const back: Transfer = {
  ...transferData,
  tx: HASH,
  from: '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
  to: transferData.from,
  amount: BigInt(transferData.amount),
  height: 120,
}
const YOUNG: Partial<Chain> = {
  head: async () => ({ height: back.height, hash: '0x120' }),
  hashAt: async () => back.blockHash,
  transfersOf: async () => [back],
}

/** A sale whose seller has named a refund that its chain does not know. */
const named = async () => {
  const store = memoryStore(await paid())
  const world = fixedWorld('a refund')
  const ledger = ledgerOn(store, world)
  await settlePayment(ledger, CHALLENGE_ID, transferData)
  await runPolicies(store, ledger, world, policies)
  const id =
    store
      .events()
      .find(({ type }) => type === 'TransactionCompleted')
      ?.stream.split('-')[1] ?? ''
  const on = (change: Partial<Chain>) => ({
    ...flowOn(store, ledger, world),
    chains: new Map([['eth', { ...chain(), ...change }]]),
  })
  const read = async () => {
    const transaction = await ledger.transaction.read(id)
    if (isGone(transaction)) throw new Error('it is gone')
    return transaction
  }
  const name = async () => refundPayment(on(UNMINED), await read(), { transactionId: id, by: 'owner', hash: HASH })
  await name()
  const namedAt = world.now().toISOString()
  const failed: unknown[] = []
  const look = (change: Partial<Chain>) =>
    lookForRefunds(
      on(change),
      { soughtRefunds: async () => [{ transactionId: id, hash: HASH, namedAt }] },
      '',
      (error) => failed.push(error),
    )
  const status = async () => refundStatusOf(await read())
  const refusals = () => store.events().flatMap(({ type, data }) => (type === 'RefundHashRefused' ? [data] : []))
  return { world, look, name, status, refusals, failed }
}

test('N-68 J-TXN-06 the hash of a refund that no chain knows is pending for a week, and then ends as not found', async (t) => {
  const { world, look, status, refusals, failed } = await named()
  world.step(WEEK_MS - 1)
  await look(UNMINED)
  t.deepEqual([await status(), refusals()], ['pending', []])
  world.step(1)
  await look(UNMINED)
  await look(UNMINED)
  t.is(await status(), 'recorded')
  t.like(refusals(), [{ hash: HASH, reason: 'not-found' }])
  t.is(refusals().length, 1)
  t.deepEqual(failed, [])
})

test('N-68 the hash of a refund is not ended while its chain is silent, or has it in a block that is too young', async (t) => {
  const { world, look, status, refusals } = await named()
  world.step(2 * WEEK_MS)
  await look(SILENT)
  await look(YOUNG)
  t.deepEqual([await status(), refusals()], ['pending', []])
})

test('N-68 the hash of a refund that was ended may be named again', async (t) => {
  const { world, look, name, status } = await named()
  world.step(WEEK_MS)
  await look(UNMINED)
  t.is(await status(), 'recorded')
  await name()
  t.is(await status(), 'pending')
})
