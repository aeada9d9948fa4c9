import type { AcceptedAuthorization } from '../../domain/gasless/authorization.ts'
import type { RelayTransaction } from '../../domain/gasless/relay.ts'
import type { Attempts } from './attempts.ts'
import { batchCall, type ContractCall, tokenCall } from './calls.ts'
import type { RelayParts } from './parts.ts'

/** Makes the transactions that are written down, and sends them. */

/**
 * The call for some authorizations; for none, a payment of nothing from the relayer to itself, which only uses the
 * nonce up.
 */
const callFor = (
  authorizations: readonly AcceptedAuthorization[],
  { batched, relayer }: Pick<RelayTransaction, 'batched' | 'relayer'>,
): ContractCall => {
  const calls = authorizations.map(tokenCall)
  const [only] = calls
  if (!only) return { to: relayer, data: '0x' }
  return batched ? batchCall(calls) : only
}

/** The same transaction as before, bit by bit, from what was written down of it. */
export const remadeTransaction = async ({ ledger, wallet }: RelayParts, sent: Omit<RelayTransaction, 'hash'>) => {
  const states = await Promise.all(sent.authorizations.map((id) => ledger.authorization.recent(id)))
  const authorizations = states.flatMap((state) => (state.status === 'none' ? [] : [state]))
  if (authorizations.length < sent.authorizations.length) throw new Error('an authorization that was sent is not there')
  return wallet.sign(callFor(authorizations, sent), {
    nonce: sent.nonce,
    gas: BigInt(sent.gas),
    maxFeePerGas: BigInt(sent.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(sent.maxPriorityFeePerGas),
  })
}

/** Sends a transaction that is in the log already: if no node takes it now, it is sent again later. */
export const broadcast = async (
  { asks, log, network }: RelayParts,
  attempts: Attempts,
  nonce: number,
  raw: `0x${string}`,
) => {
  attempts.wasBroadcast(nonce)
  await asks
    .broadcast(raw)
    .catch((error: unknown) =>
      log.warn({ network, nonce, err: error }, 'a transaction could not be sent, trying again'),
    )
}
