import type { AcceptedAuthorization } from '../../domain/gasless/authorization.ts'
import { RELAY_PENDING_MAX, type RelayState, relayId } from '../../domain/gasless/relay.ts'
import type { AuthorizationFault } from '../../domain/gasless/relayer.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { authorizationId, carriedOut } from '../../domain/selling/authorization-terms.ts'
import { bookTransfer } from '../../domain/use-cases/selling/settling/book-transfer.ts'
import { transferData } from '../../domain/use-cases/selling/settling/settle-payment.ts'
import type { Attempts } from './attempts.ts'
import { withinBudgets } from './budgets.ts'
import { BATCH_MAX, batchCall, eachOf, gasFor, tokenCall } from './calls.ts'
import { faultOf, mayPass } from './faults.ts'
import type { RelayParts } from './parts.ts'
import { broadcast, remadeTransaction } from './plan.ts'
import { type Fees, wordsOf } from './relay-chain.ts'
import { feesFor } from './wallet.ts'

/**
 * Sends the payments that wait: those of payers without code together, the others alone, because a wallet that is a
 * contract could use up the gas of all. Payments that were sent in vain before go alone too: it is not known whose
 * fault it was, so they never share a try again.
 */

/** Blocks that are searched for an authorization that somebody else has used. */
const SEARCHED_BLOCKS = 5_000

type Newest = { readonly height: number; readonly timestamp: bigint }

export const sendWaiting = async (parts: RelayParts, attempts: Attempts, state: RelayState, newest: Newest) => {
  const open = await toSend(parts, attempts, state)
  // A payment that is over would otherwise only wait, for a budget or for coin, until it could be tried.
  const over = open.filter((one) => isOver(one, newest, parts.now()))
  for (const each of over) await refusedAlone(parts, attempts, each, 'valid-before', newest)
  const held = open.filter((one) => !over.includes(one))
  const waiting = await withinBudgets(parts, attempts, state, held)
  const nonces = await freeNonces(parts, state)
  for (const nonce of nonces.gaps) await send(parts, attempts, nonce, [])
  let { next } = nonces
  for (const group of groupsOf(waiting, await alone(parts, waiting)).slice(0, RELAY_PENDING_MAX - nonces.taken)) {
    const fees = feesOf(parts, group)
    if (!fees) continue
    const ready = await tried(parts, attempts, group, newest, fees).catch((error: unknown) => {
      const authorizations = group.map(({ authorization }) => authorizationId(authorization))
      for (const id of authorizations) attempts.postpone(id)
      parts.log.warn(
        { network: parts.network, authorizations, err: error },
        'payments could not be tried, trying again',
      )
      return []
    })
    if (ready.length > 0 && (await send(parts, attempts, next, ready))) next++
  }
}

const toSend = async ({ network, ledger, queue }: RelayParts, attempts: Attempts, { pending }: RelayState) => {
  const onTheirWay = new Set(Object.values(pending).flatMap(({ sent }) => sent.authorizations))
  const ids = queue.waiting(network).filter((id) => !onTheirWay.has(id) && attempts.mayTry(id))
  const states = await Promise.all(
    ids.slice(0, BATCH_MAX * RELAY_PENDING_MAX).map((id) => ledger.authorization.recent(id)),
  )
  return states.flatMap((state) => (state.status === 'accepted' ? [state] : []))
}

/**
 * The payments that share a transaction with no other. A payer who had no code when the payment was taken may have set
 * some since (EIP-7702).
 */
const alone = async (
  { network, asks, batches, log }: RelayParts,
  waiting: readonly AcceptedAuthorization[],
): Promise<ReadonlySet<AcceptedAuthorization>> => {
  if (!batches) return new Set(waiting)
  const single = new Set(waiting.filter(({ byContract, reverts }) => byContract || reverts.length > 0))
  const payers = [
    ...new Set(waiting.filter((each) => !single.has(each)).map(({ authorization }) => authorization.from)),
  ]
  if (payers.length < 2) return single
  const coded = await asks.withCode(payers).catch((error: unknown) => {
    log.warn({ network, err: error }, 'nobody says which payers have code: each goes alone')
    return new Set(payers)
  })
  for (const each of waiting) if (coded.has(each.authorization.from)) single.add(each)
  return single
}

const groupsOf = (
  waiting: readonly AcceptedAuthorization[],
  single: ReadonlySet<AcceptedAuthorization>,
): readonly AcceptedAuthorization[][] => {
  const alone = waiting.filter((each) => single.has(each))
  const others = waiting.filter((each) => !single.has(each))
  const together = Array.from({ length: Math.ceil(others.length / BATCH_MAX) }, (_, n) =>
    others.slice(n * BATCH_MAX, (n + 1) * BATCH_MAX),
  )
  return [...together, ...alone.map((each) => [each])]
}

/**
 * With nothing on its way the chain says which nonce is next; else the log does, and a nonce that is missing in between
 * is filled.
 */
const freeNonces = async ({ asks, wallet }: RelayParts, { pending, mined, nextNonce }: RelayState) => {
  const open = Object.keys(pending).map(Number)
  const first = await asks.minedNonce(wallet.address)
  if (open.length === 0) return { gaps: [], next: mined[first] ? nextNonce : first, taken: 0 }
  const missing = Array.from({ length: Math.max(0, Math.min(...open) - first) }, (_, n) => first + n)
  const gaps = missing.filter((nonce) => !mined[nonce]).slice(0, RELAY_PENDING_MAX)
  return { gaps, next: nextNonce, taken: open.length + gaps.length }
}

/** The payments that would go through now. */
const tried = async (
  parts: RelayParts,
  attempts: Attempts,
  group: readonly AcceptedAuthorization[],
  newest: Newest,
  fees: Fees,
): Promise<readonly AcceptedAuthorization[]> => {
  const reverts = await revertsOf(parts, group, fees)
  const ready = group.filter((_, n) => reverts[n] === undefined)
  for (const [n, each] of group.entries()) {
    const reverted = reverts[n]
    if (reverted !== undefined) await refusedAlone(parts, attempts, each, faultOf(reverted), newest)
  }
  return ready
}

/** Deals with a refused payment so that trouble with it does not hold up the others. */
const refusedAlone = async (
  parts: RelayParts,
  attempts: Attempts,
  each: AcceptedAuthorization,
  fault: AuthorizationFault,
  newest: Newest,
): Promise<void> => {
  const { network, log } = parts
  const id = authorizationId(each.authorization)
  await refused(parts, attempts, each, fault, newest).catch((error: unknown) => {
    attempts.postpone(id)
    log.warn({ network, authorization: id, err: error }, 'nobody knows what became of a payment, asking again')
  })
}

/**
 * Whether no block from the newest on can carry it out. Our own clock has to agree: a provider whose blocks run ahead
 * must not end what can still be paid.
 */
const isOver = ({ authorization }: AcceptedAuthorization, { timestamp }: Newest, now: string): boolean => {
  const end = BigInt(authorization.validBefore)
  return timestamp >= end && BigInt(Math.floor(Date.parse(now) / 1000)) >= end
}

/** The reason why each would be reverted; undefined for one that would not. */
const revertsOf = async (
  parts: RelayParts,
  group: readonly AcceptedAuthorization[],
  known: Fees,
): Promise<readonly (string | undefined)[]> => {
  const { asks, wallet } = parts
  const calls = group.map(tokenCall)
  const [only] = calls
  const as = { from: wallet.address, gas: gasFor(group, known), fees: feesFor(known) }
  if (calls.length === 1 && only) return [(await asks.call({ ...only, ...as })).reverted]
  const called = await asks.call({ ...batchCall(calls), ...as })
  // One of them uses up the gas of all, so each half is tried by itself to find it.
  if (called.reverted !== undefined) {
    const half = Math.ceil(group.length / 2)
    const halves = [group.slice(0, half), group.slice(half)]
    return (await Promise.all(halves.map((each) => revertsOf(parts, each, known)))).flat()
  }
  return eachOf(called.data).map(({ success, returnData }) => (success ? undefined : wordsOf(returnData)))
}

/** Somebody else may have carried it out: then it settles all the same. One that can never be carried out fails. */
const refused = async (
  parts: RelayParts,
  attempts: Attempts,
  { authorization, challengeId }: AcceptedAuthorization,
  fault: AuthorizationFault,
  newest: Newest,
): Promise<void> => {
  const { ledger, chain, asks } = parts
  const id = authorizationId(authorization)
  if (fault === 'nonce-used') {
    const { contract, from, nonce } = authorization
    const first = Math.max(0, newest.height - SEARCHED_BLOCKS)
    for (const tx of await asks.nonceLogs({ contract, payer: from, nonce }, first, newest.height)) {
      const transfer = (await chain.transfersOf(tx))?.find((each) => carriedOut(each) === id)
      if (!transfer) continue
      attempts.carriedOut(id)
      if (await book(parts, challengeId, transferData(transfer), newest)) return
      // It paid for something else before it was taken here.
      return void (await ledger.authorization.fail(id, { reason: fault }))
    }
  }
  if (mayPass(fault) && attempts.postpone(id)) return
  await ledger.authorization.fail(id, { reason: fault })
}

/** False when the transfer is the payment of another challenge. */
const book = async (
  { ledger, hear }: RelayParts,
  challengeId: string,
  transfer: ReturnType<typeof transferData>,
  { height }: Newest,
): Promise<boolean> => {
  try {
    await bookTransfer(ledger, challengeId, transfer, Math.max(1, height - transfer.height + 1), hear)
    return true
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'busy' || error.code === 'unavailable') throw error
    return error.code !== 'transfer-taken'
  }
}

/**
 * The present price of gas; undefined while nobody knows it, or while there is not enough coin to send these payments.
 */
const feesOf = (
  { network, wallet, gas, log }: RelayParts,
  group: readonly AcceptedAuthorization[],
): Fees | undefined => {
  const known = gas.fees()
  if (!known) return undefined
  const most = gasFor(group, known) * feesFor(known).maxFeePerGas + BigInt(group.length) * known.data.wei
  if (known.balance >= most) return known
  log.error({ network, relayer: wallet.address }, 'the relayer has no coin for gas: payments wait')
  return undefined
}

/** Writes a transaction down first, then sends it. False when there is no coin, or no price, to send it with. */
const send = async (
  parts: RelayParts,
  attempts: Attempts,
  nonce: number,
  group: readonly AcceptedAuthorization[],
): Promise<boolean> => {
  const { network, ledger, wallet } = parts
  const fees = feesOf(parts, group)
  if (!fees) return false
  const price = feesFor(fees)
  const sent = {
    network,
    relayer: wallet.address,
    nonce,
    batched: group.length > 1,
    gas: String(gasFor(group, fees)),
    maxFeePerGas: String(price.maxFeePerGas),
    maxPriorityFeePerGas: String(price.maxPriorityFeePerGas),
    authorizations: group.map(({ authorization }) => authorizationId(authorization)),
  }
  const { raw, hash } = await remadeTransaction(parts, sent)
  await ledger.relay.send(relayId(network, wallet.address), { ...sent, hash })
  await broadcast(parts, attempts, nonce, raw)
  return true
}
