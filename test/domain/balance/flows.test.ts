import test from 'ava'
import { grantCredit, pushCredit, refundIntent } from '../../../domain/use-cases/balance/credit.ts'
import { completeIntent, confirmIntent, createIntent, declineIntent } from '../../../domain/use-cases/balance/intent.ts'
import { CLIENT, confirmedIntent, moneyScene, SUB } from '../../support/money.ts'
import { codeOf } from '../flow-setup.ts'

/** What apps ask for, from the call to the books. */

const MINUTE = 60_000
const DAY = 86_400_000
const wish = {
  sub: SUB,
  clientId: CLIENT,
  amount: 4n,
  description: 'a book',
  redirectUri: 'https://a.test/cb',
  appState: '0123456789abcdef',
  idempotencyKey: 'k',
}

test('A-INT-01 L-AUT-10 X-IDEM-02 one key makes one intent for ever, and another request under it is refused', async (t) => {
  const { on, world } = await moneyScene()
  const [first, ...same] = await Promise.all(Array.from({ length: 5 }, () => createIntent(on, wish)))
  t.deepEqual(new Set(same.map(({ intentId }) => intentId)), new Set([first?.intentId]))
  t.is(first?.intent.amount, '4')
  world.step(40 * DAY)
  t.deepEqual((await createIntent(on, wish)).intentId, String(first?.intentId))
  for (const other of [{ amount: 5n }, { description: 'a pen' }, { sub: 'usr_2' }, { redirectUri: 'https://a.test/x' }])
    t.is(await codeOf(createIntent(on, { ...wish, ...other })), 'idempotency-conflict')
  const elsewhere = [
    { ...wish, idempotencyKey: 'k2' },
    { ...wish, idempotencyKey: undefined },
    { ...wish, clientId: 'app_2' },
  ]
  const ids = await Promise.all(elsewhere.map(async (each) => (await createIntent(on, each)).intentId))
  t.is(new Set([first?.intentId, ...ids]).size, 4)
  t.is(await codeOf(createIntent(on, { ...wish, amount: 0n, idempotencyKey: 'k3' })), 'amount-not-positive')
})

test('A-INT-04 A-INT-05 I-BAL-01 of two hundred completions at once one debits, and all answer the same, for ever', async (t) => {
  const { on, world, ledger, balances, transfers } = await moneyScene()
  const { intentId, complete } = await confirmedIntent(on, 4n)
  const before = transfers().length
  const all = await Promise.all(Array.from({ length: 200 }, () => complete(on)))
  t.is(all.filter(({ duplicate }) => !duplicate).length, 1)
  t.is(new Set(all.map(({ ledgerRef }) => ledgerRef)).size, 1)
  t.regex(all[0]?.ledgerRef ?? '', /^oidcpay-[a-z2-7]{20}$/)
  // Before what it paid for is completed, after that, and long after its code has expired.
  const again = { ledgerRef: all[0]?.ledgerRef, duplicate: true }
  t.deepEqual(await complete(on), again)
  t.deepEqual(await balances(), [6n, 14n])
  t.deepEqual(await complete(on), again)
  world.step(DAY)
  t.deepEqual(await complete(on), again)
  t.is(transfers().length, before + 1)
  const { status, ...intent } = await ledger.intent.read(intentId)
  t.deepEqual([status, 'ledgerRef' in intent && intent.ledgerRef], ['completed', again.ledgerRef])
})

test('A-INT-06 no code but its own completes an intent, and none of another app', async (t) => {
  const { on, balances } = await moneyScene()
  const [one, other] = [await confirmedIntent(on, 4n), await confirmedIntent(on, 3n)]
  const complete = (given: Partial<Parameters<typeof completeIntent>[1]>) =>
    codeOf(completeIntent(on, { clientId: CLIENT, intentId: one.intentId, code: one.code, ...given }))
  t.is(await complete({ code: other.code }), 'intent-code-wrong')
  t.is(await complete({ code: '' }), 'intent-code-wrong')
  t.is(await complete({ clientId: 'app_2' }), 'intent-not-found')
  t.is(await complete({ intentId: 'pi_none' }), 'intent-not-found')
  t.deepEqual(await balances(), [10n, 10n])
  t.is(await complete({}), 'done')
  t.is(await complete({ code: other.code }), 'intent-code-wrong')
  t.is(await complete({ clientId: 'app_2' }), 'intent-not-found')
})

test('T-INT-03 an intent is completed after it was confirmed, in time, and out of what there is', async (t) => {
  const { on, world, balances } = await moneyScene(5n)
  const { intentId } = await createIntent(on, wish)
  const complete = (code: string) => codeOf(completeIntent(on, { clientId: CLIENT, intentId, code }))
  t.is(await complete('x'), 'intent-not-confirmed')
  const { code } = await confirmIntent(on, intentId, { amr: ['pwd', 'otp'] })
  t.is(await codeOf(confirmIntent(on, intentId, { amr: ['pwd', 'otp'] })), 'state-forbids')
  world.step(10 * MINUTE)
  t.is(await complete(code), 'intent-expired')
  const [late, declined, dear] = await Promise.all([
    createIntent(on, { ...wish, idempotencyKey: 'late' }),
    createIntent(on, { ...wish, idempotencyKey: 'declined' }),
    confirmedIntent(on, 6n),
  ])
  await declineIntent(on, declined.intentId)
  t.is(await codeOf(completeIntent(on, { clientId: CLIENT, intentId: declined.intentId, code })), 'intent-declined')
  t.is(await codeOf(dear.complete(on)), 'insufficient-balance')
  world.step(30 * MINUTE)
  t.is(await codeOf(completeIntent(on, { clientId: CLIENT, intentId: late.intentId, code })), 'intent-expired')
  t.is(await codeOf(confirmIntent(on, late.intentId, { amr: [] })), 'intent-expired')
  t.deepEqual(await balances(), [5n, 10n])
})

const push = { clientId: CLIENT, sub: SUB, amount: 4n, description: 'thanks', ref: 'r' }

test('A-CRP-01 A-CRP-03 X-IDEM-02 I-BAL-02 a push moves credit from the app to the user, once for each reference', async (t) => {
  const { on, balances, transfers } = await moneyScene()
  const before = transfers().length
  const all = await Promise.all(Array.from({ length: 50 }, () => pushCredit(on, push)))
  t.is(all.filter(({ duplicate }) => !duplicate).length, 1)
  t.regex(all[0]?.ledgerRef ?? '', /^oidcpush-[a-z2-7]{20}$/)
  t.deepEqual(await balances(), [14n, 6n])
  t.deepEqual(await pushCredit(on, push), { ledgerRef: String(all[0]?.ledgerRef), duplicate: true })
  for (const other of [{ amount: 3n }, { sub: 'usr_2' }, { description: 'x' }])
    t.is(await codeOf(pushCredit(on, { ...push, ...other })), 'ref-conflict')
  t.is(await codeOf(pushCredit(on, { ...push, ref: 'r2', amount: 0n })), 'amount-not-positive')
  t.is(transfers().length, before + 1)
})

test('A-CRP-02 E-AUT-10 what would overdraw the credit of the app is refused, and nobody is credited', async (t) => {
  const { on, balances } = await moneyScene(0n, 3n)
  t.is(await codeOf(pushCredit(on, push)), 'app-credit-insufficient')
  t.deepEqual(await balances(), [0n, 3n])
  const codes = await Promise.all(
    ['a', 'b', 'c', 'd'].map((ref) => codeOf(pushCredit(on, { ...push, amount: 1n, ref }))),
  )
  t.deepEqual(codes.sort(), ['app-credit-insufficient', 'done', 'done', 'done'])
  t.deepEqual(await balances(), [3n, 0n])
})

test('a payment is given back in full or in part, once for each reference, and never more than was paid', async (t) => {
  const { on, balances } = await moneyScene()
  const { intentId, complete } = await confirmedIntent(on, 8n)
  const refund = (ref: string, amount?: bigint, clientId = CLIENT) =>
    refundIntent(on, { clientId, intentId, ref, ...(amount !== undefined && { amount }) })
  t.is(await codeOf(refund('a')), 'intent-not-completed')
  await complete(on)
  t.deepEqual(await balances(), [2n, 18n])
  const first = await refund('a', 3n)
  t.regex(first.ledgerRef, /^oidcref-[a-z2-7]{20}$/)
  t.deepEqual([first.amount, first.duplicate], [3n, false])
  t.deepEqual(await refund('a', 3n), { ...first, duplicate: true })
  t.deepEqual(await refund('a'), { ...first, duplicate: true })
  t.is(await codeOf(refund('a', 4n)), 'ref-conflict')
  t.is(await codeOf(refund('b', 6n)), 'refund-too-high')
  t.is(await codeOf(refund('b', 1n, 'app_2')), 'intent-not-found')
  // Every object has names of its own, and none of them is a reference that was used.
  for (const ref of ['toString', 'constructor', '__proto__']) t.is((await refund(ref, 1n)).amount, 1n, ref)
  t.is((await refund('valueOf')).amount, 2n)
  t.is(await codeOf(refund('c')), 'refund-too-high')
  t.deepEqual(await balances(), [10n, 10n])
})

test('what an app cannot give back now it can when it has the credit', async (t) => {
  const { on, balances } = await moneyScene(8n, 0n)
  const { intentId, complete } = await confirmedIntent(on, 8n)
  await complete(on)
  await balances()
  await pushCredit(on, { ...push, amount: 6n })
  t.is(await codeOf(refundIntent(on, { clientId: CLIENT, intentId, ref: 'a' })), 'app-credit-insufficient')
  // Nothing was asked for, so that less may be.
  t.is(await codeOf(refundIntent(on, { clientId: CLIENT, intentId, ref: 'a', amount: 2n })), 'done')
  t.deepEqual(await balances(), [8n, 0n])
})

test('credit of the operator reaches whoever it is for, once for each id', async (t) => {
  const { on, ledger, balances } = await moneyScene(0n, 0n)
  t.is(await codeOf(grantCredit(on, { to: `user:${SUB}`, amount: 5n, note: 'hello' })), 'not-found')
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
  const given = { to: `app:${CLIENT}`, amount: 5n, id: 'g', note: 'hello' } as const
  const first = await grantCredit(on, given)
  t.regex(first.ledgerRef, /^oidcgrant-[a-z2-7]{20}$/)
  t.deepEqual(await grantCredit(on, given), { ...first, duplicate: true })
  t.is(await codeOf(grantCredit(on, { ...given, amount: 6n })), 'idempotency-conflict')
  t.deepEqual(await balances(), [0n, 5n])
})
