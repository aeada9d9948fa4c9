import { fold } from '../../domain/kernel/decider.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { receiveAddress } from '../../domain/selling/receive-address.ts'
import { NOW } from '../support/given.ts'

/** What is asked of a receive address, and what it decides. */

export type Events = Parameters<typeof fold<typeof receiveAddress>>[1]
export type State = ReturnType<typeof fold<typeof receiveAddress>>

const MINUTE = 60_000
export const HOLD = 120
export const time = (minutes: number) => new Date(Date.parse(NOW) + minutes * MINUTE).toISOString()
/** A challenge that ends in so many minutes, and is held for two hours more. */
export const ask = (challengeId: string, price = '1000', ends = 60, step = '1') => ({
  challengeId,
  accountId: 'acc_1',
  price,
  step,
  anonymous: false,
  endsAt: time(ends),
  heldUntil: time(ends + HOLD),
})
export const reserved = (amount: string, challengeId: string, ends = 60, reservedAt = NOW) => {
  const times = { reservedAt, heldUntil: time(ends + HOLD), endsAt: time(ends) }
  return { type: 'AmountReserved', data: { amount, challengeId, accountId: 'acc_1', ...times } } as const
}

export const lend = (challengeId: string, ends = 60) => ({
  challengeId,
  accountId: 'acc_1',
  endsAt: time(ends),
  heldUntil: time(ends + HOLD),
})
export const lent = (challengeId: string, at = 0, ends = 60) => {
  const times = { lentAt: time(at), heldUntil: time(ends + HOLD), endsAt: time(ends) }
  return { type: 'AddressLent', data: { challengeId, accountId: 'acc_1', ...times } } as const
}

export type Wish = ReturnType<typeof ask> & {
  coarse?: boolean
  cent?: number
  network?: string
  unpaidMax?: number
  paid?: readonly string[]
}

/** How many challenges one price takes before it has no free amount. */
export const holdsFor = (wish: Wish): number => {
  const { state, refused } = fill(300, () => wish)
  return refused === 300 - state.size ? state.size : -1
}

export const fill = (count: number, wish: (n: number) => Wish, from: State = receiveAddress.initial, name = 'c') => {
  let state = from
  let refused = 0
  for (let n = 0; n < count; n++) {
    const events = decided(state, { ...wish(n), challengeId: `${name}${n}` }, NOW)
    if (events.length === 0) refused++
    state = fold(receiveAddress, events, state)
  }
  return { state, refused }
}

export const amountsOf = ({ amounts }: State) =>
  Object.values(amounts).flatMap((bucket) => Object.keys(bucket).map((amount) => BigInt(amount)))

export const refusalOf = (state: State, wish: Wish, now: string): Refusal | undefined => {
  const answer = answerTo(state, wish, now)
  return answer instanceof Refusal ? answer : undefined
}

/** What is decided; nothing when it is refused. */
export const decided = (state: State, wish: Wish, now: string): Events => {
  const answer = answerTo(state, wish, now)
  return answer instanceof Refusal ? [] : answer
}

const answerTo = (state: State, wish: Wish, now: string): Events | Refusal => {
  try {
    return receiveAddress.decide.reserve(state, wish, now) as Events
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
