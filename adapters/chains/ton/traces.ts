/**
 * Transactions by a posted hash. A payment is a trace of several: a payer knows the first, or the message that began
 * it.
 */

import { ProviderFault } from '../rpc/providers.ts'
import type { RawTrace, TonRawTransaction } from './answers.ts'
import type { TonApi } from './api.ts'

/** Traces, or transactions, of one hash. A transaction has one, a message hardly ever more. */
const FOUND_MAX = 10

export type TransactionTrace = {
  readonly transactions: readonly TonRawTransaction[]
  /** Nothing more can follow. */
  readonly isComplete: boolean
}

/**
 * Everything in the trace of a transaction, or of a message, with this hash of 64 hex digits; undefined when there is
 * none. Of a trace that is too large to be told, only the transaction itself.
 */
export const tracedBy = async (api: TonApi, hash: string): Promise<TransactionTrace | undefined> => {
  for (const by of ['tx_hash', 'msg_hash'] as const) {
    const answer = await api.get<{ traces: readonly RawTrace[] }>('/traces', { [by]: hash, limit: FOUND_MAX })
    const traces = answer?.traces ?? []
    if (traces.length === 0) continue
    const transactions = traces.flatMap((trace) => Object.values(trace.transactions ?? {}))
    const isUntold = traces.some((trace) => trace.is_incomplete && !trace.transactions)
    if (isUntold) transactions.push(...(await itself(api, by, hash)))
    const isComplete = traces.every(({ trace_info }) => trace_info.trace_state !== 'pending')
    return { transactions: transactions.filter(isFinal), isComplete }
  }
}

const itself = async (api: TonApi, by: 'tx_hash' | 'msg_hash', hash: string): Promise<readonly TonRawTransaction[]> => {
  const [path, name] = by === 'tx_hash' ? ['/transactions', 'hash'] : ['/transactionsByMessage', 'msg_hash']
  const answer = await api.get<{ transactions: readonly TonRawTransaction[] }>(path, { [name]: hash, limit: FOUND_MAX })
  if (!answer) throw new ProviderFault('a trace without its transactions')
  return answer.transactions
}

const isFinal = ({ emulated, finality = 'finalized' }: TonRawTransaction): boolean =>
  !emulated && finality === 'finalized'

/**
 * A hash as anybody may write it, as 64 hex digits in lower case: hex, base64 or base64url; undefined for what is none.
 */
export const hashOf = (posted: string): string | undefined => {
  if (/^[0-9a-fA-F]{64}$/.test(posted)) return posted.toLowerCase()
  if (!/^(?:[A-Za-z0-9_-]{43}|[A-Za-z0-9+/]{43})=?$/.test(posted)) return undefined
  return Buffer.from(posted, 'base64').toString('hex')
}
