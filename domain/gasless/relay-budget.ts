import { decider } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { PLATFORM } from '../kernel/platform.ts'

/**
 * What a relayer has lost within an hour to payments that came to nothing, or cost more gas than may be billed: by
 * network, by seller, by payer, and by the code of payers that are contracts. Who has used up what is allowed has to
 * wait, so that no payer can spend the relayer's coin for ever. The stream is the budget's name.
 */

export type RelayBudgetEvents = {
  /** Lost to one payment, in millionths of a US dollar. */
  RelayLossCounted: { usd: Units; authorizationId: string; tx: string; at: string } & Answers
  /** So much of what may be lost within an hour was lost. */
  RelayBudgetReached: BudgetLevel & { at: string }
}

/** The ordered reactor that books it, and the `order` of the event that it answers: only later ones count. */
type Answers = { source: string; position: string }
type BudgetLevel = { percent: number; lostUsd: Units; limitUsd: Units }

export type RelayBudgetCommands = {
  count: Omit<RelayBudgetEvents['RelayLossCounted'], 'at'>
  /** Quiet for an hour after the same was said. */
  reach: BudgetLevel
}

export type RelayBudgetState = {
  /** By minute, the oldest first; of the last hour. */
  readonly lost: readonly { readonly minute: string; readonly usd: Units }[]
  readonly seen: { readonly [source: string]: bigint }
  /** By percent: when it was reached last. */
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
      BigInt(data.position) <= (state.seen[data.source] ?? -1n)
        ? []
        : [{ type: 'RelayLossCounted', data: { ...data, at: now } }],
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

const hourBefore = (now: string): string => new Date(Date.parse(now) - HOUR_MS).toISOString()

/** Whose budgets there are. */
export const relayScopes = ['network', 'seller', 'payer', 'code'] as const
export type RelayScope = (typeof relayScopes)[number]
/** What may be lost within an hour to each, in millionths of a US dollar. */
export type RelayLimits = Readonly<Record<RelayScope, bigint>>

/** Whom a payment's losses are counted against. */
export type RelayRisk = {
  readonly network: string
  readonly accountId: string
  readonly payer: string
  /** keccak256 of the payer's code, where it has some: all wallets of one maker share it. */
  readonly code: string | undefined
  /** A payment of this payer was carried out before. */
  readonly isKnown: boolean
}

/** The budgets of a payment, by name. The platform is nobody's victim as a seller: top-ups have the other budgets. */
export const budgetsOf = ({ network, accountId, payer, code }: RelayRisk): readonly [RelayScope, string][] => [
  ['network', budgetOf('network', network)],
  ...(accountId === PLATFORM ? [] : [['seller', budgetOf('seller', accountId)] as [RelayScope, string]]),
  ['payer', budgetOf('payer', payer)],
  ...(code === undefined ? [] : [['code', budgetOf('code', code)] as [RelayScope, string]]),
]

/** The id of a budget's stream. */
export const budgetOf = (scope: RelayScope, name: string): string => `${scope}:${name}`

/**
 * What of a limit a payment may use, in percent. Each payer has its own; of what is shared a tenth is kept for those
 * who have paid before, so that who is new cannot put them off. Of a network's and of a seller's, new payers with code
 * have half, because making one fail costs them nothing; who pays with a key has to spend gas of its own for that.
 */
export const shareOf = (scope: RelayScope, { isKnown, code }: Pick<RelayRisk, 'isKnown' | 'code'>): bigint => {
  if (scope === 'payer' || isKnown) return 100n
  return scope !== 'code' && code !== undefined ? 50n : 90n
}

/**
 * Whether a payment that may cost `atRisk` still goes, where `lost` was lost or may be by what is on its way. The first
 * one of an hour always does: what one costs may be more than a small limit.
 */
export const isWithin = (lost: bigint, most: bigint, atRisk = 0n): boolean =>
  lost === 0n || (lost < most && lost + atRisk <= most)
