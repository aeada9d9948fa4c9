import { refuse } from '../../kernel/refusal.ts'

/**
 * A call that was made under an Idempotency-Key does its work once (X-IDEM-01): the event that it made holds the call,
 * and the newest few are kept with what they brought, so that a repetition is answered as the first was.
 */
export type GameCall = { readonly id: string; readonly request: string }

/** What events of such calls hold besides. */
export type CallMark = { readonly call?: GameCall }

export type AnsweredCall = GameCall & { readonly data: object }

const CALLS_MAX = 20

/** Whether the same call was made before. Refuses `idempotency-conflict` when it asked for something else then. */
export const isRepeated = (calls: readonly GameCall[], call: GameCall | undefined): boolean => {
  const before = call && calls.find(({ id }) => id === call.id)
  if (before && before.request !== call.request)
    return refuse('idempotency-conflict', 'This Idempotency-Key was used with another body.')
  return before !== undefined
}

export const withCall = (calls: readonly AnsweredCall[], { call, ...data }: CallMark): readonly AnsweredCall[] =>
  call ? [...calls, { ...call, data }].slice(-CALLS_MAX) : calls

/** Those that are only told apart, because what they brought stands elsewhere. */
export const withNoted = (calls: readonly GameCall[], call: GameCall): readonly GameCall[] =>
  [...calls, call].slice(-CALLS_MAX)
