import type { Units } from '../../../kernel/money.ts'
import { looksLikeHash, networkOf } from '../../../kernel/networks.ts'
import { isFinal, isRefusal, refuse } from '../../../kernel/refusal.ts'
import { type TransferData, transferId } from '../../../selling/challenge-terms.ts'
import type { EventData } from '../../../write-side/deciders.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { connectedChain, mustAnswer, type UseCaseContext } from '../../context.ts'
import { transferData } from '../settling/settle-payment.ts'
import { confirmedLook, freeOne, type RefundLook } from './confirmed-look.ts'

/** What a seller says of money that settled nothing and was sent back. `amount` is in the coin's smallest unit. */
export type ReturnRequest = {
  readonly accountId: string
  readonly transferId: string
  readonly by: string
  readonly amount?: Units | undefined
  readonly hash?: string | undefined
}

/** What is recorded of a return, and what its chain shows. */
export type ReturnResult = {
  /** In the coin's smallest unit. */
  readonly amount: Units
  /** Whether a chain has confirmed it. */
  readonly sent: boolean
  readonly hash?: string
  /** Set while the chain transaction is looked for. */
  readonly pending?: { readonly confirmations: number; readonly required: number }
}

/**
 * Records that money which settles nothing was sent back (N-102). A hash is looked up on its chain, as that of a refund
 * is: what it carries counts as soon as it is confirmed, and until then the clock looks again. Refuses
 * `transfer-not-found`, `invalid-request`, `state-forbids`, `payment-not-matching` and `transfer-taken` for a
 * transaction that sends something else back, and `unavailable` while the chain does not answer.
 */
export const returnTransfer = async (flow: UseCaseContext, request: ReturnRequest): Promise<ReturnResult> => {
  const { ledger } = flow
  const { accountId, transferId: id, by, amount, hash } = request
  if (hash === undefined) {
    const { state } = await ledger.transfer.recordReturn(id, { accountId, by, ...(amount && { amount }) })
    return resultOf(state)
  }
  const { transfer: paid, handling } = await ownMoney(ledger, accountId, id)
  const look = await lookForReturn(flow, paid, { accountId, hash, amount })
  // What was recorded before stays as it is until a chain says otherwise.
  const units = amount ?? (handling.is === 'returned' ? undefined : look.transfer?.amount)
  const { state } = await ledger.transfer.recordReturn(id, { accountId, by, hash, ...(units && { amount: units }) })
  if (look.outcome === 'pending') {
    const { confirmations, required } = look
    return { ...resultOf(state), hash, pending: { confirmations, required } }
  }
  return { ...(await claimed(ledger, { accountId, id, hash, by }, look)), hash: look.transfer.tx }
}

type Money = Awaited<ReturnType<Ledger['transfer']['read']>>

const resultOf = ({ handling }: Money): ReturnResult =>
  handling.is === 'returned'
    ? { amount: handling.amount, sent: handling.back !== undefined }
    : refuse('transfer-taken', 'Somebody else said meanwhile what became of this payment. Look at it again.')

/** The money itself. Refuses `transfer-not-found` unless the account has it, and it settles nothing. */
const ownMoney = async (ledger: Ledger, accountId: string, id: string) => {
  const { aside, transfer, handling } = await ledger.transfer.read(id)
  return transfer && aside?.accountId === accountId ? { transfer, handling } : refuse('transfer-not-found')
}

type Claim = { readonly accountId: string; readonly id: string; readonly hash: string; readonly by: string }
type Found = Extract<RefundLook, { readonly outcome: 'found' }>

/** Takes the chain transaction for the return of this money, and notes it there. */
const claimed = async (ledger: Ledger, { accountId, id, hash, by }: Claim, { transfer, voices }: Found) => {
  const claim = { accountId, returned: id, transfer, hash, by, ...(voices !== undefined && { voices }) }
  try {
    const { state } = await ledger.refundTransfer.claimReturn(transferId(transfer), claim)
    return resultOf((await noteReturn(ledger, { ...claim, again: state.reversed })).state)
  } catch (error) {
    // Another payment was given back by it in this very moment: the return stays recorded, and is looked for no longer.
    if (isRefusal(error, 'transfer-taken'))
      await ledger.transfer.refuseReturnHash(id, { hash, reason: 'transfer-taken' })
    throw error
  }
}

/** Notes on the money what its return's transfer was claimed for. Quiet when repeated. */
export const noteReturn = (
  ledger: Ledger,
  { returned, transfer, hash, by, again = 0 }: EventData<'ReturnTransferClaimed'>,
) => ledger.transfer.sendReturn(returned, { back: transfer, hash, by, again })

/** Notes that a transfer sends nothing back any more. Quiet when repeated. */
export const unsendReturn = (
  ledger: Ledger,
  { returned, transfer, hash, reason, times }: EventData<'ReturnTransferReversed'>,
) => ledger.transfer.unsendReturn(returned, { back: transfer, hash, reason, times })

type NamedReturn = { readonly accountId: string; readonly hash: string; readonly amount: Units | undefined }

/** A transfer of the same coin, later than the money that came, to who had sent it. */
const lookForReturn = async (
  flow: UseCaseContext,
  paid: TransferData,
  { accountId, hash, amount }: NamedReturn,
): Promise<RefundLook> => {
  const { network } = paid
  const { confirmations: required = 1, title = network } = networkOf(network) ?? {}
  if (!looksLikeHash(network, hash)) return refuse('invalid-request', `hash: has to be a transaction hash of ${title}`)
  const chain = connectedChain(flow.chains, network)
  const found = await mustAnswer(network, chain.transfersOf(hash))
  if (found === undefined) return { outcome: 'pending', transfer: undefined, confirmations: 0, required }
  const fitting = fittingOf(paid, found.map(transferData), amount)
  const transfer = await freeOne(flow.ledger, accountId, fitting, ({ returned }) => returned === transferId(paid))
  return confirmedLook(flow, chain, { transfer, required, usd: UNKNOWN_USD })
}

/** Nobody knows what money is worth that settles nothing: a second provider is asked wherever there is one. */
const UNKNOWN_USD = 2n ** 63n

const fittingOf = (
  paid: TransferData,
  found: readonly TransferData[],
  amount: Units | undefined,
): readonly TransferData[] => {
  if (paid.from === '')
    return refuse(
      'state-forbids',
      'hash: the chain does not tell who sent it, so it cannot show that the sender got it; leave the hash out',
    )
  const inCoin = found.filter((each) => each.network === paid.network && each.asset === paid.asset)
  if (inCoin.length === 0)
    return refuse('payment-not-matching', 'hash: this transaction moves another coin; send that of the return')
  const back = inCoin.filter(({ from, to, height }) => to === paid.from && from !== to && height > paid.height)
  if (back.length === 0)
    return refuse(
      'payment-not-matching',
      'hash: this transaction does not pay, later than the money came, the address that it came from; send that of the return',
    )
  const most = BigInt(paid.amount)
  const exact = back.filter((each) => BigInt(each.amount) <= most && (amount === undefined || each.amount === amount))
  if (exact.length > 0) return exact
  return refuse(
    'payment-not-matching',
    'amount: this transaction carries another amount, or more than came; send what it carries, or leave it out',
  )
}

/** A chain transaction that a seller named as a return, and that is not confirmed, or that its chain has lost. */
type SoughtReturn = {
  readonly transferId: string
  readonly accountId: string
  readonly hash: string
  readonly namedAt: string
}

export type SoughtReturns = {
  /** In the order of their ids, after `after`. */
  soughtReturns(after: string, limit: number): Promise<readonly SoughtReturn[]>
}

/** Milliseconds for which a hash is looked for that no chain knows; its seller may name it again. */
const SOUGHT_MS = 7 * 24 * 3_600_000
const AT_ONCE_MAX = 200

/**
 * Looks again for returns that wait for their chains. A chain that does not answer costs the others nothing; a
 * transaction that turns out to be no return, or that nobody has found in time, is looked for no longer. Answers where
 * the next round goes on.
 */
export const lookForReturns = async (
  flow: UseCaseContext,
  queries: SoughtReturns,
  after: string,
  failed: (error: unknown, transferId: string) => void,
): Promise<string> => {
  const since = new Date(flow.world.now().getTime() - SOUGHT_MS).toISOString()
  const due = await queries.soughtReturns(after, AT_ONCE_MAX)
  for (const each of due)
    await lookAgain(flow, each, each.namedAt <= since).catch((error: unknown) => {
      if (!isRefusal(error, 'unavailable')) failed(error, each.transferId)
    })
  return due.length === AT_ONCE_MAX ? (due.at(-1)?.transferId ?? '') : ''
}

const lookAgain = async (flow: UseCaseContext, { transferId: id, accountId, hash }: SoughtReturn, isLast: boolean) => {
  const { ledger } = flow
  if ((await ledger.transfer.read(id)).sought !== hash) return
  try {
    const { transfer: paid } = await ownMoney(ledger, accountId, id)
    const look = await lookForReturn(flow, paid, { accountId, hash, amount: undefined })
    if (look.outcome === 'found') await claimed(ledger, { accountId, id, hash, by: 'clock' }, look)
    // What is in a block already only waits for its confirmations.
    else if (isLast && look.transfer === undefined)
      await ledger.transfer.refuseReturnHash(id, { hash, reason: 'not-found' })
  } catch (error) {
    if (!isFinal(error)) throw error
    const reason = REASONS.find((each) => each === error.code) ?? 'state-forbids'
    await ledger.transfer.refuseReturnHash(id, { hash, reason })
  }
}

const REASONS = ['payment-not-matching', 'transfer-taken'] as const
