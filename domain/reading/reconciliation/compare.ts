import type { Units } from '../../kernel/money.ts'
import { networkOf } from '../../kernel/networks.ts'
import { PLATFORM } from '../../kernel/platform.ts'
import type { View } from '../books/entry.ts'
import type { BookedTransfer, ChainLook } from './transfer.ts'

/**
 * Holds against each other what the lists, the journal and the chain say of one transfer. What the event says that
 * booked it is the measure of all three.
 */

/** Who says something else. */
type Teller = 'transactions' | 'journal' | 'chain'

/** Every way in which one of them can differ, in plain words. */
export const DIFFERENCES = [
  'not in the transactions',
  'not in the journal',
  'not on the chain',
  'on the chain again',
  'another amount',
  'another address',
  'another coin',
  'another hash',
  'another account',
  'another status',
  'edited by hand',
  'no payment',
  'no transaction',
] as const

/** What settles a transaction without a transfer, and is no difference. */
const EXPLAINED = ['paid by card', 'completed by hand', 'payout', 'test'] as const

/** Nothing differs as far as anybody was asked, and more is to be known later. */
const OPEN = ['chain not asked', 'chain does not answer', 'few confirmations'] as const

export const STATUSES = ['agrees', ...DIFFERENCES, ...EXPLAINED, ...OPEN] as const

export type Difference = { readonly where: Teller; readonly what: (typeof DIFFERENCES)[number] }
export type ReconcileStatus = (typeof STATUSES)[number]

/** What came of the comparison; the status is the first difference, where there are any. */
export type Verdict = {
  readonly status: ReconcileStatus
  readonly differences: readonly Difference[]
  /** What each of the three has, in the coin's smallest unit; null where it has nothing, or was not asked. */
  readonly amounts: { readonly [T in Teller]: Units | null }
  readonly confirmations: number | null
}

/** Whether a status means that two of them tell different things. */
export const isDifference = (status: ReconcileStatus): boolean => (DIFFERENCES as readonly string[]).includes(status)

/** Whether the chain has anything to say of a transfer: it knows no test. */
export const isOnChain = ({ test }: Pick<BookedTransfer, 'test'>): boolean => !test

export const compare = (booked: BookedTransfer, look: ChainLook): Verdict => {
  const differences = [
    ...inTransactions(booked),
    ...inJournal(booked).map((what) => ({ where: 'journal' as const, what })),
    ...onChain(booked, look).map((what) => ({ where: 'chain' as const, what })),
  ]
  const journal = ownSum(booked)
  return {
    status: differences[0]?.what ?? openStatus(booked, look) ?? (booked.test ? 'test' : 'agrees'),
    differences,
    amounts: {
      transactions: booked.row?.amount ?? null,
      journal: journal === 0n ? null : String(booked.kind === 'refund' ? -journal : journal),
      chain: look.answer === 'found' ? String(look.transfer.amount) : null,
    },
    confirmations: look.answer === 'found' ? look.confirmations : null,
  }
}

/** What differs without asking a chain: read models may have been at different places when they were read. */
export const differsInBooks = (booked: BookedTransfer): boolean =>
  inTransactions(booked).length > 0 || inJournal(booked).length > 0

type What = Difference['what']

const inTransactions = (booked: BookedTransfer): readonly Difference[] => {
  const { row, gone, transaction, kind, test } = booked
  const isSettled = kind === 'payment' && row?.status === 'settled' && !test
  const said: readonly What[] = [
    ...(row === undefined && !gone ? (['not in the transactions'] as const) : []),
    ...(row ? rowDiffers(booked, row) : []),
    ...(isSettled && transaction === undefined ? (['no transaction'] as const) : []),
    ...(isSettled && transaction && transaction.status !== 'C' ? (['another status'] as const) : []),
    ...(transaction && transaction.overwritten.length > 0 ? (['edited by hand'] as const) : []),
  ]
  return [...new Set(said)].map((what) => ({ where: 'transactions', what }))
}

const rowDiffers = (booked: BookedTransfer, row: NonNullable<BookedTransfer['row']>): readonly What[] => [
  ...(row.amount === booked.amount ? [] : (['another amount'] as const)),
  ...(row.hash === booked.hash ? [] : (['another hash'] as const)),
  ...(row.coin === undefined || row.coin === booked.coin ? [] : (['another coin'] as const)),
  ...(row.gone === booked.gone ? [] : (['another status'] as const)),
]

/** The books that the money of an account stands in. */
const viewOf = (accountId: string): View => (accountId === PLATFORM ? PLATFORM : `seller:${accountId}`)

const ownSum = ({ journal, accountId, asset }: BookedTransfer): bigint =>
  journal
    .filter((each) => each.view === viewOf(accountId) && each.asset === asset)
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n)

const inJournal = (booked: BookedTransfer): readonly What[] => {
  const { journal, accountId, asset, amount, kind, test, gone, isMoved } = booked
  const expected = test || gone || isMoved ? 0n : BigInt(amount) * (kind === 'refund' ? -1n : 1n)
  const own = ownSum(booked)
  const rest = journal.filter((each) => BigInt(each.amount) !== 0n)
  const isIn = (mine: boolean, coin: boolean) =>
    rest.some((each) => (each.view === viewOf(accountId)) === mine && (!coin || each.asset !== asset))
  return [
    ...(own === expected ? [] : [own === 0n ? ('not in the journal' as const) : ('another amount' as const)]),
    ...(isIn(true, true) ? (['another coin'] as const) : []),
    ...(isIn(false, false) ? (['another account'] as const) : []),
  ]
}

const onChain = (booked: BookedTransfer, look: ChainLook): readonly What[] => {
  const { gone, isMoved, payee, coin, amount } = booked
  const isThere = !gone && !isMoved
  if (look.answer === 'missing') return isThere ? ['not on the chain'] : []
  if (look.answer !== 'found') return []
  if (!isThere) return ['on the chain again']
  const { transfer } = look
  return [
    ...(String(transfer.amount) === amount ? [] : (['another amount'] as const)),
    ...(transfer.to === payee ? [] : (['another address'] as const)),
    ...(transfer.asset === coin ? [] : (['another coin'] as const)),
  ]
}

const openStatus = (booked: BookedTransfer, look: ChainLook): ReconcileStatus | undefined => {
  if (!isOnChain(booked)) return undefined
  if (look.answer === 'not asked') return 'chain not asked'
  if (look.answer === 'silent') return 'chain does not answer'
  return look.answer === 'found' && look.confirmations < confirmationsOf(booked) ? 'few confirmations' : undefined
}

/** One sequencer takes nothing back that the relayer has carried out; elsewhere the network's own number counts. */
const confirmationsOf = ({ network, signed }: BookedTransfer): number => {
  const { confirmations = 1, oneSequencer } = networkOf(network) ?? {}
  return signed && oneSequencer ? 1 : confirmations
}
