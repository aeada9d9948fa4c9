import { addMinutes } from '../kernel/calendar.ts'
import { decider, isAnswered } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { PLATFORM } from '../kernel/platform.ts'

/**
 * What a relayer has lost within an hour to payments that came to nothing, or cost more gas than may be billed: by
 * network, by seller, by payer, and by the code of payers that are contracts. Whoever has used up what is allowed has
 * to wait, so that no payer can spend the relayer's coin for ever. The stream is the budget's name.
 */

export type RelayBudgetEvents = {
  /** Lost to one payment, in millionths of a US dollar. */
  RelayLossCounted: { usd: Units; authorizationId: string; tx: string; at: string } & Answers
  /** A percentage of what may be lost within an hour was lost. */
  RelayBudgetReached: BudgetLevel & { at: string }
}

/** The ordered reactor that books it, and the `order` of the event that it answers: only later ones count. */
type Answers = { source: string; position: string }
type BudgetLevel = { percent: number; lostUsd: Units; limitUsd: Units }

export type RelayBudgetCommands = {
  count: Omit<RelayBudgetEvents['RelayLossCounted'], 'at'>
  /** Does nothing for an hour after the same percentage was told. */
  reach: BudgetLevel
}

export type RelayBudgetState = {
  /** Losses of the last hour, one entry for each minute, the oldest first. */
  readonly lost: readonly { readonly minute: string; readonly usd: Units }[]
  readonly seen: { readonly [source: string]: bigint }
  /** Time at which each percentage was reached last, keyed by the percentage. */
  readonly reached: { readonly [percent: number]: string }
}

const HOUR_MS = 3_600_000

export const relayBudget = decider<RelayBudgetEvents, RelayBudgetCommands, RelayBudgetState>({
  category: 'relayBudget',
  grows: true,
  stateVersion: 1,
  initial: { lost: [], seen: {}, reached: {} },
  decide: {
    count: (state, data, now) =>
      isAnswered(state.seen, data) ? [] : [{ type: 'RelayLossCounted', data: { ...data, at: now } }],
    reach: (state, data, now) => {
      const before = state.reached[data.percent]
      return before !== undefined && before > hourBefore(now)
        ? []
        : [{ type: 'RelayBudgetReached', data: { ...data, at: now } }]
    },
  },
  evolve: {
    RelayLossCounted: (state, { usd, at, source, position }) => {
      const minute = `${at.slice(0, 16)}:00.000Z`
      const others = state.lost.filter((each) => each.minute > hourBefore(at) && each.minute !== minute)
      const same = state.lost.find((each) => each.minute === minute)
      return {
        ...state,
        lost: [...others, { minute, usd: String(BigInt(usd) + BigInt(same?.usd ?? 0)) }],
        seen: { ...state.seen, [source]: BigInt(position) },
      }
    },
    RelayBudgetReached: (state, { percent, at }) => ({ ...state, reached: { ...state.reached, [percent]: at } }),
  },
})

/** What was lost within the hour before, in millionths of a US dollar. */
export const lostUsd = ({ lost }: RelayBudgetState, now: string): bigint =>
  lost.filter(({ minute }) => minute > hourBefore(now)).reduce((sum, { usd }) => sum + BigInt(usd), 0n)

/**
 * When a payment that may cost `own` may go, as losses grow old and nothing more is lost; undefined when it may go now.
 * `others` is at risk by payments on their way.
 */
export const withinFrom = (
  { lost }: Pick<RelayBudgetState, 'lost'>,
  { most, others, own }: { most: bigint; others: bigint; own: bigint },
  now: string,
): string | undefined => {
  const counting = lost.filter(({ minute }) => minute > hourBefore(now))
  let sum = counting.reduce((all, { usd }) => all + BigInt(usd), 0n)
  if (isWithin(sum + others, most, own)) return undefined
  for (const { minute, usd } of counting) {
    sum -= BigInt(usd)
    if (isWithin(sum + others, most, own)) return addMinutes(minute, 60)
  }
  // Payments on their way hold it up. An hour from now their losses are known, and old.
  return addMinutes(now, 60)
}

const hourBefore = (now: string): string => new Date(Date.parse(now) - HOUR_MS).toISOString()

/** What a budget can belong to; `code` is shared by all wallets of one maker. */
export const relayScopes = ['network', 'seller', 'payer', 'code'] as const
export type RelayScope = (typeof relayScopes)[number]
/** The most that may be lost within an hour in each kind of budget, in millionths of a US dollar. */
export type RelayLimits = Readonly<Record<RelayScope, bigint>>

/** What the losses of a payment are counted against. */
export type RelayRisk = {
  readonly network: string
  readonly accountId: string
  readonly payer: string
  /** keccak256 of the payer's code, where it has some: all wallets of one maker share it. */
  readonly code: string | undefined
  /** A payment of this payer was carried out before. */
  readonly isKnown: boolean
}

/** The budgets of a payment, by name. The platform has none as a seller, because top-ups have the other budgets. */
export const budgetsOf = ({ network, accountId, payer, code }: RelayRisk): readonly [RelayScope, string][] => [
  ['network', budgetOf('network', network)],
  ...(accountId === PLATFORM ? [] : [['seller', budgetOf('seller', accountId)] as [RelayScope, string]]),
  ['payer', budgetOf('payer', payer)],
  ...(code === undefined ? [] : [['code', budgetOf('code', code)] as [RelayScope, string]]),
]

/** The id of a budget's stream. */
export const budgetOf = (scope: RelayScope, name: string): string => `${scope}:${name}`

/**
 * The share of a limit that a payment may use, in percent. Each payer has a budget of its own. A tenth of every shared
 * one is kept for those who have paid before, so that new payers cannot block them. New payers with code may use half
 * of a network's and of a seller's, because making a payment fail costs them nothing; a payer with a key has to spend
 * gas of its own for that.
 */
export const shareOf = (scope: RelayScope, { isKnown, code }: Pick<RelayRisk, 'isKnown' | 'code'>): bigint => {
  if (scope === 'payer' || isKnown) return 100n
  return scope !== 'code' && code !== undefined ? 50n : 90n
}

/**
 * Whether a payment that may cost `atRisk` may still go, where `lost` was lost or may be lost by payments on their way.
 * The first payment of an hour always goes, because it may cost more than a small limit.
 */
export const isWithin = (lost: bigint, most: bigint, atRisk = 0n): boolean =>
  lost === 0n || (lost < most && lost + atRisk <= most)
