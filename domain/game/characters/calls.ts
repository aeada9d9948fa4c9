import { refuse } from '../../kernel/refusal.ts'

/**
 * A call that was made under an Idempotency-Key does its work once (X-IDEM-01): the event that it made holds the call,
 * and the newest few are kept with what they brought, so that a repetition is answered as the first was.
 */
export type Call = { readonly id: string; readonly request: string }

/** What events of such calls hold besides. */
export type Called = { readonly call?: Call }

export type Answered = Call & { readonly data: object }

const CALLS_MAX = 20

/** Whether the same call was made before. Refuses `idempotency-conflict` when it asked for something else then. */
export const isRepeated = (calls: readonly Call[], call: Call | undefined): boolean => {
  const before = call && calls.find(({ id }) => id === call.id)
  if (before && before.request !== call.request)
    return refuse('idempotency-conflict', 'This Idempotency-Key was used with another body.')
  return before !== undefined
}

export const withCall = (calls: readonly Answered[], { call, ...data }: Called): readonly Answered[] =>
  call ? [...calls, { ...call, data }].slice(-CALLS_MAX) : calls

/** Those that are only told apart, because what they brought stands elsewhere. */
export const withNoted = (calls: readonly Call[], call: Call): readonly Call[] => [...calls, call].slice(-CALLS_MAX)
