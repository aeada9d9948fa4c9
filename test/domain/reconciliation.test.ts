import test from 'ava'
import fc from 'fast-check'
import { networkOf } from '../../domain/kernel/networks.ts'
import type { Chain, Transfer } from '../../domain/kernel/ports.ts'
import { compare, isDifference, STATUSES } from '../../domain/reading/reconciliation/compare.ts'
import { type LoneTransaction, transactionLine, transferLine } from '../../domain/reading/reconciliation/line.ts'
import { createTally } from '../../domain/reading/reconciliation/tally.ts'
import { type BookedTransfer, type ChainLook, counterpartOf } from '../../domain/reading/reconciliation/transfer.ts'
import { lookAtTransfers } from '../../domain/use-cases/money/look-at-transfers.ts'
import { fixedWorld } from '../support/world.ts'
import { chain } from './flow-setup.ts'

/** What the lists, the journal and a chain say of one transfer, held against each other. */

const transfer = {
  network: 'eth',
  tx: '0xpaid',
  index: 'native',
  asset: 'eth',
  from: '0xpayer',
  to: '0xseller',
  amount: 40n,
  height: 80,
  blockHash: '0x80',
  minedAt: '2026-03-02T09:59:00.000Z',
} satisfies Transfer

const booked: BookedTransfer = {
  place: '7',
  transferId: 'eth:0xpaid:native',
  kind: 'payment',
  accountId: 'acc_1',
  network: 'eth',
  hash: '0xpaid',
  coin: 'eth',
  asset: 'eth',
  decimals: 18,
  payer: '0xpayer',
  payee: '0xseller',
  amount: '40',
  at: '2026-03-02T10:00:00.000Z',
  minedAt: transfer.minedAt,
  test: false,
  gone: false,
  isMoved: false,
  signed: false,
  matched: false,
  challengeId: 'ch_1.eth',
  row: { status: 'settled', amount: '40', hash: '0xpaid', coin: 'eth', gone: false },
  transaction: { transactionId: '1', status: 'C', edited: [], overwritten: [], editedAt: null },
  journal: [{ view: 'seller:acc_1', asset: 'eth', amount: '40' }],
}
const refund: BookedTransfer = {
  ...booked,
  kind: 'refund',
  row: { status: 'sent', amount: '40', hash: '0xpaid', coin: undefined, gone: false },
  journal: [{ view: 'seller:acc_1', asset: 'eth', amount: '-40' }],
}
const gone: BookedTransfer = {
  ...booked,
  gone: true,
  row: { status: 'reversed', amount: '40', hash: '0xpaid', coin: 'eth', gone: true },
  journal: [{ view: 'seller:acc_1', asset: 'eth', amount: '0' }],
}
const found = (more: Partial<Transfer> = {}, confirmations = 21): ChainLook => ({
  answer: 'found',
  transfer: { ...transfer, ...more },
  confirmations,
})
const missing: ChainLook = { answer: 'missing' }
const told = (of: BookedTransfer, look: ChainLook) =>
  compare(of, look).differences.map(({ where, what }) => `${where}: ${what}`)

test('N-80 what agrees says so, with what each of the three has', (t) => {
  t.deepEqual(compare(booked, found()), {
    status: 'agrees',
    differences: [],
    amounts: { transactions: '40', journal: '40', chain: '40' },
    confirmations: 21,
  })
  t.like(compare(refund, found()), { status: 'agrees', amounts: { transactions: '40', journal: '40', chain: '40' } })
  t.like(compare(gone, missing), { status: 'agrees', amounts: { journal: null, chain: null } })
  // Another transaction carried the same signature out, and stands for it in the journal.
  t.is(compare({ ...gone, isMoved: true, journal: [] }, missing).status, 'agrees')
  t.is(
    compare({ ...booked, accountId: 'platform', journal: [{ view: 'platform', asset: 'eth', amount: '40' }] }, found())
      .status,
    'agrees',
  )
  t.is(compare({ ...booked, test: true, journal: [] }, { answer: 'not asked' }).status, 'test')
})

test('N-80 what is not known yet is no difference, and says what it waits for', (t) => {
  const enough = networkOf('eth')?.confirmations ?? 0
  t.is(compare(booked, { answer: 'not asked' }).status, 'chain not asked')
  t.is(compare(booked, { answer: 'silent' }).status, 'chain does not answer')
  t.is(compare(booked, found({}, enough - 1)).status, 'few confirmations')
  t.is(compare(booked, found({}, enough)).status, 'agrees')
  t.is(compare({ ...booked, network: 'base', signed: true }, found({}, 1)).status, 'agrees')
  for (const look of [{ answer: 'not asked' }, { answer: 'silent' }] as const) {
    const { status } = compare({ ...booked, journal: [] }, look)
    t.is(status, 'not in the journal', 'what differs comes first')
  }
})

test('N-80 each difference is named with where it is', (t) => {
  const row = booked.row as NonNullable<BookedTransfer['row']>
  const facts = booked.transaction as NonNullable<BookedTransfer['transaction']>
  const cases: readonly (readonly [BookedTransfer, ChainLook, readonly string[]])[] = [
    [{ ...booked, row: undefined }, found(), ['transactions: not in the transactions']],
    [{ ...booked, row: { ...row, hash: '0xother' } }, found(), ['transactions: another hash']],
    [{ ...booked, row: { ...row, coin: 'usdc' } }, found(), ['transactions: another coin']],
    [{ ...booked, row: { ...row, status: 'reversed', gone: true } }, found(), ['transactions: another status']],
    [{ ...booked, transaction: undefined }, found(), ['transactions: no transaction']],
    [{ ...booked, transaction: { ...facts, status: 'P' } }, found(), ['transactions: another status']],
    [{ ...booked, transaction: { ...facts, overwritten: ['amount'] } }, found(), ['transactions: edited by hand']],
    [{ ...booked, journal: [] }, found(), ['journal: not in the journal']],
    [{ ...refund, journal: [] }, found(), ['journal: not in the journal']],
    [
      { ...booked, journal: [{ view: 'seller:acc_2', asset: 'eth', amount: '40' }] },
      found(),
      ['journal: not in the journal', 'journal: another account'],
    ],
    [
      { ...booked, journal: [{ view: 'seller:acc_1', asset: 'usdc', amount: '40' }] },
      found(),
      ['journal: not in the journal', 'journal: another coin'],
    ],
    [{ ...gone, journal: booked.journal }, missing, ['journal: another amount']],
    [booked, missing, ['chain: not on the chain']],
    [refund, missing, ['chain: not on the chain']],
    [gone, found(), ['chain: on the chain again']],
    [booked, found({ to: '0xother' }), ['chain: another address']],
    [booked, found({ asset: 'usdc' }), ['chain: another coin']],
  ]
  for (const [of, look, differences] of cases) {
    t.deepEqual(told(of, look), differences)
    t.true(isDifference(compare(of, look).status), differences.join())
  }
})

test('N-80 whichever of the three has a unit more or less is named, and no other', (t) => {
  const amount = fc.bigInt(2n, 10n ** 30n)
  const tellers = ['transactions', 'journal', 'chain'] as const
  fc.assert(
    fc.property(
      amount,
      fc.constantFrom(booked, refund),
      fc.subarray([...tellers]),
      fc.constantFrom(1n, -1n),
      (units, of, wrong, by) => {
        const said = (who: (typeof tellers)[number]) => units + (wrong.includes(who) ? by : 0n)
        const sign = of.kind === 'refund' ? -1n : 1n
        const held: BookedTransfer = {
          ...of,
          amount: String(units),
          row: { ...(of.row as NonNullable<typeof of.row>), amount: String(said('transactions')) },
          journal: [{ view: 'seller:acc_1', asset: 'eth', amount: String(sign * said('journal')) }],
        }
        const { status, differences, amounts } = compare(held, found({ amount: said('chain') }))
        t.deepEqual(
          differences.map(({ where, what }) => `${where}: ${what}`),
          wrong.map((who) => `${who}: another amount`),
        )
        t.is(status, wrong.length === 0 ? 'agrees' : 'another amount')
        for (const who of tellers) t.is(amounts[who], String(said(who)))
      },
    ),
  )
})

test('N-80 a transfer is looked for among all of its chain transaction, and the nearest one names the difference', (t) => {
  const other = { ...transfer, index: 'erc20:1:0', to: '0xother' }
  t.is(counterpartOf(booked, [other, transfer]), transfer)
  t.is(counterpartOf(booked, [other])?.to, '0xother')
  t.is(counterpartOf(booked, [{ ...other, to: '0xseller', amount: 41n }])?.amount, 41n)
  t.is(counterpartOf(booked, [{ ...other, amount: 41n }]), undefined, 'a stranger’s transfer in the same transaction')
  // The id of a former release named the place of a log.
  const former = { ...transfer, index: 'erc20:1:0', formerIndex: '3' }
  t.is(counterpartOf({ ...booked, transferId: 'eth:0xpaid:3' }, [{ ...former, amount: 41n }])?.amount, 41n)
})

test('N-80 a transaction that no transfer settled says what did', (t) => {
  const lone: LoneTransaction = {
    accountId: 'acc_1',
    transactionId: '1',
    type: 'payment-request',
    challengeId: null,
    status: 'C',
    test: false,
    amount: '5000000',
    currency: 'USD',
    at: booked.at,
    edited: [],
    editedAt: null,
  }
  const said = (more: Partial<LoneTransaction>) => transactionLine({ ...lone, ...more }).status
  t.is(said({ challengeId: `cp_${'a'.repeat(26)}` }), 'paid by card')
  t.is(said({ status: 'P', edited: ['status'] }), 'completed by hand')
  t.is(said({ type: 'payout' }), 'payout')
  t.is(said({ test: true }), 'test')
  t.is(said({}), 'no payment')
  t.like(transactionLine(lone), { differences: [{ where: 'transactions', what: 'no payment' }] })
})

test('N-80 the sums have a row for each coin and status, what was given back below zero', (t) => {
  const tally = createTally()
  for (const each of [booked, booked, { ...booked, matched: true }, refund]) tally.add(transferLine(each, found()))
  tally.add(transferLine(booked, missing))
  tally.add(transferLine({ ...booked, asset: 'usdc' }, { answer: 'not asked' }))
  t.deepEqual(tally.found(), {
    rows: [
      { asset: 'eth', decimals: 18, status: 'agrees', count: 4, transactions: '80', journal: '80', chain: '80' },
      {
        asset: 'eth',
        decimals: 18,
        status: 'not on the chain',
        count: 1,
        transactions: '40',
        journal: '40',
        chain: '0',
      },
      {
        asset: 'usdc',
        decimals: 18,
        status: 'not in the journal',
        count: 1,
        transactions: '40',
        journal: '0',
        chain: '0',
      },
    ],
    lines: 6,
    differences: 2,
    byHand: 1,
    unasked: 0,
    unanswered: 0,
  })
  t.is(new Set(STATUSES).size, STATUSES.length)
})

/** A chain that counts who asks at the same time, and that has every transaction but some. */
const countingChain = (answer: (tx: string) => Promise<readonly Transfer[] | undefined>) => {
  const counts = { asked: [] as string[], now: 0, most: 0, heads: 0 }
  const node: Chain = {
    ...chain(),
    head: async () => {
      counts.heads++
      return { height: 100, hash: '0x100' }
    },
    async transfersOf(tx) {
      counts.asked.push(tx)
      counts.most = Math.max(counts.most, ++counts.now)
      await new Promise((resolve) => setImmediate(resolve))
      counts.now--
      return answer(tx)
    },
  }
  return { counts, chains: new Map([['eth', node]]) }
}
const many = (count: number): BookedTransfer[] =>
  Array.from({ length: count }, (_, n) => ({ ...booked, hash: `0x${n}`, transferId: `eth:0x${n}:native` }))
const bounds = { most: 1_000, withinMs: 1_000 }

test('N-80 a chain is asked once for each transaction, a few at a time, and at most as often as is allowed', async (t) => {
  const world = fixedWorld()
  const { counts, chains } = countingChain(async (tx) => (tx === '0x7' ? undefined : [{ ...transfer, tx }]))
  const transfers = [...many(40), ...many(40)]
  const looks = await lookAtTransfers({ chains, world }, transfers, { ...bounds, most: 30 })
  t.deepEqual([counts.asked.length, looks.count, counts.most, counts.heads], [30, 30, 4, 1])
  t.is(looks.of(transfers[7] as BookedTransfer).answer, 'missing')
  t.like(looks.of(transfers[41] as BookedTransfer), { answer: 'found', confirmations: 21 })
  t.is(looks.of(transfers[39] as BookedTransfer).answer, 'not asked')
  const none = await lookAtTransfers({ chains: undefined, world }, transfers, bounds)
  t.deepEqual([none.count, none.of(booked).answer], [0, 'not asked'])
})

test('N-80 a chain that does not answer, is not connected, or takes too long, is not asked for the rest of a page', async (t) => {
  const world = fixedWorld()
  const silent = countingChain(() => Promise.reject(new Error('no node')))
  const looks = await lookAtTransfers({ chains: silent.chains, world }, many(40), bounds)
  t.true(many(40).every((each) => looks.of(each).answer === 'silent'))
  t.true(silent.counts.asked.length <= 6, `${silent.counts.asked.length}`)
  const elsewhere = await lookAtTransfers({ chains: new Map(), world }, many(3), bounds)
  t.is(elsewhere.of(many(1)[0] as BookedTransfer).answer, 'silent')
  const slow = countingChain(async (tx) => {
    world.step(400)
    return [{ ...transfer, tx }]
  })
  const late = await lookAtTransfers({ chains: slow.chains, world }, many(40), bounds)
  t.true(slow.counts.asked.length < 10, `${slow.counts.asked.length}`)
  t.is(late.of(many(40)[39] as BookedTransfer).answer, 'silent')
})
