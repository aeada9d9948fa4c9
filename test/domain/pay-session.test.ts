import test from 'ava'
import { completeSession } from '../../adapters/http/agent/commerce/complete.ts'
import { placeOrders } from '../../domain/reactions/policies/commerce.ts'
import { transferId } from '../../domain/selling/challenge-terms.ts'
import { cancelSession, isBeingPaid, readySession, statusNow } from '../../domain/use-cases/commerce/pay-session.ts'
import { answerSession, sessionIn } from '../../domain/use-cases/commerce/sessions.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { onceOf } from '../../domain/use-cases/once.ts'
import { deleteTransaction } from '../../domain/use-cases/selling/challenges/edit-transaction.ts'
import type { ChallengeOffer } from '../../domain/use-cases/selling/challenges/open-challenge.ts'
import { openForRequest } from '../../domain/use-cases/selling/challenges/open-request.ts'
import { matchTransfer } from '../../domain/use-cases/selling/settling/match-transfer.ts'
import { finishSettlement, settlePayment } from '../../domain/use-cases/selling/settling/settle-payment.ts'
import { ledgerOn, react, runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { flowOn } from '../support/money.ts'
import { fixedWorld } from '../support/world.ts'
import { SESSION_ID, sessionCreated, terms } from './commerce-samples.ts'
import { codeOf, sellerOn } from './flow-setup.ts'
import { ACCOUNT, AUTHORIZATION_ID, accepted, transferData } from './samples.ts'

/**
 * What becomes of a session whose payment is late, dies on its way, or comes in at another door: flows and policies on
 * a log in memory.
 */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const shop = { accountId: ACCOUNT, storeId: 1 }

const scene = async () => {
  const store = memoryStore()
  const world = fixedWorld('shop')
  await sellerOn(store)
  const ledger = ledgerOn(store, world)
  const flow = flowOn(store, ledger, world)
  await ledger.checkoutSession.create(SESSION_ID, sessionCreated)
  const unkeyed = onceOf(flow, undefined)
  const named = async () => ({ sessionId: SESSION_ID, session: await sessionIn(flow, shop, SESSION_ID) })
  const session = async () => (await named()).session
  const challenges: string[] = []
  const challengesOf = async () => challenges
  return {
    store,
    world,
    ledger,
    flow,
    unkeyed,
    named,
    session,
    challenges,
    challengesOf,
    ready: async () => readySession(flow, unkeyed, await named(), null),
    cancel: async () => cancelSession(flow, unkeyed, await named(), challengesOf),
    status: async () => statusNow(flow, await session(), challengesOf),
    carry: () => runPolicies(store, ledger, world),
    expire: async () => ledger.paymentRequest.expire((await session()).requestId ?? '', {}),
    count: (type: string) => store.events().filter((event) => event.type === type).length,
  }
}

const transferOf = ({ entries: [entry] }: Pick<ChallengeOffer, 'entries'>) => ({
  ...transferData,
  to: entry?.payTo ?? '',
  amount: entry?.amount ?? '',
  minedAt: '2026-03-02T10:20:00.000Z',
})

test('N-06 T-SES-03 what was paid in time and is seen after the time was up is an order all the same', async (t) => {
  const shown = await scene()
  const { minted } = await shown.ready()
  shown.world.step(7 * HOUR)
  await shown.expire()
  await shown.carry()
  t.is(await shown.status(), 'canceled')
  await settlePayment(shown.ledger, `${minted.setId}.eth`, transferOf(minted))
  for (let run = 0; run < 2; run++) await shown.carry()
  t.is(await shown.status(), 'completed')
  t.is(shown.count('CheckoutSessionCompleted'), 1)
})

test('N-06 I-SET-01 what is paid is neither canceled nor paid again before its order is placed', async (t) => {
  const shown = await scene()
  const { minted } = await shown.ready()
  await settlePayment(shown.ledger, `${minted.setId}.eth`, transferOf(minted))
  t.is(await codeOf(shown.cancel()), 'already-paid')
  t.is(await codeOf(shown.ready()), 'already-paid')
  await shown.carry()
  t.is(await shown.status(), 'completed')
})

test('T-SES-04 N-24 what was claimed while a buyer canceled is late, too, and its seller may still match it', async (t) => {
  const shown = await scene()
  const { minted, request } = await shown.ready()
  const transfer = transferOf(minted)
  const payment = { accountId: ACCOUNT, challengeId: `${minted.setId}.eth`, asset: 'eth', transfer }
  await shown.ledger.transfer.claim(transferId(transfer), payment)
  await shown.cancel()
  for (let run = 0; run < 2; run++) t.is(await finishSettlement(shown.ledger, payment), 'late')
  await shown.carry()
  t.like(await shown.ledger.transaction.read(request.transactionId), { status: 'X' })
  t.is(shown.count('ChallengeSettled'), 0)
  t.is(shown.count('TransferSetAside'), 1)
  const match = { accountId: ACCOUNT, transferId: transferId(transfer), challengeId: payment.challengeId, by: 'key' }
  t.is(await matchTransfer(shown.flow, match), 'settled')
  t.is(await shown.status(), 'canceled')
})

test('T-SES-04 what is paid after a buyer canceled is no order, and its seller is told of the money', async (t) => {
  const shown = await scene()
  const { minted, request } = await shown.ready()
  await shown.cancel()
  t.is(await settlePayment(shown.ledger, `${minted.setId}.eth`, transferOf(minted)), 'late')
  await shown.carry()
  t.is(await shown.status(), 'canceled')
  const paid = await shown.ledger.transaction.read(request.transactionId)
  t.is(paid.status, 'X')
  t.is(shown.count('TransferSetAside'), 1)
})

test('N-05 a session whose signed payment was begun and never taken can be canceled two minutes later', async (t) => {
  const shown = await scene()
  await shown.ready()
  await shown.ledger.checkoutSession.takePayment(SESSION_ID, { authorizationId: AUTHORIZATION_ID, over: null })
  t.is(await codeOf(shown.cancel()), 'already-paid')
  shown.world.step(2 * MINUTE + 1)
  t.is(await codeOf(shown.cancel()), 'done')
  t.is((await shown.session()).status, 'canceled')
})

test('N-05 X-IDEM-04 a signed payment that was taken for another sale is in no session’s way', async (t) => {
  const shown = await scene()
  await shown.ready()
  await shown.ledger.checkoutSession.takePayment(SESSION_ID, { authorizationId: AUTHORIZATION_ID, over: null })
  await shown.ledger.authorization.accept(AUTHORIZATION_ID, accepted)
  t.is(await codeOf(shown.cancel()), 'done')
  t.is((await shown.session()).status, 'canceled')
})

test('T-SES-04 a session whose signed payment was begun and never taken is over when its time is', async (t) => {
  const shown = await scene()
  await shown.ready()
  await shown.ledger.checkoutSession.takePayment(SESSION_ID, { authorizationId: AUTHORIZATION_ID, over: null })
  shown.world.step(7 * HOUR)
  t.is(await shown.status(), 'canceled')
  await shown.expire()
  await shown.carry()
  t.is((await shown.session()).status, 'canceled')
})

test('T-SES-04 a signed payment that was taken is waited for past the time of its session, which is over once that fails', async (t) => {
  const shown = await scene()
  const { minted, request } = await shown.ready()
  await shown.ledger.checkoutSession.takePayment(SESSION_ID, { authorizationId: AUTHORIZATION_ID, over: null })
  const taken = { ...accepted, resId: null, requestId: request.requestId, challengeId: `${minted.setId}.eth` }
  await shown.ledger.authorization.accept(AUTHORIZATION_ID, taken)
  shown.world.step(7 * HOUR)
  await shown.expire()
  await shown.carry()
  t.is(await shown.status(), 'ready_for_complete')
  await shown.ledger.authorization.fail(AUTHORIZATION_ID, { reason: 'funds' })
  const failed = shown.store.events().findLast(({ type }) => type === 'AuthorizationFailed')
  if (failed) await react(placeOrders, failed, shown.ledger, shown.world)
  t.is((await shown.session()).status, 'canceled')
})

test('N-05 M-TXN-12 a session is over when its seller deletes what was to be paid', async (t) => {
  const shown = await scene()
  const { request } = await shown.ready()
  await deleteTransaction(shown.flow, { transactionId: request.transactionId, by: 'seller' })
  await shown.carry()
  t.is(await shown.status(), 'canceled')
  t.is(await codeOf(shown.ready()), 'session-closed')
})

test('N-05 a session that is being paid at the door of its request is neither canceled nor said to be over', async (t) => {
  const shown = await scene()
  const { request } = await shown.ready()
  const atDoor = await openForRequest(shown.flow, request.requestId, { asset: 'eth' })
  const challengeId = `${atDoor.setId}.eth`
  shown.challenges.push(challengeId)
  t.false(await isBeingPaid(shown.flow, await shown.session(), shown.challengesOf))
  const seen = { challengeId, asset: 'eth', transfer: transferOf(atDoor), confirmations: 1 }
  await shown.ledger.challenge.detect(atDoor.setId, seen)
  t.is(await codeOf(shown.cancel()), 'already-paid')
  shown.world.step(7 * HOUR)
  t.is(await shown.status(), 'ready_for_complete')
})

test('C-SES-07 a seller who takes signed agreements alone has nothing minted without one at any door', async (t) => {
  const shown = await scene()
  await shown.ledger.settings.change(ACCOUNT, { mandates: { accept: ['self'], require: true, issuers: [] } })
  t.is(await codeOf(shown.ready()), 'checkout-mandate-required')
  t.is(shown.count('CheckoutSessionReadied'), 0)
})

test('S-FLD-04 what a person answers undoes no change that an agent has made meanwhile', async (t) => {
  const shown = await scene()
  const looked = await shown.named()
  await shown.ledger.checkoutSession.update(SESSION_ID, { ...terms, total: '9900' })
  t.is(await codeOf(answerSession(shown.flow, looked, {})), 'version-conflict')
  t.is((await shown.session()).total, '9900')
  t.is((await answerSession(shown.flow, await shown.named(), {})).session.total, '9900')
})

test('X-IDEM-01 a completion that broke off is carried on under the same key', async (t) => {
  const shown = await scene()
  const [chain] = shown.flow.chains.values()
  const silent = { ...chain, head: () => Promise.reject(new Error('silent')) }
  const complete = async (flow: UseCaseContext) => {
    const keyed = { accountId: ACCOUNT, operation: 'complete', key: 'k-1', body: {} }
    const asked = {
      flow,
      once: onceOf(flow, keyed),
      headers: {},
      challengesOf: shown.challengesOf,
      network: 'n',
    }
    return completeSession({ ...asked, named: await shown.named() }, {})
  }
  t.is(await codeOf(complete({ ...shown.flow, chains: new Map([['eth', silent as never]]) })), 'unavailable')
  const answered = (await complete(shown.flow)) as { status: string; payment_handlers?: readonly object[] }
  t.is(answered.status, 'ready_for_complete')
  t.is(answered.payment_handlers?.length, 1)
  t.deepEqual((await complete(shown.flow)).payment_handlers, answered.payment_handlers)
  await shown.cancel()
  t.is((await complete(shown.flow)).status, 'canceled')
})
