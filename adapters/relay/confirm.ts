import {
  type PendingRelay,
  RELAY_HASHES_MAX,
  type RelayOutcome,
  type RelayReceipt,
  type RelayState,
  relayId,
} from '../../domain/gasless/relay.ts'
import { budgetsOf } from '../../domain/gasless/relay-budget.ts'
import { carriedOut } from '../../domain/selling/authorization-terms.ts'
import { riskOf } from '../../domain/use-cases/gasless/relay-budgets.ts'
import { transferData } from '../../domain/use-cases/selling/settling/settle-payment.ts'
import type { Attempts } from './attempts.ts'
import type { RelayParts } from './parts.ts'
import { broadcast, remadeTransaction } from './plan.ts'
import type { RelayReceiptRaw } from './relay-chain.ts'
import { raisedGasPrice } from './wallet.ts'

/** Finds out what became of the transactions that were sent. */

/**
 * Milliseconds after which a transaction that no block has taken is sent to everybody again; and milliseconds, times
 * its versions so far, after which it gets higher fees.
 */
const REBROADCAST_MS = 3_000
const RAISE_MS = 10_000
/** Looks at a used nonce without a transaction of ours until it is given up; nodes lag behind each other. */
const MISSED_MAX = 20

export type Newest = { readonly height: number; readonly hash: string; readonly baseFee: bigint }

/**
 * False when something has to be looked at again, although no other block comes. `isNew`: this block was not looked at
 * before.
 */
export const confirmSent = async (
  parts: RelayParts,
  attempts: Attempts,
  state: RelayState,
  { isNew, ...newest }: Newest & { readonly isNew: boolean },
): Promise<boolean> => {
  if (isNew) await noticeReorganisation(parts, attempts, state)
  const looks = Object.entries(state.pending).map(async ([key, pending]) => {
    const nonce = Number(key)
    const since = attempts.sinceBroadcast(nonce)
    // What was broadcast a moment ago comes with a block, or not at all.
    if (!isNew && since && since.last < REBROADCAST_MS) return true
    const receipt = await receiptOf(parts, pending)
    if (receipt) return mined(parts, attempts, nonce, pending, receipt)
    await chase(parts, attempts, nonce, pending, newest)
    return true
  })
  const done = await Promise.allSettled(looks)
  // Trouble with one transaction must not hold up the others.
  for (const each of done)
    if (each.status === 'rejected')
      parts.log.warn({ network: parts.network, err: each.reason }, 'a transaction could not be looked at, trying again')
  return done.every((each) => each.status === 'fulfilled' && each.value)
}

/** Under one nonce only one of the transactions can be mined. */
const receiptOf = async ({ asks }: RelayParts, { hashes }: PendingRelay): Promise<RelayReceiptRaw | undefined> => {
  for (const hash of hashes.toReversed()) {
    const receipt = await asks.receipt(hash)
    if (receipt) return receipt
  }
  return undefined
}

/** Writes down what became of it; the policy `settle-authorizations` books that. False when it cannot be said yet. */
const mined = async (
  parts: RelayParts,
  attempts: Attempts,
  nonce: number,
  pending: PendingRelay,
  receipt: RelayReceiptRaw,
): Promise<boolean> => {
  const { network, ledger, wallet } = parts
  const id = relayId(network, wallet.address)
  const hash = receipt.transactionHash.toLowerCase()
  const place = { network, relayer: wallet.address, nonce, hash }
  const cost = costOf(parts, pending, receipt)
  if (!cost) return false
  if (receipt.status !== '0x1') {
    await revert(parts, attempts, pending.sent.authorizations, { tx: hash, gasUsd: cost.share })
    await ledger.relay.fail(id, { ...place, reason: 'reverted' })
    attempts.ended(nonce)
    return true
  }
  const transfers = await parts.chain.transfersOf(hash)
  // The chain's nodes do not agree on the block yet.
  if (!transfers) return false
  const outcomes = pending.sent.authorizations.map((authorizationId): RelayOutcome => {
    const transfer = transfers.find((each) => carriedOut(each) === authorizationId)
    return { authorizationId, ...(transfer && { transfer: transferData(transfer), gasUsd: cost.share }) }
  })
  const inVain = outcomes.flatMap(({ authorizationId, transfer }) => (transfer ? [] : [authorizationId]))
  await revert(parts, attempts, inVain, { tx: hash, gasUsd: cost.share })
  await ledger.relay.mine(id, receiptData(place, receipt, cost.all, outcomes))
  attempts.ended(nonce)
  for (const { authorizationId, transfer } of outcomes) if (transfer) attempts.carriedOut(authorizationId)
  return true
}

/**
 * Writes down that authorizations were tried in vain, before the end of their transaction is written down: with that
 * end they are free to be tried again, and the number of their tries counts then.
 */
const revert = async (
  { ledger }: RelayParts,
  attempts: Attempts,
  authorizations: readonly string[],
  by: { readonly tx: string; readonly gasUsd: string },
): Promise<void> => {
  for (const authorizationId of authorizations) {
    const { state, events } = await ledger.authorization.revert(authorizationId, by)
    attempts.postpone(authorizationId)
    if (events.length === 0 || state.status === 'none') continue
    const budgets = budgetsOf(await riskOf(ledger, state)).map(([, budget]) => budget)
    attempts.lose(budgets, BigInt(by.gasUsd))
  }
}

/**
 * The cost of a transaction, and of each of its authorizations, in millionths of a US dollar; undefined while no price
 * of the coin was ever known.
 */
const costOf = (
  { gas }: RelayParts,
  { sent }: PendingRelay,
  { gasUsed, effectiveGasPrice, l1Fee = '0x0' }: RelayReceiptRaw,
): { readonly all: string; readonly share: string } | undefined => {
  const usd = gas.inUsd(BigInt(gasUsed) * BigInt(effectiveGasPrice) + BigInt(l1Fee))
  if (usd === undefined) return undefined
  return { all: String(usd), share: String(usd / BigInt(Math.max(1, sent.authorizations.length))) }
}

const receiptData = (
  place: Pick<RelayReceipt, 'network' | 'relayer' | 'nonce' | 'hash'>,
  { blockNumber, blockHash, gasUsed, effectiveGasPrice, l1Fee = '0x0' }: RelayReceiptRaw,
  gasUsd: string,
  outcomes: readonly RelayOutcome[],
): RelayReceipt => ({
  ...place,
  block: Number(blockNumber),
  blockHash,
  gasUsed: String(BigInt(gasUsed)),
  gasPrice: String(BigInt(effectiveGasPrice)),
  l1Fee: String(BigInt(l1Fee)),
  gasUsd,
  outcomes,
})

/**
 * Sends it again, with higher fees when it has waited long or fell behind; gives it up when its nonce was used by
 * something else.
 */
const chase = async (
  parts: RelayParts,
  attempts: Attempts,
  nonce: number,
  { hashes, sent }: PendingRelay,
  newest: Newest,
): Promise<void> => {
  const since = attempts.sinceBroadcast(nonce)
  if (since && since.last < REBROADCAST_MS) return
  const { network, ledger, wallet, asks, gas } = parts
  const id = relayId(network, wallet.address)
  if ((await asks.minedNonce(wallet.address)) > nonce) {
    if (attempts.missed(nonce) < MISSED_MAX) return
    await ledger.relay.fail(id, { network, relayer: wallet.address, nonce, hash: sent.hash, reason: 'nonce-used' })
    attempts.ended(nonce)
    return
  }
  const fees = gas.fees()
  const isLate = since !== undefined && since.first > RAISE_MS * hashes.length
  const isBehind = BigInt(sent.maxFeePerGas) < newest.baseFee
  if (!fees || !(isLate || isBehind) || hashes.length >= RELAY_HASHES_MAX) {
    const { raw } = await remadeTransaction(parts, sent)
    return broadcast(parts, attempts, nonce, raw)
  }
  const before = { maxFeePerGas: BigInt(sent.maxFeePerGas), maxPriorityFeePerGas: BigInt(sent.maxPriorityFeePerGas) }
  const { maxFeePerGas, maxPriorityFeePerGas } = raisedGasPrice(before, { ...fees, baseFee: newest.baseFee })
  const again = { ...sent, maxFeePerGas: String(maxFeePerGas), maxPriorityFeePerGas: String(maxPriorityFeePerGas) }
  const { raw, hash } = await remadeTransaction(parts, again)
  await ledger.relay.send(id, { ...again, hash })
  await broadcast(parts, attempts, nonce, raw)
}

/** While the newest block of ours is in the chain, those before it are too. */
const noticeReorganisation = async (parts: RelayParts, attempts: Attempts, { mined }: RelayState): Promise<void> => {
  const { network, ledger, wallet, chain, log } = parts
  const newestFirst = Object.entries(mined).toSorted(([, a], [, b]) => b.block - a.block)
  for (const [nonce, { hash, block, blockHash, sent }] of newestFirst) {
    const there = await chain.hashAt(block)
    // A node that has not come so far yet does not say that the block is gone.
    if (there === undefined || there === blockHash) return
    log.error({ network, hash, block }, 'a relayed transaction was reorganised away, sending it again')
    const gone = { network, relayer: wallet.address, nonce: Number(nonce), hash }
    await ledger.relay.reorganise(relayId(network, wallet.address), gone)
    for (const id of sent.authorizations) attempts.takenBack(id)
  }
}
