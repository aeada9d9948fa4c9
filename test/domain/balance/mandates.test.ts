import test from 'ava'
import { Refusal } from '../../../domain/kernel/refusal.ts'
import {
  approveMandate,
  createMandate,
  debitMandate,
  declineMandate,
  revokeMandate,
} from '../../../domain/use-cases/balance/mandate.ts'
import { approvedMandate, CLIENT, mandateWish, moneyScene, SUB } from '../../support/money.ts'
import { codeOf } from '../flow-setup.ts'

/** What apps ask for of standing orders, from the call to the books. */

const DAY = 86_400_000
const proposal = { ...mandateWish, idempotencyKey: 'k' }
const debit = { clientId: CLIENT, amount: 2n, description: 'a book', idempotencyKey: 'd' }

test('A-MAN-01 X-IDEM-02 terms that contradict each other make no mandate, and one key makes one', async (t) => {
  const { on } = await moneyScene()
  const scheduled = { mode: 'scheduled', schedAmount: 3n, schedInterval: 'weekly' } as const
  const codes = [
    { perDebitCap: 11n },
    { schedAmount: 1n },
    { schedInterval: 'weekly' as const },
    { ...scheduled, schedAmount: null },
    { ...scheduled, schedInterval: null },
    { ...scheduled, schedAmount: 6n },
  ].map((terms) => codeOf(createMandate(on, { ...mandateWish, ...terms })))
  t.deepEqual(new Set(await Promise.all(codes)), new Set(['mandate-terms-invalid']))
  for (const none of [{ perDebitCap: 0n }, { lifetimeCap: -1n }, { ...scheduled, schedAmount: 0n }])
    t.is(await codeOf(createMandate(on, { ...mandateWish, ...none })), 'amount-not-positive')
  const [one, two] = [await createMandate(on, proposal), await createMandate(on, proposal)]
  t.is(one.mandateId, two.mandateId)
  t.is(await codeOf(createMandate(on, { ...proposal, lifetimeCap: 20n })), 'idempotency-conflict')
})

test('A-MAN-05 A-MAN-07 I-BAL-04 a debit is made once for each key, and told with what it left of the cap then', async (t) => {
  const { on, balances } = await moneyScene()
  const mandateId = await approvedMandate(on)
  const all = await Promise.all(Array.from({ length: 50 }, () => debitMandate(on, { ...debit, mandateId })))
  t.is(all.filter(({ duplicate }) => !duplicate).length, 1)
  t.deepEqual(new Set(all.map(({ remainingCap }) => remainingCap)), new Set([8n]))
  t.regex(all[0]?.ledgerRef ?? '', /^oidcso-[a-z2-7]{20}$/)
  t.is((await debitMandate(on, { ...debit, mandateId, idempotencyKey: 'd2' })).remainingCap, 6n)
  t.deepEqual(await balances(), [6n, 14n])
  const before = { ledgerRef: String(all[0]?.ledgerRef), duplicate: true, remainingCap: 8n }
  t.deepEqual(await debitMandate(on, { ...debit, mandateId }), before)
  t.is(await codeOf(debitMandate(on, { ...debit, mandateId, amount: 3n })), 'idempotency-conflict')
  await revokeMandate(on, mandateId, 'user')
  t.deepEqual(await debitMandate(on, { ...debit, mandateId }), before)
})

test('X-IDEM-02 what was sent long ago, and is remembered by its entry alone, is answered as it was', async (t) => {
  const { on, ledger, balances, transfers } = await moneyScene(100n)
  const mandateId = await approvedMandate(on, { perDebitCap: 5n, lifetimeCap: 1_000n })
  const first = await debitMandate(on, { ...debit, mandateId })
  for (let n = 0; n < 49; n++) await debitMandate(on, { ...debit, amount: 1n, mandateId, idempotencyKey: `k${n}` })
  await balances()
  t.is((await ledger.userBalance.read(SUB)).unbooked[`so:${mandateId}:d`], undefined)
  t.deepEqual(await debitMandate(on, { ...debit, mandateId }), { ...first, duplicate: true })
  t.is(await codeOf(debitMandate(on, { ...debit, mandateId, amount: 3n })), 'idempotency-conflict')
  t.is(transfers().length, 2 + 50)
})

test('A-MAN-06 a mandate that is not active says what it is instead, and one of another app is not there', async (t) => {
  const { on, world, balances } = await moneyScene()
  const stateOf = async (mandateId: string, key = 'new') => {
    const refused = await t.throwsAsync(debitMandate(on, { ...debit, mandateId, idempotencyKey: key }), {
      instanceOf: Refusal,
    })
    return [refused?.code, refused?.facts?.state].join(' ')
  }
  const proposed = async () => (await createMandate(on, mandateWish)).mandateId
  const [pending, declined, used, revoked, cancelled] = [
    await proposed(),
    await proposed(),
    await approvedMandate(on),
    await approvedMandate(on),
    await proposed(),
  ]
  await declineMandate(on, declined)
  await debitMandate(on, { ...debit, amount: 5n, mandateId: used, idempotencyKey: 'a' })
  await debitMandate(on, { ...debit, amount: 5n, mandateId: used, idempotencyKey: 'b' })
  await revokeMandate(on, revoked, 'app')
  await revokeMandate(on, cancelled, 'app')
  const states = async () => Promise.all([pending, used, revoked, cancelled].map((id) => stateOf(id)))
  const active = (state: string) => `mandate-not-active ${state}`
  t.deepEqual(await states(), ['pending', 'exhausted', 'revoked', 'revoked'].map(active))
  await balances()
  t.deepEqual(await states(), ['pending', 'exhausted', 'revoked', 'revoked'].map(active))
  t.is(await stateOf(declined), active('declined'))
  t.is(await codeOf(approveMandate(on, declined)), 'state-forbids')
  t.is(await codeOf(approveMandate(on, cancelled)), 'state-forbids')
  world.step(DAY)
  t.is(await stateOf(pending), active('expired'))
  t.is(await codeOf(approveMandate(on, pending)), 'mandate-expired')
  t.is(await codeOf(declineMandate(on, pending)), 'mandate-expired')
  t.is(await codeOf(debitMandate(on, { ...debit, mandateId: pending, clientId: 'app_2' })), 'mandate-not-found')
  t.is(await codeOf(debitMandate(on, { ...debit, mandateId: 'so_none' })), 'mandate-not-found')
  t.is(await codeOf(declineMandate(on, revoked)), 'state-forbids')
})
