import { refuse } from '../../kernel/refusal.ts'

/**
 * A call that was made under an Idempotency-Key does its work once (X-IDEM-01): the event that it made holds the call,
 * and the newest few are kept with what they brought, so that a repetition is answered as the first was.
 */
export type GameCall = { readonly id: string; readonly request: string }

/** The mark that events of such calls have. */
export type CallMark = { readonly call?: GameCall }

export type AnsweredCall = GameCall & { readonly data: object }

const CALLS_MAX = 20

/** Whether the same call was made before. Refuses `idempotency-conflict` when it asked for something else then. */
export const isRepeated = (calls: readonly GameCall[], call: GameCall | undefined): boolean => {
  const before = call && calls.find(({ id }) => id === call.id)
  if (before && before.request !== call.request) return refuse('idempotency-conflict')
  return before !== undefined
}

export const withCall = (calls: readonly AnsweredCall[], { call, ...data }: CallMark): readonly AnsweredCall[] =>
  call ? [...calls, { ...call, data }].slice(-CALLS_MAX) : calls

/** The calls with one more, where a repetition only has to be known because its answer is stored elsewhere. */
export const withNoted = (calls: readonly GameCall[], call: GameCall): readonly GameCall[] =>
  [...calls, call].slice(-CALLS_MAX)
