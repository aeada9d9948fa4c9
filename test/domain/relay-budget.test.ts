import test from 'ava'
import { budgetsOf, isWithin, lostUsd, relayBudget, shareOf } from '../../domain/gasless/relay-budget.ts'
import { PLATFORM } from '../../domain/kernel/platform.ts'
import { countRelayLosses } from '../../domain/reactions/policies/gasless.ts'
import { authorizationId } from '../../domain/selling/authorization-terms.ts'
import { spentBudget } from '../../domain/use-cases/gasless/relay-budgets.ts'
import { given } from '../support/given.ts'
import { alone, ledgerOn, newStore } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { ACCOUNT, accepted } from './samples.ts'

/** What a relayer may lose in an hour, and to whom. */

const loss = (usd: string, position: string) => ({
  usd,
  authorizationId: 'base:usdc_base:0xp:0x1',
  tx: '0x1',
  source: 'count-relay-losses',
  position,
})
const counted = (usd: string, position: string, at: string) =>
  ({ type: 'RelayLossCounted', data: { ...loss(usd, position), at } }) as const
const NOW = '2026-03-02T10:00:00.000Z'

test('N-43 a loss is counted once, and the same level is said once an hour', (t) => {
  const world = fixedWorld('budget')
  const at = world.now().toISOString()
  given(t, relayBudget)
    .when('count', loss('7', '4'))
    .yields(counted('7', '4', at))
  given(t, relayBudget, counted('7', '4', at))
    .when('count', loss('7', '4'))
    .yieldsNothing()
  given(t, relayBudget, counted('7', '4', at))
    .when('count', loss('7', '3'))
    .yieldsNothing()
  const said = { percent: 90, lostUsd: '9', limitUsd: '10' }
  const reached = (when: string) => ({ type: 'RelayBudgetReached', data: { ...said, at: when } }) as const
  given(t, relayBudget).when('reach', said).yields(reached(at))
  given(t, relayBudget, reached(at)).when('reach', said).yieldsNothing()
  given(t, relayBudget, reached(at))
    .when('reach', { ...said, percent: 100 })
    .yields({
      ...reached(at),
      data: { ...said, percent: 100, at },
    })
  const before = new Date(Date.parse(at) - 3_600_000).toISOString()
  given(t, relayBudget, reached(before)).when('reach', said).yields(reached(at))
})

test('N-43 what was lost longer than an hour ago does not count any more, and is not remembered', (t) => {
  const { evolve, initial } = relayBudget
  const lose = (state: typeof initial, usd: string, at: string, position: string) =>
    evolve.RelayLossCounted(state, { ...loss(usd, position), at })
  const minutesBefore = (n: number) => new Date(Date.parse(NOW) - n * 60_000).toISOString()
  let state = lose(initial, '100', minutesBefore(61), '1')
  state = lose(state, '20', minutesBefore(59), '2')
  state = lose(state, '3', minutesBefore(1), '3')
  t.is(lostUsd(state, NOW), 23n)
  t.is(lostUsd(state, minutesBefore(-2)), 3n, 'nothing was lost since, and an hour has passed over the first')
  t.is(state.lost.length, 2)
  for (let n = 0; n < 1_000; n++) state = lose(state, '1', minutesBefore(-n), String(4 + n))
  t.true(state.lost.length <= 61)
})

test('N-43 a payment’s losses count against its network, its seller, its payer and the payer’s code', (t) => {
  const risk = { network: 'base', accountId: 'acc_1', payer: '0xp', code: '0xc', isKnown: false }
  t.deepEqual(
    budgetsOf(risk).map(([, budget]) => budget),
    ['network:base', 'seller:acc_1', 'payer:0xp', 'code:0xc'],
  )
  t.deepEqual(
    budgetsOf({ ...risk, accountId: PLATFORM, code: undefined }).map(([, budget]) => budget),
    ['network:base', 'payer:0xp'],
  )
})

test('N-43 a tenth of what is shared is kept for those who have paid before, and half of a network’s for keys', (t) => {
  const [fresh, wallet] = [
    { isKnown: false, code: undefined },
    { isKnown: false, code: '0xc' },
  ]
  t.deepEqual(
    (['network', 'seller', 'payer', 'code'] as const).map((scope) => [shareOf(scope, fresh), shareOf(scope, wallet)]),
    [
      [90n, 50n],
      [90n, 50n],
      [100n, 100n],
      [90n, 90n],
    ],
  )
  for (const code of [undefined, '0xc'])
    for (const scope of ['network', 'seller', 'payer', 'code'] as const)
      t.is(shareOf(scope, { isKnown: true, code }), 100n)
  t.true(isWithin(0n, 5n, 9n), 'the first of an hour goes, whatever it may cost')
  t.true(isWithin(1n, 5n, 4n))
  t.false(isWithin(1n, 5n, 5n))
  t.false(isWithin(5n, 5n))
})

test('N-43 J-GAS-07 losses are counted by what the log says of them, once, and stop who is new before who has paid', async (t) => {
  const store = newStore(t)
  const world = fixedWorld('losses')
  const ledger = ledgerOn(store, world)
  const context = { ledger, world, secondVoice: alone }
  const id = authorizationId(accepted.authorization)
  await ledger.authorization.accept(id, { ...accepted, code: { hash: '0xc', gas: '90000' }, byContract: true })
  const data = { accountId: ACCOUNT, resId: null, challengeId: 'c', payer: '0xp', tx: '0x1', gasUsd: '950' }
  const event = { stream: `authorization-${id}`, order: 7n, data } as never
  for (let n = 0; n < 2; n++) await countRelayLosses.on.AuthorizationReverted?.(event, context)
  const limits = { network: 1_000n, seller: 10_000n, payer: 10_000n, code: 10_000n }
  const { network } = accepted.authorization
  const other = { network, accountId: 'acc_other', payer: '0xother', code: undefined, isKnown: false }
  const now = world.now().toISOString()
  const spent = (risk: typeof other) => spentBudget(ledger, limits, risk, now)
  const until = '2026-03-02T11:00:00.000Z'
  t.deepEqual(
    await spent(other),
    { scope: 'network', budget: `network:${network}`, until },
    'until its losses are an hour old',
  )
  t.is(await spent({ ...other, isKnown: true }), undefined)
  t.is(await spent({ ...other, network: 'op' }), undefined)
  // What gas cost above the bill is lost as well.
  const dear = { ...data, tx: '0x2', gasUsd: '100', billedUsd: '40', transferId: 'x' }
  await countRelayLosses.on.AuthorizationGasSpent?.({ stream: `authorization-${id}`, order: 8n, data: dear } as never, {
    ...context,
  })
  t.is(lostUsd(await ledger.relayBudget.read(`network:${network}`), now), 1_010n)
  t.truthy(await spent({ ...other, isKnown: true }))
})
