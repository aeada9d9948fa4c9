import test, { type ExecutionContext } from 'ava'
import { confirmIntent, createIntent } from '../../domain/use-cases/balance/intent.ts'
import { approveMandate, createMandate } from '../../domain/use-cases/balance/mandate.ts'
import { eventually } from '../../src/demo/stage.ts'
import type { RunningService } from '../../src/runtime/serve.ts'
import { type Balances, openBalances, REDIRECT, type Shop } from '../support/balance-calls.ts'
import { assertReplayEqual, saidOf } from '../support/sale.ts'
import { openStage } from './stage.ts'

/** The service ended without a word while money of balances moves. */

const EACH = 20
/** So many are answered before the cut, and so many are under way at a time. */
const ANSWERED = 6
const TOGETHER = 8
const CENTS = 25
/** Millionths of a dollar. */
const AMOUNT = 250_000n
const UNLIMITED = '1000000'

test('I-BAL-01 I-BAL-04 I-BAL-05 killed while intents are completed and mandates debited, it moves each amount once', async (t) => {
  t.timeout(120_000)
  const limits = Object.fromEntries(
    ['CLIENT', 'BALANCE'].flatMap((who) =>
      [`${who}_RATE_PER_SECOND`, `${who}_RATE_BURST`].map((name) => [name, UNLIMITED]),
    ),
  )
  const stage = await openStage({ store: 'eventstoredb', env: () => limits })
  t.teardown(stage.close)
  const served = {
    ...stage,
    env: stage.env as Record<string, string>,
    served: () => ({ origin: stage.origin }) as RunningService,
  }
  const b = await openBalances(served, { shiftMs: 0 })
  t.teardown(b.stop)
  const [ada, shop] = [await b.customer({ usd: 100 }), await b.shop()]
  const calls = shuffled(await prepared(b, ada.sub, shop))

  const acknowledged = new Map<number, string>()
  const ask = async (call: () => Promise<string | undefined>, i: number) => {
    const ref = await call().catch(() => undefined)
    const known = acknowledged.get(i)
    if (known !== undefined && known !== ref) throw new Error(`${i} was ${known} and is ${ref}`)
    if (ref !== undefined) acknowledged.set(i, ref)
  }
  const waiting = [...calls.entries()]
  const running = Array.from({ length: TOGETHER }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await ask(next[1], next[0])
  })
  await eventually('the first answers', () => acknowledged.size >= ANSWERED)
  await stage.service.kill()
  await Promise.all(running)
  const before = acknowledged.size
  t.true(before < calls.length, `${before} of ${calls.length} were answered before the cut`)
  stage.service.launch()
  await stage.service.ready()
  for (let round = 0; round < 2; round++) await Promise.all(calls.map(ask))
  t.is(acknowledged.size, calls.length)
  await movedOnce(t, served, b, { sub: ada.sub, shop, refs: [...acknowledged.values()] })
})

/** Completions and debits in turn. */
const shuffled = <T>(calls: readonly T[]): T[] =>
  calls.flatMap((call, i) => (i < EACH ? [call, calls[i + EACH] as T] : []))

/** Completions and debits, each of which answers its ledger reference. */
const prepared = async ({ operator: { flow }, ask }: Balances, sub: string, { clientId, named }: Shop) => {
  const common = { sub, clientId, description: 'Tea', redirectUri: REDIRECT, appState: '', idempotencyKey: undefined }
  const { mandateId } = await createMandate(flow, {
    ...common,
    mode: 'adhoc',
    perDebitCap: AMOUNT,
    lifetimeCap: AMOUNT * BigInt(EACH),
    cooldown: 'none',
    schedAmount: null,
    schedInterval: null,
  })
  await approveMandate(flow, mandateId)
  const refOf = async (asking: ReturnType<typeof ask>): Promise<string | undefined> => (await asking).json?.ledger_ref
  const completions = Array.from({ length: EACH }, async () => {
    const { intentId } = await createIntent(flow, { ...common, amount: AMOUNT })
    const { code } = await confirmIntent(flow, intentId, { amr: ['otp'] })
    return () => refOf(ask('intent', 'complete', { ...named, intent_id: intentId, code }))
  })
  const debits = Array.from({ length: EACH }, (_, i) => async () => {
    const debit = { ...named, mandate_id: mandateId, amount: CENTS / 100, description: 'Tea', idempotency_key: `${i}` }
    return refOf(ask('mandate', 'debit', debit))
  })
  return [...(await Promise.all(completions)), ...debits]
}

/** Nothing is doubled, nothing lost, nothing still on its way, and the rows say so too. */
const movedOnce = async (
  t: ExecutionContext,
  app: Parameters<typeof assertReplayEqual>[1],
  { operator: { ledger }, credit }: Balances,
  { sub, shop, refs }: { sub: string; shop: Shop; refs: readonly string[] },
) => {
  const total = (refs.length * CENTS) / 100
  await eventually('the app’s credit', async () => (await credit(shop)) === total)
  t.is((await ledger.userBalance.read(sub)).balance, 100_000_000n - AMOUNT * BigInt(refs.length))
  const sent = await saidOf(app, 'BalanceSent', sub)
  t.deepEqual(sent.map(({ ledgerRef }) => ledgerRef).sort(), refs.toSorted())
  const entries = await Promise.all(refs.map((ref) => ledger.ledgerEntry.read(ref)))
  t.deepEqual([...new Set(entries.map(({ status }) => status))], ['booked'])
  t.is((await saidOf(app, 'IntentCompleted', sub)).length, EACH)
  await assertReplayEqual(t, app)
}
