import test from 'ava'
import { PLATFORM } from '../../../domain/kernel/platform.ts'
import type { Refusal } from '../../../domain/kernel/refusal.ts'
import { debitDue } from '../../../domain/use-cases/balance/debit-due.ts'
import {
  approveMandate,
  createMandate,
  debitMandate,
  revokeMandate,
  tryDebit,
} from '../../../domain/use-cases/balance/mandate.ts'
import { acceptTopUp, startTopUp } from '../../../domain/use-cases/balance/top-up.ts'
import type { Ledger } from '../../../domain/write-side/ledger.ts'
import { ledgerOn, runPolicies } from '../../support/ledger.ts'
import { approvedMandate, CLIENT, mandateWish, moneyScene, SUB } from '../../support/money.ts'
import { fixedWorld } from '../../support/world.ts'
import { codeOf } from '../flow-setup.ts'
import { entry, opened, SET_ID, transferData } from '../samples.ts'

/** What the clock and our own payment door bring about: debits of schedules, and top-ups that are paid. */

const DAY = 86_400_000
const terms = { mode: 'scheduled', schedAmount: 3n, schedInterval: 'monthly', lifetimeCap: 100n } as const
const schedule = { ...terms, auto: true } as const

/** A schedule, and who runs all that is due by a time. */
const scheduled = async (user?: bigint, terms: Partial<Parameters<typeof approvedMandate>[1]> = {}) => {
  const scene = await moneyScene(user, 0n)
  const { ledger, world, on } = scene
  const mandateId = await approvedMandate(on, { ...schedule, ...terms })
  const due = { standingOrdersDue: async () => [{ mandateId, sub: SUB }] }
  const failed = (error: unknown) => {
    throw error
  }
  const runAt = async (...days: number[]) => {
    const periods: (string | undefined)[] = []
    for (const day of days) {
      world.step(Date.parse('2026-03-02T10:00:00.000Z') + day * DAY - world.now().getTime())
      const before = scene.transfers().length
      await Promise.all([debitDue(ledger, world, due, failed), debitDue(ledger, world, due, failed)])
      const made = scene.transfers().slice(before)
      periods.push(made.map(({ transferId }) => transferId.split('#')[1]).join() || undefined)
    }
    return periods
  }
  return { ...scene, mandateId, runAt }
}

test('A-MAN-06 L-AUT-08 a schedule is debited once each period for 12 months, however often it is run', async (t) => {
  const { runAt, balances } = await scheduled(100n)
  // The 2nd of each month, from March 2026 on.
  t.deepEqual(await runAt(0, 0, 30, 31, 31, 60, 61), ['0', undefined, undefined, '1', undefined, undefined, '2'])
  t.deepEqual(await runAt(92, 122, 153, 184, 214, 245, 275, 306, 337), ['3', '4', '5', '6', '7', '8', '9', '10', '11'])
  t.deepEqual(await runAt(365, 400), [undefined, undefined])
  t.is((await balances())[0], 100n - 36n)
})

test('Q-40 a schedule that its app runs is debited by nobody else', async (t) => {
  const { runAt, on, mandateId, balances } = await scheduled(100n, { auto: false })
  t.deepEqual(await runAt(0, 31, 61), [undefined, undefined, undefined])
  const debit = (idempotencyKey: string, amount = 3n) =>
    debitMandate(on, { clientId: CLIENT, mandateId, amount, description: 'tea', idempotencyKey })
  const all = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => debit(`k${n}`)))
  t.is(all.filter(({ status }) => status === 'fulfilled').length, 1)
  t.is((await tryDebit(on, { clientId: CLIENT, mandateId, amount: 3n }).catch(codeIn)) as unknown, 'cooldown-active')
  await runAt(92)
  t.deepEqual(await tryDebit(on, { clientId: CLIENT, mandateId, amount: 2n }), { remainingCap: 95n })
  t.false((await debit('next', 2n)).duplicate)
  t.true((await debit('next', 2n)).duplicate)
  t.is((await balances())[0], 100n - 5n)
})

test('Q-40 X-IDEM-02 whoever does not say who debits leaves it to the app, and a key gives its order again', async (t) => {
  const { on, ledger } = await moneyScene()
  const wish = { ...mandateWish, ...terms, idempotencyKey: 'k' }
  const { mandateId, mandate } = await createMandate(on, wish)
  t.is(mandate.auto, false)
  t.is((await createMandate(on, wish)).mandateId, mandateId)
  t.is(await codeOf(createMandate(on, { ...wish, auto: true })), 'idempotency-conflict')
  await approveMandate(on, mandateId)
  t.is((await ledger.userBalance.read(SUB)).orders[mandateId]?.auto, false)
  const adhoc = await createMandate(on, mandateWish)
  t.false('auto' in adhoc.mandate)
  t.is(await codeOf(createMandate(on, { ...mandateWish, auto: true })), 'mandate-terms-invalid')
})

test('after a standstill the newest period alone is debited', async (t) => {
  const { runAt, balances } = await scheduled(100n)
  t.deepEqual(await runAt(0, 100, 100, 122), ['0', '3', undefined, '4'])
  t.is((await balances())[0], 100n - 9n)
})

test('a debit that the balance does not cover is tried after a day, after three more, and then its period passes', async (t) => {
  const { runAt, fund, store } = await scheduled(2n)
  t.deepEqual(await runAt(0, 0.5, 1, 2, 4, 5, 30), Array(7).fill(undefined))
  const missed = store.events().filter(({ type }) => type === 'StandingOrderDebitMissed')
  t.deepEqual(
    missed.map(({ data }) => ('retryAt' in data ? data.retryAt : '')),
    ['2026-03-03T10:00:00.000Z', '2026-03-06T10:00:00.000Z', null],
  )
  await fund(`user:${SUB}`, 1n, 'enough')
  t.deepEqual(await runAt(30, 31), [undefined, '1'])
  t.deepEqual(await runAt(61, 61.5), [undefined, undefined])
  await fund(`user:${SUB}`, 3n, 'later')
  t.deepEqual(await runAt(61.9, 62), [undefined, '2'])
})

test('a schedule stops when it is revoked, when its app moves no money any more, and when its cap is used up', async (t) => {
  const revoked = await scheduled(100n)
  await revoked.runAt(0)
  await revokeMandate(revoked.on, revoked.mandateId, 'user')
  t.deepEqual(await revoked.runAt(31), [undefined])

  const disabled = await scheduled(100n)
  const { ledger } = disabled
  await ledger.clientApp.register(CLIENT, {
    name: 'Shop',
    owner: null,
    confidential: true,
    firstParty: false,
    redirectUris: ['https://a.test/cb'],
    secretHash: 's',
    creditPushKeyHash: 'c',
    backchannelUrl: null,
    signingSecret: null,
  })
  t.deepEqual(await disabled.runAt(0), ['0'])
  await ledger.clientApp.disable(CLIENT, {})
  t.deepEqual(await disabled.runAt(31, 61), [undefined, undefined])
  await disabled.carry()
  t.is((await ledger.mandate.read(disabled.mandateId)).status, 'revoked')

  const used = await scheduled(100n, { lifetimeCap: 8n })
  t.deepEqual(await used.runAt(0, 31, 61), ['0', '1', undefined])
})

test('one order that cannot be tried costs no other one its turn', async (t) => {
  const { ledger, world, on } = await moneyScene(100n, 0n)
  const mandateId = await approvedMandate(on, schedule)
  const failures: unknown[] = []
  const read = (id: string) => (id === 'usr_x' ? Promise.reject(new Error('no')) : ledger.userBalance.read(id))
  const broken: Ledger = Object.create(ledger, { userBalance: { value: { ...ledger.userBalance, read } } })
  const due = [
    { mandateId: 'so_x', sub: 'usr_x' },
    { mandateId, sub: SUB },
  ]
  await debitDue(broken, world, { standingOrdersDue: async () => due }, (_, id) => failures.push(id))
  t.deepEqual(failures, ['so_x'])
  t.is((await ledger.userBalance.read(SUB)).orders[mandateId]?.spent, '3')
})

/** The code of what was refused. */
const codeIn = (error: unknown) => (error as Refusal).code

/** A top-up of $10 that its user has taken up, and payments of it. */
const toppingUp = async () => {
  const scene = await moneyScene(0n, 0n)
  const { ledger, on } = scene
  await ledger.addressClaim.take(`eth:${entry.payTo}`, { accountId: PLATFORM, coin: 'eth' })
  await ledger.wallet.setAddress(PLATFORM, { asset: 'eth', addresses: [entry.payTo] })
  const wish = { clientId: CLIENT, amount: 10_000_000n, redirectUri: 'https://a.test/cb?x=1', appState: 'a&b' }
  const { topUpId } = await startTopUp(on, wish)
  const { requestId } = await acceptTopUp(on, topUpId, SUB)
  const request = await ledger.paymentRequest.read(requestId)
  const { transactionId } = request.status === 'none' ? t0 : request
  const set = { ...opened, accountId: PLATFORM, resId: null, paymentRequest: { requestId, transactionId } }
  /** $10 at $2,500: 0.004 eth, and a little more by which it is known. */
  const asked = 4_000_000_000_000_123n
  const pay = async (setId: string, amount: bigint) => {
    const entries = [{ ...entry, amount: String(asked) }]
    await ledger.challenge.open(setId, { ...set, amount: '10000000', usd: '10000000', entries })
    const transfer = { ...transferData, tx: `0x${setId}`, amount: String(amount) }
    const payment = { challengeId: `${setId}.eth`, asset: 'eth', transfer }
    await (amount < asked ? ledger.challenge.add(setId, payment) : ledger.challenge.settle(setId, payment))
    await scene.carry()
    return (await scene.balances())[0]
  }
  return { ...scene, topUpId, requestId, request, pay, asked }
}
const t0 = { transactionId: '' }

test('A-TOP-02 a top-up is paid at our own door, by whoever took it up first, who goes home to the app', async (t) => {
  const { on, ledger, world, topUpId, requestId, request } = await toppingUp()
  t.like(request, { accountId: PLATFORM, amount: '10000000', currency: 'USD', balanceTopUp: { topUpId } })
  t.is('redirect' in request && request.redirect, `https://a.test/cb?x=1&topup=${topUpId}&state=a%26b`)
  t.deepEqual(await acceptTopUp(on, topUpId, SUB), { requestId })
  t.is(await codeOf(acceptTopUp(on, topUpId, 'usr_2')), 'state-forbids')
  t.is(await codeOf(acceptTopUp(on, 'tu_none', SUB)), 'top-up-not-found')
  const { topUpId: late } = await startTopUp(on, {
    clientId: CLIENT,
    amount: 1n,
    redirectUri: 'https://a.test',
    appState: 's',
  })
  world.step(DAY)
  t.is(await codeOf(acceptTopUp(on, late, SUB)), 'top-up-expired')
  t.is(
    await codeOf(startTopUp(on, { clientId: CLIENT, amount: 0n, redirectUri: 'https://a.test', appState: 's' })),
    'amount-not-positive',
  )
  await ledger.wallet.remove(PLATFORM, { asset: 'eth' })
  t.is(await codeOf(acceptTopUp(on, topUpId, SUB)), 'unavailable')
})

test('A-TOP-03 T-TOP-01 I-BAL-03 what settles is credited once, exactly what was asked for when just that was paid', async (t) => {
  const { pay, asked, ledger, topUpId, transfers, store, world } = await toppingUp()
  t.is(await pay(SET_ID, asked), 10_000_000n)
  for (let n = 0; n < 2; n++) await runPolicies(store, ledgerOn(store, fixedWorld(`again ${n}`)), world)
  t.is((await ledger.userBalance.read(SUB)).balance, 10_000_000n)
  t.is((await ledger.topUp.read(topUpId)).status, 'completed')
  t.regex(transfers()[0]?.ledgerRef ?? '', /^oidctop-[a-z2-7]{20}$/)
})

test('A-TOP-03 less and more than was asked for are credited at the locked rate, each payment for itself', async (t) => {
  const { pay, asked, ledger, topUpId } = await toppingUp()
  t.is(await pay(SET_ID, 2_000_000_000_000_000n), 5_000_000n)
  t.is((await ledger.topUp.read(topUpId)).status, 'underpaid')
  t.is(await pay(`ch_${'b'.repeat(26)}`, 8_000_000_000_000_000n), 25_000_000n)
  t.is((await ledger.topUp.read(topUpId)).status, 'completed')
  // A hair less than was asked is worth no more than what was asked for.
  t.is(await pay(`ch_${'c'.repeat(26)}`, asked - 1n), 35_000_000n)
})
