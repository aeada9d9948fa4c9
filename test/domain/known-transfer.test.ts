import test, { type ExecutionContext } from 'ava'
import { type RelayReceipt, relayId } from '../../domain/gasless/relay.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { type TransferData, transferId } from '../../domain/selling/challenge-terms.ts'
import { attributeTransfer } from '../../domain/use-cases/selling/settling/attribute-transfer.ts'
import { knownTransfer } from '../../domain/use-cases/selling/settling/known-transfer.ts'
import { matchTransfer } from '../../domain/use-cases/selling/settling/match-transfer.ts'
import { recheckPayment } from '../../domain/use-cases/selling/settling/recheck-payment.ts'
import { alone, ledgerOn, runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { chain } from './flow-setup.ts'
import { ACCOUNT, AUTHORIZATION_ID, accepted, EXPIRES, entry, opened, SET_ID, signed, transferData } from './samples.ts'

/**
 * Payments of a token whose ids ended in the place of their log in its block, as former releases wrote them: what the
 * chain tells of them under the ids of today is the same money, and is booked no second time (X-REPLAY-01).
 */

const CHALLENGE = `${SET_ID}.usdc_base`
const ASKED = 1_000_000n
const HEAD = 105 + 20
const asked = { ...entry, network: 'base', asset: 'usdc_base', amount: String(ASKED), contract: signed.contract }

/** As a former release read it from the chain, and wrote it down. */
const formerly: TransferData = {
  ...transferData,
  network: 'base',
  asset: 'usdc_base',
  index: '5',
  amount: String(ASKED),
  from: signed.from,
}
const movement = 'ab'.repeat(16)
/** As it is read today. */
const today = (former: TransferData, place = 0): TransferData => ({
  ...former,
  index: `erc20:${movement}:${place}`,
  formerIndex: former.index,
})
/** In another block, where its log has another place. */
const moved = (transfer: TransferData, formerIndex: string): TransferData => ({
  ...transfer,
  ...(transfer.formerIndex === undefined ? { index: formerIndex } : { formerIndex }),
  height: transfer.height + 1,
  blockHash: `0x${'ef'.repeat(32)}`,
})
const part = { ...formerly, amount: String((ASKED * 4n) / 10n) }

/** One challenge is open on an address that is lent to it. */
const scene = async () => {
  const store = memoryStore()
  const world = fixedWorld('former')
  const ledger = ledgerOn(store, world)
  const [endsAt, heldUntil] = [EXPIRES, '2026-03-02T13:00:00.000Z']
  const place = `base:usdc_base:${transferData.to}`
  await ledger.receiveAddress.lend(place, { challengeId: CHALLENGE, accountId: ACCOUNT, endsAt, heldUntil })
  await ledger.challenge.open(SET_ID, { ...opened, entries: [asked] })
  const seen = (transfer: TransferData, head = HEAD) => attributeTransfer(ledger, transfer, alone.heard, head)
  const said = (type: string): RecordedEvent[] => store.events().filter((event) => event.type === type)
  const booked = () => [...said('TransferClaimed'), ...said('TransferSetAside')].map(({ stream }) => stream)
  return { store, world, ledger, seen, said, booked }
}

/** Whatever is told of a transfer changes nothing. */
const nothingNew = async (
  t: ExecutionContext,
  { store, seen }: Pick<Awaited<ReturnType<typeof scene>>, 'store' | 'seen'>,
  ...told: readonly TransferData[]
) => {
  const before = store.events().length
  for (const each of told) await seen(each)
  t.deepEqual(store.events().slice(before), [])
}

test('X-REPLAY-01 I-SET-01 what settled under its former id is known by it, wherever a reorganisation has put it since', async (t) => {
  const given = await scene()
  t.is((await given.seen(formerly)).outcome, 'settled')
  await nothingNew(t, given, today(formerly), moved(today(formerly), '3'), today(moved(formerly, '5')))
  t.like(await given.seen(moved(today(formerly), '3')), { outcome: 'settled', transfer: { index: '5' } })
})

test('X-REPLAY-01 N-24 a part of a price that was paid under its former id adds up once', async (t) => {
  const given = await scene()
  t.is((await given.seen(part)).outcome, 'underpaid')
  await nothingNew(t, given, today(part), moved(today(part), '3'))
  const rest = { ...today(formerly), tx: `0x${'12'.repeat(32)}`, amount: String((ASKED * 6n) / 10n) }
  t.is((await given.seen(rest)).outcome, 'settled')
  await nothingNew(t, given, today(part), rest)
  t.like(given.said('ChallengeSettled'), [{ data: { paid: String(ASKED), parts: [transferId(part)] } }])
})

test('X-REPLAY-01 N-24 a payment that was seen under its former id, and waits, settles under it', async (t) => {
  const given = await scene()
  t.is((await given.seen(formerly, 106)).outcome, 'pending')
  const before = given.store.events().length
  t.like(await given.seen(today(formerly), 107), { outcome: 'pending', transfer: { index: '5' } })
  t.is(given.store.events().length, before)
  t.is((await given.seen(today(formerly))).outcome, 'settled')
  t.deepEqual(given.booked(), [`transfer-${transferId(formerly)}`])
  await nothingNew(t, given, today(formerly), formerly)
})

test('X-REPLAY-01 N-24 a waiting payment is looked at again under the id that it was seen under, or taken back and booked under that of today', async (t) => {
  for (const isMoved of [false, true]) {
    const { seen, booked, ledger, said } = await scene()
    await seen(formerly, 106)
    const { tx, height, blockHash } = formerly
    const there = isMoved ? moved(today(formerly), '3') : today(formerly)
    // Another one of the same transaction has its place by then.
    const other = { ...moved(today(formerly, 1), '5'), amount: ASKED, to: signed.from }
    const found = [...(isMoved ? [other] : []), { ...there, amount: ASKED }]
    const node = { ...chain(), transfersOf: async () => found, hashAt: async () => '0xother' }
    const pending = { challengeId: CHALLENGE, transferId: transferId(formerly), tx, height, blockHash }
    await recheckPayment(ledger, node, pending, HEAD, alone.heard)
    t.is(said('PaymentRetracted').length, isMoved ? 1 : 0)
    t.deepEqual(booked(), [`transfer-${transferId(isMoved ? there : formerly)}`])
    t.is(said('ChallengeSettled').length, 1)
  }
})

test('X-REPLAY-01 N-24 what was set aside under its former id stays one payment, also once its seller has matched it', async (t) => {
  const given = await scene()
  await given.seen(formerly)
  const second = { ...formerly, index: '6' }
  t.is((await given.seen(second)).outcome, 'doubled')
  await nothingNew(t, given, today(second, 1), today(formerly))

  const unasked = await scene()
  const dust = { ...formerly, amount: '9' }
  await unasked.ledger.addressClaim.claim(`base:${dust.to}`, { accountId: ACCOUNT, coin: 'usdc_base' })
  t.is((await unasked.seen(dust)).outcome, 'unmatched')
  await nothingNew(t, unasked, today(dust))
  t.like(await unasked.seen(today(dust)), { outcome: 'unmatched', transfer: { index: '5' } })
  const match = { accountId: ACCOUNT, transferId: transferId(dust), challengeId: CHALLENGE, by: 'key' }
  t.is(await matchTransfer(unasked, match), 'underpaid')
  await nothingNew(t, unasked, today(dust))
})

test('X-REPLAY-01 an event of a former release that is answered late tells of what was booked since', async (t) => {
  const given = await scene()
  t.is((await given.seen(today(formerly))).outcome, 'settled')
  t.deepEqual(given.booked(), [`transfer-${transferId(today(formerly))}`])
  await nothingNew(t, given, formerly)
  t.like(await given.seen(formerly), { outcome: 'settled', transfer: { index: today(formerly).index } })
})

test('X-REPLAY-01 another payment that now has the place of an old one in a block is no payment of the past', async (t) => {
  const given = await scene()
  t.is((await given.seen(part)).outcome, 'underpaid')
  const other = { ...moved(today(formerly, 1), '5'), amount: String((ASKED * 6n) / 10n) }
  t.like(await given.seen(other), { outcome: 'settled', transfer: { index: other.index } })
  t.deepEqual(given.booked(), [`transfer-${transferId(part)}`, `transfer-${transferId(other)}`])
})

test('X-REPLAY-01 what was booked under its former id is known by its block too, if its token has come into the catalogue since', async (t) => {
  const { ledger } = await scene()
  const transfer = { ...formerly, asset: signed.contract }
  const claim = { accountId: ACCOUNT, challengeId: CHALLENGE, asset: 'tok', transfer }
  await ledger.transfer.claim(transferId(transfer), claim)
  t.deepEqual(await knownTransfer(ledger, today(formerly)), formerly)
})

test('X-REPLAY-01 Q-55 an odd amount that waits, or was a part, under its former id stays what it was taken for, though more is open by now', async (t) => {
  for (const [odd, head, outcome] of [
    [{ ...formerly, amount: String((ASKED * 104n) / 100n) }, 106, 'pending'],
    [part, HEAD, 'underpaid'],
  ] as const) {
    const store = memoryStore()
    const ledger = ledgerOn(store, fixedWorld('odd'))
    const place = { accountId: ACCOUNT, price: asked.amount, step: '1', anonymous: false, endsAt: EXPIRES }
    const open = async (setId: string) => {
      const challengeId = `${setId}.usdc_base`
      const hold = { ...place, challengeId, heldUntil: '2026-03-02T13:00:00.000Z' }
      await ledger.receiveAddress.reserve(`base:usdc_base:${transferData.to}`, hold)
      await ledger.challenge.open(setId, { ...opened, entries: [asked] })
    }
    const seen = (transfer: TransferData) => attributeTransfer(ledger, transfer, alone.heard, head)
    await open(SET_ID)
    t.like(await seen(odd), { outcome, challengeId: CHALLENGE })
    await open(`ch_${'b'.repeat(26)}`)
    await nothingNew(t, { store, seen }, odd, today(odd))
    if (outcome === 'pending')
      t.like(await attributeTransfer(ledger, today(odd), alone.heard, HEAD), {
        outcome: 'settled',
        challengeId: CHALLENGE,
      })
    else await nothingNew(t, { store, seen }, moved(today(odd), '3'))
  }
})

test('X-REPLAY-01 N-42 an authorization that was under way over an upgrade settles once, whoever books it under which id', async (t) => {
  const old = { ...formerly, authorization: signed.nonce }
  for (const [watched, relayed] of [
    [old, today(old)],
    [today(old), old],
    [today(old), today(old)],
  ] as const) {
    const { store, world, ledger, said, booked } = await scene()
    await ledger.challenge.reserve(SET_ID, {
      challengeId: CHALLENGE,
      asset: 'usdc_base',
      authorizationId: AUTHORIZATION_ID,
    })
    await ledger.authorization.accept(AUTHORIZATION_ID, { ...accepted, challengeId: CHALLENGE })
    const scanned = { network: 'base', height: HEAD, hash: '0x125', head: HEAD }
    await ledger.chainWatch.scanned('base', { ...scanned, transfers: [watched] })
    const relayer = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
    const place = { network: 'base', relayer, nonce: 0, hash: old.tx }
    await ledger.relay.send(relayId('base', relayer), {
      ...place,
      authorizations: [AUTHORIZATION_ID],
      batched: false,
      gas: '150000',
      maxFeePerGas: '20',
      maxPriorityFeePerGas: '1',
    })
    const outcomes: RelayReceipt['outcomes'] = [
      { authorizationId: AUTHORIZATION_ID, transfer: relayed, gasUsd: '1000' },
    ]
    await ledger.relay.mine(relayId('base', relayer), {
      ...place,
      block: old.height,
      blockHash: old.blockHash,
      gasUsed: '80000',
      gasPrice: '10',
      l1Fee: '0',
      gasUsd: '1000',
      outcomes,
    })
    await runPolicies(store, ledger, world)
    const { index: _, ...money } = old
    t.like(said('ChallengeSettled'), [{ data: { transfer: money } }])
    const [stream, ...others] = booked()
    t.deepEqual(others, [])
    const id = { data: { transferId: stream?.slice('transfer-'.length) } }
    t.like(said('AuthorizationSettled'), [id])
    if (relayed !== old) t.like(said('AuthorizationGasSpent'), [id])
  }
})
