import test from 'ava'
import fc from 'fast-check'
import { type EventsOf, fold } from '../../domain/kernel/decider.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { type ChallengeCommands, challenge } from '../../domain/selling/challenge.ts'
import { transferId } from '../../domain/selling/challenge-terms.ts'
import { given } from '../support/given.ts'
import { CHALLENGE_ID, EXPIRES, entry, opened, transferData } from './samples.ts'

type Event = EventsOf<typeof challenge>

const NOW = '2026-03-02T10:10:00.000Z'
const TX = 'test_x'
const place = { accountId: opened.accountId, resId: opened.resId, challengeId: CHALLENGE_ID, asset: 'eth' }
const transfer = {
  network: 'eth',
  tx: TX,
  index: 'test',
  asset: 'eth',
  from: 'test',
  to: entry.payTo,
  amount: entry.amount,
  height: 0,
  blockHash: '',
  minedAt: NOW,
}

const openedTest = (confirmations: number): Event => ({
  type: 'ChallengeOpened',
  data: { ...opened, test: true, entries: [{ ...entry, confirmations }] },
})
const live: Event = { type: 'ChallengeOpened', data: opened }
const simulated = (added: number, confirmations: number, required: number): Event => ({
  type: 'PaymentSimulated',
  data: { ...place, transfer, added, confirmations, required },
})
const { amount, currency, usd, webhookUrl } = opened
const settled: Event = {
  type: 'ChallengeSettled',
  data: { ...place, transfer, asked: entry.amount, amount, currency, usd, webhookUrl, settledAt: NOW, test: true },
}
const simulate = (added = 1) => ({ challengeId: CHALLENGE_ID, asset: 'eth', added, tx: TX })

test('J-SIM-01 T-CHL-05 confirmations are counted and the challenge stays open below the threshold', (t) => {
  given(t, challenge, openedTest(3))
    .when('simulate', simulate(), NOW)
    .yields(simulated(1, 1, 3))
  given(t, challenge, openedTest(3), simulated(1, 1, 3))
    .when('simulate', simulate(), NOW)
    .yields(simulated(1, 2, 3))
})

test('J-SIM-02 T-CHL-06 the call that reaches the threshold settles, with a transfer that is made up', (t) => {
  given(t, challenge, openedTest(1))
    .when('simulate', simulate(), NOW)
    .yields(simulated(1, 1, 1), settled)
  given(t, challenge, openedTest(3), simulated(2, 2, 3))
    .when('simulate', simulate(5), NOW)
    .yields(simulated(5, 7, 3), settled)
})

test('T-CHL-05 a payment that is simulated to come too late ends the time of the challenge, settles nothing, and comes once', (t) => {
  const late = { challengeId: CHALLENGE_ID, asset: 'eth', tx: TX }
  const terms = { asked: entry.amount, amount, currency, endedAt: NOW }
  const came: Event = { type: 'LatePaymentSimulated', data: { ...place, transfer, ...terms } }
  given(t, challenge, openedTest(1)).when('simulateLate', late, NOW).yields(came)
  given(t, challenge, openedTest(1), came).when('simulateLate', late, NOW).yieldsNothing()
  given(t, challenge, openedTest(1), came)
    .when('simulate', simulate(), '2026-03-02T10:10:00.001Z')
    .isRefused('challenge-expired')
  given(t, challenge, openedTest(1), simulated(1, 1, 1), settled)
    .when('simulateLate', late, NOW)
    .isRefused('challenge-closed')
  given(t, challenge, live).when('simulateLate', late, NOW).isRefused('challenge-is-live')
})

test('Q-13 a simulated payment may be of another amount: enough settles, too little is underpaid once confirmed, and that is final', (t) => {
  const paid = (asked: string, confirmations: number, required: number): Event => ({
    type: 'PaymentSimulated',
    data: { ...place, transfer: { ...transfer, amount: asked }, added: confirmations, confirmations, required },
  })
  const more = String(BigInt(entry.amount) + 1n)
  given(t, challenge, openedTest(1))
    .when('simulate', { ...simulate(), amount: more }, NOW)
    .yields(paid(more, 1, 1), {
      ...settled,
      data: { ...settled.data, transfer: { ...transfer, amount: more } },
    } as Event)
  const terms = { asked: entry.amount, least: entry.amount, amount, currency, usd, test: true }
  const underpaid: Event = {
    type: 'ChallengeUnderpaid',
    data: { ...place, transfer: { ...transfer, amount: '1' }, ...terms },
  }
  given(t, challenge, openedTest(2))
    .when('simulate', { ...simulate(), amount: '1' }, NOW)
    .yields(paid('1', 1, 2))
  given(t, challenge, openedTest(2))
    .when('simulate', { ...simulate(2), amount: '1' }, NOW)
    .yields(paid('1', 2, 2), underpaid)
  given(t, challenge, openedTest(1), underpaid).when('simulate', simulate(), NOW).isRefused('challenge-closed')
  const lenient: Event = {
    type: 'ChallengeOpened',
    data: { ...opened, test: true, entries: [{ ...entry, confirmations: 1, least: '5' }] },
  }
  given(t, challenge, lenient)
    .when('simulate', { ...simulate(), amount: '5' }, NOW)
    .yields(paid('5', 1, 1), { ...settled, data: { ...settled.data, transfer: { ...transfer, amount: '5' } } } as Event)
})

test('another payment begins to count anew', (t) => {
  const other = { ...simulate(), tx: 'test_y' }
  const expected = simulated(1, 1, 3)
  given(t, challenge, openedTest(3), simulated(2, 2, 3))
    .when('simulate', other, NOW)
    .yields({ ...expected, data: { ...expected.data, transfer: { ...transfer, tx: 'test_y' } } } as Event)
})

test('J-SIM-03 J-SIM-05 E-410-02 a live challenge, a settled one, an expired one and none refuse', (t) => {
  given(t, challenge, live).when('simulate', simulate(), NOW).isRefused('challenge-is-live')
  given(t, challenge, openedTest(1), simulated(1, 1, 1), settled)
    .when('simulate', simulate(), NOW)
    .isRefused('challenge-closed')
  given(t, challenge, openedTest(1))
    .when('simulate', simulate(), '2026-03-02T11:00:00.001Z')
    .isRefused('challenge-expired')
  given(t, challenge, openedTest(1))
    .when('simulate', simulate(), EXPIRES)
    .yields(
      {
        ...simulated(1, 1, 1),
        data: { ...simulated(1, 1, 1).data, transfer: { ...transfer, minedAt: EXPIRES } },
      } as Event,
      {
        ...settled,
        data: { ...settled.data, settledAt: EXPIRES, transfer: { ...transfer, minedAt: EXPIRES } },
      } as Event,
    )
  given(t, challenge).when('simulate', simulate(), NOW).isRefused('challenge-not-found')
  given(t, challenge, openedTest(1))
    .when('simulate', { ...simulate(), asset: 'btc' }, NOW)
    .isRefused('challenge-not-found')
})

const command = fc.oneof(
  fc.record({
    name: fc.constantFrom('settle', 'detect', 'add'),
    tx: fc.constantFrom('0x1', '0x2', TX),
    added: fc.constant(1),
  }),
  fc.record({ name: fc.constant('simulate'), tx: fc.constantFrom(TX, '0x1'), added: fc.integer({ min: 1, max: 3 }) }),
)

test('X-SBX-01 whatever is done in whatever order, a transfer never settles a test and a simulation never a live challenge', (t) => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(command, { maxLength: 12 }), (isTest, commands) => {
      let state = fold(challenge, [isTest ? openedTest(3) : live])
      for (const { name, tx, added } of commands) {
        const data = { ...simulate(added), tx, confirmations: 1, transfer: { ...transferData, tx } }
        try {
          const events = challenge.decide[name as keyof ChallengeCommands](state, data as never, NOW)
          state = fold(challenge, events, state)
          for (const { type, data: said } of events) {
            t.is(type === 'PaymentSimulated' || ('test' in said && said.test), isTest, `${name} ${type}`)
            const { index } = (said as { transfer: { index: string } }).transfer
            t.is(index === 'test', isTest)
          }
        } catch (error) {
          t.true(error instanceof Refusal)
        }
      }
      const by = state.status === 'open' ? state.settled.eth : undefined
      if (by !== undefined) t.is(by.endsWith(':test'), isTest)
    }),
  )
})

test('the name of a simulated transfer is none that a chain could give', (t) => {
  t.not(transferId(transfer), transferId({ ...transferData, tx: TX }))
})
