import test from 'ava'
import { fold } from '../../domain/kernel/decider.ts'
import { transfer } from '../../domain/selling/transfers/transfer.ts'
import type { AsideReason } from '../../domain/selling/transfers/transfer-events.ts'
import { given } from '../support/given.ts'
import { ACCOUNT, CHALLENGE_ID, transferData } from './samples.ts'

/** What one movement of coins pays, whoever says so, and what becomes of it when its block is replaced. */

const OTHER = `ch_${'b'.repeat(26)}.eth`
const by = 'key_1'
const payment = { accountId: ACCOUNT, challengeId: CHALLENGE_ID, asset: 'eth', transfer: transferData }
const claimed = { type: 'TransferClaimed', data: payment } as const
const elsewhere = { ...transferData, height: 108, blockHash: '0xelsewhere' }
const money = (reason: AsideReason, challengeId: string | null) => ({ ...payment, challengeId, reason })
const aside = (reason: AsideReason, challengeId: string | null = CHALLENGE_ID) =>
  ({ type: 'TransferSetAside', data: money(reason, challengeId) }) as const
const matching = (challengeId = CHALLENGE_ID) => ({ accountId: ACCOUNT, challengeId, asset: 'eth', by })
const matched = (challengeId = CHALLENGE_ID, more: object = {}) =>
  ({ type: 'TransferClaimed', data: { ...payment, challengeId, by, matched: true, ...more } }) as const
const reversed = (more: object = {}, times = 1) =>
  ({ type: 'TransferReversed', data: { ...payment, reason: 'reorganised', times, ...more } }) as const
const taking = (times = 0) => ({ reason: 'reorganised', times }) as const
const restoring = { blockHash: transferData.blockHash }
const restored = { accountId: ACCOUNT, transfer: transferData, times: 1 }

test('N-24 X-REPLAY-01 money that was set aside is claimed for nothing, until its seller says what it pays', (t) => {
  given(t, transfer, aside('unmatched', null)).when('claim', payment).isRefused('transfer-taken')
  given(t, transfer, claimed, aside('doubled')).when('claim', payment).isRefused('transfer-taken')
  given(t, transfer, aside('unmatched', null)).when('match', matching()).yields(matched())
  given(t, transfer, claimed, aside('doubled'))
    .when('match', matching(OTHER))
    .yields(matched(OTHER, { inBooks: true }))
  given(t, transfer, claimed).when('match', matching()).isRefused('transfer-taken')
  given(t, transfer, claimed).when('match', matching(OTHER)).isRefused('transfer-taken')
  given(t, transfer).when('match', matching()).isRefused('transfer-not-found')
  given(t, transfer, aside('late'), reversed()).when('match', matching()).isRefused('transfer-not-found')
})

test('X-TEN-01 N-24 only the account that has the money says what it pays', (t) => {
  const kept = given(t, transfer, aside('unmatched', null))
  const stranger = { ...matching(), accountId: 'acc_2' }
  kept.when('match', stranger).isRefused('transfer-not-found')
  kept.when('match', { ...matching(), holder: 'acc_2' }).isRefused('transfer-not-found')
  kept
    .when('match', { ...stranger, holder: ACCOUNT, voices: 2 })
    .yields(matched(CHALLENGE_ID, { accountId: 'acc_2', holder: ACCOUNT, voices: 2 }))
})

test('N-24 a match is quiet when it is repeated, also when the money had to be set aside again', (t) => {
  given(t, transfer, aside('late'), matched()).when('match', matching()).yieldsNothing()
  given(t, transfer, aside('late'), matched()).when('match', matching(OTHER)).isRefused('transfer-taken')
  const again = given(t, transfer, aside('unmatched', null), matched(), aside('doubled'))
  again.when('match', matching()).yieldsNothing()
  again.when('match', matching(OTHER)).yields(matched(OTHER, { inBooks: true }))
  given(t, transfer, claimed, aside('doubled'))
    .when('match', matching())
    .yields(matched(CHALLENGE_ID, { inBooks: true }))
})

test('N-24 money is set aside once, and not while it is the payment of something else', (t) => {
  for (const reason of ['late', 'doubled', 'unmatched'] as const)
    given(t, transfer).when('setAside', money(reason, CHALLENGE_ID)).yields(aside(reason))
  given(t, transfer, aside('late')).when('setAside', money('doubled', CHALLENGE_ID)).yieldsNothing()
  given(t, transfer, claimed).when('setAside', money('doubled', CHALLENGE_ID)).yields(aside('doubled'))
  given(t, transfer, claimed).when('setAside', money('late', CHALLENGE_ID)).yields(aside('late'))
  given(t, transfer, claimed).when('setAside', money('doubled', OTHER)).yieldsNothing()
  given(t, transfer, claimed).when('setAside', money('unmatched', null)).yieldsNothing()
})

test('N-24 what its seller matched is never late, and is not booked a second time when it came second', (t) => {
  const late = given(t, transfer, aside('late'), matched(CHALLENGE_ID, { inBooks: true }))
  late.when('setAside', money('late', CHALLENGE_ID)).yieldsNothing()
  const doubled = {
    ...aside('doubled'),
    data: { ...money('doubled', CHALLENGE_ID), inBooks: true, matched: true },
  } as const
  late.when('setAside', money('doubled', CHALLENGE_ID)).yields(doubled)
  given(t, transfer, aside('unmatched', null), matched())
    .when('setAside', money('doubled', CHALLENGE_ID))
    .yields({ ...doubled, data: { ...money('doubled', CHALLENGE_ID), matched: true } })
  const known = [aside('late'), matched(), aside('unmatched')]
  t.true(fold(transfer, known).inBooks)
})

test('N-24 what is taken back says whose it was, and whether it had settled anything or was in the books', (t) => {
  given(t, transfer, claimed).when('reverse', taking()).yields(reversed())
  given(t, transfer, claimed).when('reverse', taking(1)).yieldsNothing()
  given(t, transfer).when('reverse', taking()).yieldsNothing()
  given(t, transfer, aside('late', OTHER))
    .when('reverse', taking())
    .yields(reversed({ challengeId: OTHER, aside: true, inBooks: true }))
  given(t, transfer, aside('unmatched', null))
    .when('reverse', taking())
    .yields(reversed({ challengeId: null, aside: true }))
  // The account that matched it has it from then on.
  given(t, transfer, aside('late'), matched(OTHER, { accountId: 'acc_2', inBooks: true }))
    .when('reverse', taking())
    .yields(reversed({ accountId: 'acc_2', challengeId: OTHER }))
})

test('N-24 what was taken back is forgotten: it comes again as if for the first time, and says how often it was gone', (t) => {
  const gone = [aside('late'), matched(CHALLENGE_ID, { inBooks: true }), reversed()] as const
  const anew = { ...payment, transfer: elsewhere }
  given(t, transfer, ...gone)
    .when('setAside', money('late', CHALLENGE_ID))
    .yieldsNothing()
  const moved = { ...money('late', CHALLENGE_ID), transfer: elsewhere }
  given(t, transfer, ...gone)
    .when('setAside', moved)
    .yields({ type: 'TransferSetAside', data: moved })
  given(t, transfer, ...gone)
    .when('claim', { ...anew, challengeId: OTHER })
    .yields({ type: 'TransferClaimed', data: { ...anew, challengeId: OTHER, again: 1 } })
  given(t, transfer, ...gone, { type: 'TransferSetAside', data: moved })
    .when('match', matching())
    .yields(matched(CHALLENGE_ID, { inBooks: true, again: 1, transfer: elsewhere }))
  given(t, transfer, ...gone, { type: 'TransferClaimed', data: { ...anew, again: 1 } })
    .when('reverse', taking(1))
    .yields(reversed({ transfer: elsewhere }, 2))
  given(t, transfer, ...gone, { type: 'TransferClaimed', data: anew })
    .when('setAside', { ...moved, reason: 'doubled' })
    .yields({ type: 'TransferSetAside', data: { ...moved, reason: 'doubled' } })
})

test('N-24 a block that comes back restores its transfer only while nothing else has happened to it', (t) => {
  const back = { type: 'TransferRestored', data: restored } as const
  given(t, transfer, claimed, reversed()).when('restore', restoring).yields(back)
  given(t, transfer, aside('late'), reversed()).when('restore', restoring).yields(back)
  given(t, transfer, claimed).when('restore', restoring).yieldsNothing()
  given(t, transfer).when('restore', restoring).yieldsNothing()
  given(t, transfer, claimed, reversed(), back).when('restore', restoring).yieldsNothing()
  const anew = { ...payment, transfer: elsewhere }
  const taken = given(t, transfer, claimed, reversed(), { type: 'TransferClaimed', data: { ...anew, again: 1 } })
  taken.when('restore', restoring).yieldsNothing()
  taken.when('claim', payment).yieldsNothing()
  const kept = { ...money('late', CHALLENGE_ID), transfer: elsewhere }
  const setAside = given(t, transfer, claimed, reversed(), { type: 'TransferSetAside', data: kept })
  setAside.when('restore', restoring).yieldsNothing()
})
