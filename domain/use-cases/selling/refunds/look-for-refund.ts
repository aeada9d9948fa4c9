import { addressClaimId, claimantOf } from '../../../account/address-claim.ts'
import { usdAtStake } from '../../../chains/second-voice.ts'
import { toDecimal, type Units } from '../../../kernel/money.ts'
import { looksLikeHash } from '../../../kernel/networks.ts'
import { refuse } from '../../../kernel/refusal.ts'
import { type TransferData, transferId } from '../../../selling/challenge-terms.ts'
import { OTHER_REFUND } from '../../../selling/transactions/refund-transfer.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { connectedChain, mustAnswer, type UseCaseContext } from '../../context.ts'
import { knownTransfer } from '../settling/known-transfer.ts'
import { transferData } from '../settling/settle-payment.ts'
import { type PaidInCoin, transfersOf } from './paid-coin.ts'

/** What a chain says of the transaction that is to give a payment back. */
export type RefundLook =
  | { readonly outcome: 'found'; readonly transfer: TransferData; readonly voices: number | undefined }
  /** It is not there yet, or lacks confirmations. `transfer` is what it carries, once that is known. */
  | {
      readonly outcome: 'pending'
      readonly transfer: TransferData | undefined
      readonly confirmations: number
      readonly required: number
    }

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
  const transfer = await freeOne(flow.ledger, { accountId, transactionId }, fitting)
  const { height: head } = await mustAnswer(network, chain.head())
  // A provider may still tell of a block that another one has replaced meanwhile.
  const block = await mustAnswer(network, chain.hashAt(transfer.height))
  if (block !== undefined && block !== transfer.blockHash)
    return { outcome: 'pending', transfer, confirmations: 0, required }
  const confirmations = Math.max(0, head - transfer.height + 1)
  if (confirmations < required) return { outcome: 'pending', transfer, confirmations, required }
  const usd = usdAtStake(set, entry, transfer)
  const voices = await flow.secondVoice.heard({ transfer, usd, confirmations: required })
  // A provider that lies can invent a refund as well as a payment.
  if (voices === undefined) return { outcome: 'pending', transfer, confirmations: required, required }
  return { outcome: 'found', transfer, voices }
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

/**
 * The first of the transfers that is nobody else's: no other refund, no payment that the ledger knows, and not sent
 * from an address of another seller. Refuses `transfer-taken`.
 */
const freeOne = async (
  ledger: Ledger,
  { accountId, transactionId }: Pick<NamedRefund, 'accountId' | 'transactionId'>,
  transfers: readonly TransferData[],
): Promise<TransferData> => {
  let why = OTHER_REFUND
  for (const { formerIndex: _, ...transfer } of transfers) {
    const claim = await ledger.refundTransfer.read(transferId(transfer))
    if (claim.transactionId !== undefined && claim.transactionId !== transactionId) continue
    if (await isPayment(ledger, transfer))
      why = 'hash: this chain transaction is the payment of something else; send that of the refund'
    else if (await isOfAnother(ledger, accountId, transfer))
      why = 'hash: this chain transaction was sent from an address of another seller; send that of your refund'
    else return transfer
  }
  return refuse('transfer-taken', why)
}

const isPayment = async (ledger: Ledger, found: TransferData): Promise<boolean> => {
  const { taken } = await ledger.transfer.read(transferId(await knownTransfer(ledger, found)))
  return taken !== undefined
}

const isOfAnother = async (ledger: Ledger, accountId: string, { network, from, minedAt }: TransferData) => {
  const claim = await ledger.addressClaim.read(addressClaimId({ network, address: from }))
  const claimant = claimantOf(claim, minedAt)
  return claimant !== undefined && 'accountId' in claimant && claimant.accountId !== accountId
}
