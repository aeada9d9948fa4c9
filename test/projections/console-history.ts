import { newsId } from '../../domain/account/news.ts'
import type { EventStore } from '../../domain/kernel/ports.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { cardOpened, connectedProcessor } from '../domain/card-samples.ts'
import {
  checkoutSaved,
  paidCoin,
  payoutRequested,
  recordedTransaction,
  requestOpened,
  transferData,
} from '../domain/samples.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { ODD_TEXT } from './history.ts'

/**
 * What a merchant does on the console: a team, stores, purchases, saved links, transactions that are edited and deleted
 * by hand, a payout, and a card.
 */

const ACCOUNT = 'acc_7'
const text = { text: `v1.${ACCOUNT}.iv.${ODD_TEXT}`, print: 'p' }
const keyOf = (n: string) => ({ keyId: `t${n}`, keyHash: `th${n}`, hint: `sa_…${n}` })
const tokenOf = (n: string) => ({ token: `v1.${ACCOUNT}.iv.${n}`, tokenHash: `ct${n}` })
const secret = { secret: `v1.${ACCOUNT}.iv.s`, last4: '1234' }

const EDITED = { billing: text.text, title: ODD_TEXT, status: 'C' }

export const consoleHistory = async (store: EventStore): Promise<void> => {
  const world = fixedWorld('console-history')
  const ledger = ledgerOn(store, world)
  const grants = { permissions: [], roleName: null, displayName: text, storeScope: [2] }
  await ledger.stores.openDefault(ACCOUNT, tokenOf('default'))
  await ledger.stores.create(ACCOUNT, {
    label: text,
    webhookUrl: 'https://store.example/',
    key: keyOf('store'),
    cloudToken: tokenOf('store'),
    secret,
  })
  await ledger.stores.rotateKey(ACCOUNT, { storeId: 2, key: keyOf('store2') })
  await ledger.stores.rotateCloudToken(ACCOUNT, { storeId: 2, ...tokenOf('store2') })
  await ledger.stores.change(ACCOUNT, { storeId: 2, status: 'inactive', label: null, secret })
  await ledger.creditAccount.grant(ACCOUNT, {
    amount: '90000000',
    reason: 'top-up',
    ref: 'r',
    source: 'grant-top-up',
    position: '1',
  })
  await noteSales(ledger)
  await ledger.team.create(ACCOUNT, { ...keyOf('1'), ...grants, role: 'clerk' })
  const order = { id: 'so_1', kind: 'create' as const, ...keyOf('2'), ...grants, role: 'manager' as const }
  await ledger.creditAccount.paySeat(ACCOUNT, { amount: '5000000', order })
  await runPolicies(store, ledger, world)
  await ledger.team.rotate(ACCOUNT, { number: 2, ...keyOf('3') })
  await ledger.team.change(ACCOUNT, { number: 2, status: 'suspended', storeScope: [1, 2] })
  await ledger.team.delete(ACCOUNT, { number: 1 })
  await ledger.creditAccount.buyLanderPack(ACCOUNT, { purchaseId: 'bp_1', qty: 2 })
  await ledger.checkout.create('4503599627370401', { ...checkoutSaved, accountId: ACCOUNT, description: ODD_TEXT })
  for (const id of ['4503599627370411', '4503599627370412'])
    await ledger.transaction.create(id, { ...recordedTransaction, accountId: ACCOUNT, storeId: 2 })
  await ledger.transaction.edit('4503599627370411', { changes: EDITED, by: 'owner' })
  await refunds(ledger, '4503599627370411')
  await ledger.transaction.delete('4503599627370412', { by: 'owner' })
  const { requestId, transactionId } = cardOpened.paymentRequest
  for (const id of [payoutRequested.transactionId, transactionId])
    await ledger.transaction.create(id, { ...recordedTransaction, accountId: ACCOUNT })
  await ledger.payout.request('po_1', { ...payoutRequested, accountId: ACCOUNT })
  await ledger.payout.giveDetails('po_1', { details: `v1.${ACCOUNT}.iv.${ODD_TEXT}`, print: 'p' })
  await ledger.payout.complete('po_1', { by: 'owner' })
  await ledger.paymentRequest.open(requestId, { ...requestOpened, accountId: ACCOUNT, transactionId })
  await cardPayment(ledger)
  await unmatchedMoney(ledgerOn(store, world, undefined, ACCOUNT))
  await runPolicies(store, ledger, world)
}

const cardPayment = async (ledger: Ledger): Promise<void> => {
  await ledger.cardProcessor.connect(ACCOUNT, connectedProcessor)
  await ledger.cardPayment.open('cp_1', { ...cardOpened, accountId: ACCOUNT })
  await ledger.cardPayment.place('cp_1', { sessionId: 'cs_1' })
  await ledger.cardPayment.report('cp_1', { paymentId: 'pi_1', processorEventId: 'evt_1' })
}

/** A refund that is looked for, of which a part was sent in a transfer that its chain has lost; and a dispute. */
const refunds = async ({ transaction }: Ledger, id: string): Promise<void> => {
  await transaction.refund(id, { by: 'owner', coin: paidCoin, hash: `0x${'56'.repeat(32)}` })
  const sent = { coin: paidCoin, transfer: { ...transferData, tx: `0x${'57'.repeat(32)}`, amount: '1' }, hash: '0x57' }
  await transaction.send(id, { by: 'owner', ...sent })
  await transaction.unsend(id, { ...sent, times: 1, reason: 'reorganised' })
  await transaction.dispute(id, { disputeId: 'dp_1', status: 'open' })
}

/** Money that settles nothing, which the owner key ignores, and sends back. */
const unmatchedMoney = async ({ transfer }: Ledger): Promise<void> => {
  const hand = { accountId: ACCOUNT, by: 'owner' }
  for (const n of ['61', '62']) {
    const came = { ...transferData, tx: `0x${n.repeat(32)}` }
    const money = { accountId: ACCOUNT, challengeId: null, asset: 'eth', reason: 'unmatched' as const, transfer: came }
    await transfer.setAside(`eth:${came.tx}:native`, money)
    await transfer.ignore(`eth:${came.tx}:native`, { ...hand, reason: 'small' })
  }
  const id = `eth:0x${'62'.repeat(32)}:native`
  await transfer.reopen(id, hand)
  const hash = `0x${'63'.repeat(32)}`
  await transfer.recordReturn(id, { ...hand, hash })
  await transfer.sendReturn(id, { back: { ...transferData, tx: hash, height: 300 }, hash, by: 'owner' })
}

const noteSales = async (ledger: Ledger): Promise<void> => {
  for (const order of ['1', '2']) {
    const item = { reference: order, amount: '5', currency: 'USD' }
    await ledger.news.note(newsId(ACCOUNT, 'sale'), { accountId: ACCOUNT, kind: 'sale', order, item })
  }
}
