import test, { type ExecutionContext } from 'ava'
import { mandateStateAt } from '../../domain/balance/mandate.ts'
import { pushCredit, refundIntent } from '../../domain/use-cases/balance/credit.ts'
import { debitDue } from '../../domain/use-cases/balance/debit-due.ts'
import { createMandate, debitMandate, declineMandate, revokeMandate } from '../../domain/use-cases/balance/mandate.ts'
import { startTopUp } from '../../domain/use-cases/balance/top-up.ts'
import { type BalanceEntryRow, balancesProjection } from '../../projections/balance/balances.ts'
import { intentsProjection } from '../../projections/balance/intents.ts'
import { mandatesProjection } from '../../projections/balance/mandates.ts'
import { topUpsProjection } from '../../projections/balance/top-ups.ts'
import { createQueries } from '../../projections/index.ts'
import { journalProjection } from '../../projections/money/journal.ts'
import { approvedMandate, CLIENT, confirmedIntent, mandateWish, moneyScene, SUB } from '../support/money.ts'
import { applyAll, contents, emptyReadModels } from './setup.ts'

const MODELS = [balancesProjection, mandatesProjection, intentsProjection, topUpsProjection, journalProjection]
const DAY = 86_400_000

const schedule = { mode: 'scheduled', schedAmount: 4n, schedInterval: 'weekly', auto: true } as const

/** A user with 50 and an app with 10, whose books are shown. */
const setUp = async (t: ExecutionContext) => {
  const { sql } = await emptyReadModels(t, MODELS)
  const scene = await moneyScene(50n, 10n)
  let shown = 0
  const show = async () => {
    await scene.carry()
    const events = scene.store.events()
    for (const projection of MODELS) await applyAll(sql, projection, events.slice(shown))
    shown = events.length
  }
  return { ...scene, sql, queries: createQueries(sql), show }
}

/** All of it at once, into empty tables: the same rows come out. */
const sameAnew = async (t: ExecutionContext, { sql, store }: Awaited<ReturnType<typeof setUp>>) => {
  const { sql: anew } = await emptyReadModels(t, MODELS)
  for (const projection of MODELS) await applyAll(anew, projection, store.events())
  t.deepEqual(await contents(anew, MODELS), await contents(sql, MODELS))
}

test('A-MAN-08 a history shows what users and apps have, and how it came about', async (t) => {
  const scene = await setUp(t)
  const { on, queries, show } = scene
  const intent = await confirmedIntent(on, 7n)
  const paid = await intent.complete(on)
  const mandateId = await approvedMandate(on)
  const wish = { clientId: CLIENT, mandateId, amount: 2n, description: 'a pen', idempotencyKey: 'k' }
  const debited = await debitMandate(on, wish)
  await show()
  const refunded = await refundIntent(on, { ...intent, clientId: CLIENT, ref: 'r', amount: 3n })
  const pushed = await pushCredit(on, { clientId: CLIENT, sub: SUB, amount: 1n, description: 'thanks', ref: 'r' })
  await show()

  t.is(await queries.balance(`user:${SUB}`), 45n)
  t.is(await queries.balance(`app:${CLIENT}`), 15n)
  t.is(await queries.balance('user:usr_none'), 0n)
  const entries = await queries.balanceEntries(`user:${SUB}`, 10)
  const told = (rows: readonly BalanceEntryRow[]) =>
    rows.map(({ kind, ledgerRef, amount, balance, other }) => [kind, ledgerRef, amount, balance, other])
  t.deepEqual(told(entries).slice(0, 4), [
    ['credit-push', pushed.ledgerRef, '1', '45', `app:${CLIENT}`],
    ['refund', refunded.ledgerRef, '3', '44', `app:${CLIENT}`],
    ['standing-order', debited.ledgerRef, '-2', '41', `app:${CLIENT}`],
    ['intent', paid.ledgerRef, '-7', '43', `app:${CLIENT}`],
  ])
  t.like(entries[4], { kind: 'grant', amount: '50', balance: '50', other: 'platform' })
  t.like(entries[2], { clientId: CLIENT, description: 'a pen', mandateId, intentId: null })
  t.like(entries[1], { intentId: intent.intentId, description: 'a book' })
  t.deepEqual(told(await queries.balanceEntries(`user:${SUB}`, 2, entries[1]?.number)), told(entries).slice(2, 4))
  t.deepEqual(told(await queries.balanceEntries(`app:${CLIENT}`, 2)), [
    ['credit-push', pushed.ledgerRef, '-1', '15', `user:${SUB}`],
    ['refund', refunded.ledgerRef, '-3', '16', `user:${SUB}`],
  ])
  const { intentId } = intent
  t.like(await queries.intent(intentId), { status: 'completed', ledgerRef: paid.ledgerRef, refunded: '3', amount: '7' })
  t.is((await queries.intentsOfApp(CLIENT, 10)).length, 1)
  const books = new Map((await queries.trialBalance()).map(({ account, amount }) => [account, amount]))
  const accounts = [`user:${SUB}:balance`, `app:${CLIENT}:credit`, 'in-transit', 'platform:grants']
  t.deepEqual(
    accounts.map((account) => books.get(account)),
    ['45', '15', '0', '-60'],
  )
  await sameAnew(t, scene)
})

test('A-MAN-06 mandates show what became of them, and schedules what is due', async (t) => {
  const scene = await setUp(t)
  const { on, world, ledger, queries, show } = scene
  const [adhoc, scheduled] = [await approvedMandate(on), await approvedMandate(on, schedule)]
  const { mandateId: declined } = await createMandate(on, mandateWish)
  await declineMandate(on, declined)
  const plan = await approvedMandate(on, { ...schedule, auto: false })
  await show()
  t.like(await queries.mandate(adhoc), {
    status: 'approved',
    nextDebitAt: null,
    validUntil: '2027-03-02T10:00:00.000Z',
  })
  t.is((await queries.mandate(declined))?.status, 'declined')
  const orders = await queries.standingOrdersOf(SUB, 10)
  t.deepEqual(orders.map(({ mandateId }) => mandateId).sort(), [adhoc, scheduled, plan].sort())
  t.is((await queries.mandatesOfApp(CLIENT, 10)).length, 4)
  t.like(await queries.mandate(plan), { auto: false, nextDebitAt: null })
  t.like(await queries.mandate(scheduled), { auto: true })

  /** Runs what is due from the read model; nothing is due afterwards. */
  const run = async (days: number) => {
    world.step(days * DAY)
    const due = () => queries.standingOrdersDue(world.now().toISOString(), 10)
    const before = await due()
    await debitDue(ledger, world, queries, (error) => t.fail(String(error)))
    await show()
    t.is((await due()).length, 0)
    return before.length
  }
  t.is(await run(0), 1)
  const next = '2026-03-09T10:00:00.000Z'
  t.like(await queries.mandate(scheduled), { spent: '4', lastDebitAt: '2026-03-02T10:00:00.000Z', nextDebitAt: next })
  t.deepEqual([await run(6), await run(1)], [0, 1])
  // Less is left of its cap than it takes.
  const used = await queries.mandate(scheduled)
  t.like(used, { spent: '8', nextDebitAt: null })
  t.is(used && mandateStateAt(used, world.now().toISOString()), 'exhausted')

  const late = await approvedMandate(on, schedule)
  await show()
  await revokeMandate(on, late, 'user')
  await show()
  t.like(await queries.mandate(late), { status: 'revoked', endedBy: 'user', nextDebitAt: null })
  t.is((await queries.standingOrdersDue('2026-12-01T00:00:00.000Z', 10)).length, 0)
  await sameAnew(t, scene)
})

test('A-TOP-03 top-ups show what became of them', async (t) => {
  const { on, ledger, queries, show } = await setUp(t)
  const wish = { clientId: CLIENT, amount: 5n, redirectUri: 'https://a.test/cb', appState: 's' }
  const { topUpId } = await startTopUp(on, wish)
  await show()
  t.like(await queries.topUp(topUpId), { status: 'started', amount: '5', settled: '0', sub: null, completedAt: null })
  await ledger.topUp.accept(topUpId, { sub: SUB, requestId: 'pr_1', expiresAt: '2026-03-04T10:00:00.000Z' })
  const settle = (total: string, position: string, short: boolean) =>
    ledger.topUp.settle(topUpId, {
      transferId: `topup:${position}`,
      ledgerRef: `oidctop-${position}`,
      kind: 'top-up',
      total,
      topUpId,
      sub: SUB,
      legs: [{ to: `user:${SUB}`, amount: total }],
      clientId: CLIENT,
      request: '',
      description: null,
      challengeId: `c${position}`,
      short,
      source: 'settle-top-ups',
      position,
    })
  await settle('2', '1', true)
  await show()
  t.like(await queries.topUp(topUpId), { status: 'underpaid', settled: '2', sub: SUB, requestId: 'pr_1' })
  await settle('5', '2', false)
  await settle('1', '3', true)
  await show()
  t.like(await queries.topUp(topUpId), { status: 'completed', settled: '8', completedAt: '2026-03-02T10:00:00.000Z' })
  t.is((await queries.topUpsOfApp(CLIENT, 10)).length, 1)
  t.is(await queries.balance(`user:${SUB}`), 58n)
})
