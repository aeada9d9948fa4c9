import { usdAtStake } from '../../../chains/second-voice.ts'
import { toDecimal, type Units } from '../../../kernel/money.ts'
import { looksLikeHash } from '../../../kernel/networks.ts'
import { refuse } from '../../../kernel/refusal.ts'
import { type TransferData, transferId } from '../../../selling/challenge-terms.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { connectedChain, mustAnswer, type UseCaseContext } from '../../context.ts'
import { transferData } from '../settling/settle-payment.ts'
import { confirmedLook, freeOne, type RefundLook } from './confirmed-look.ts'
import { type PaidInCoin, transfersOf } from './paid-coin.ts'

export type NamedRefund = {
  readonly accountId: string
  readonly transactionId: string
  readonly hash: string
  /** What the transfer has to carry, where the seller said so. */
  readonly amount?: Units | undefined
}

/**
 * Looks for a refund on the chain of its payment: a transfer of the same coin, later than the payment, to who paid.
 * Refuses `invalid-request` for what is no hash, `state-forbids` for a payment that cannot be given back on a chain,
 * `payment-not-matching` and `transfer-taken` for a transaction that gives something else back or nothing, and
 * `unavailable` while the chain does not answer.
 */
export const lookForRefund = async (
  flow: UseCaseContext,
  paid: PaidInCoin,
  { accountId, transactionId, hash, amount }: NamedRefund,
): Promise<RefundLook> => {
  const { set, entry } = paid
  const { network, confirmations: required } = entry
  if (set.test)
    return refuse(
      'state-forbids',
      'hash: a simulated payment is on no chain, and nor is its refund; leave the hash out',
    )
  if (!looksLikeHash(network, hash))
    return refuse('invalid-request', `hash: has to be a transaction hash of ${entry.chain}`)
  const chain = connectedChain(flow.chains, network)
  const found = await mustAnswer(network, chain.transfersOf(hash))
  if (found === undefined) return { outcome: 'pending', transfer: undefined, confirmations: 0, required }
  const fitting = await fittingOf(flow.ledger, paid, found.map(transferData), amount)
  const transfer = await freeOne(flow.ledger, accountId, fitting, (claim) => claim.transactionId === transactionId)
  return confirmedLook(flow, chain, { transfer, required, usd: usdAtStake(set, entry, transfer) })
}

/** The transfers of a chain transaction that may give the payment back. Refuses `payment-not-matching` without any. */
const fittingOf = async (
  ledger: Ledger,
  paid: PaidInCoin,
  found: readonly TransferData[],
  amount: Units | undefined,
): Promise<readonly TransferData[]> => {
  const { coin, set, entry } = paid
  const payments = await transfersOf(ledger, paid)
  const payers = new Set(payments.map(({ from }) => from).filter((from) => from !== ''))
  if (payers.size === 0)
    return refuse(
      'state-forbids',
      'hash: the chain does not tell who paid, so it cannot show that the payer got it; leave the hash out',
    )
  const inCoin = found.filter((each) => each.network === coin.network && each.asset === coin.asset)
  if (inCoin.length === 0)
    return refuse('payment-not-matching', `hash: this transaction moves no ${entry.asset}; send that of the refund`)
  const back = inCoin.filter(({ from, to }) => payers.has(to) && from !== to)
  if (back.length === 0)
    return refuse(
      'payment-not-matching',
      'hash: this transaction does not pay the address that the payment came from; send that of the refund',
    )
  const last = payments.find((each) => transferId(each) === set.settled[entry.asset])
  const later = back.filter(({ height }) => last !== undefined && height > last.height)
  if (later.length === 0)
    return refuse(
      'payment-not-matching',
      'hash: this transaction is not later than the payment; send that of the refund',
    )
  const exact = later.filter((each) => amount === undefined || each.amount === amount)
  if (exact.length > 0) return exact
  const carried = later.map((each) => toDecimal(BigInt(each.amount), coin.decimals)).join(', ')
  return refuse(
    'payment-not-matching',
    `amount: this transaction gives back ${carried}; send that amount, or leave it out`,
  )
}
