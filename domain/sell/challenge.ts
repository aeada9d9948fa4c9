import { decider } from '../decider.ts'
import type { Units } from '../money.ts'
import { refuse } from '../refusal.ts'

/**
 * One answer to "how can I pay this?": a set of challenges, one per accepted asset, each of which may settle once (I-SET-01). The set is
 * one stream and one event, so a 402 costs one append; a challenge's id is the set's id, a dot, and the asset.
 */

export type ChallengeEntry = {
  asset: string
  network: string
  chain: string
  payTo: string
  /** Asked of the payer, in the asset's smallest unit. */
  amount: Units
  /** US dollars for one whole coin when the price was locked. */
  rate: string
  /** Only transfers above this height count. */
  heightAtIssue: number
  confirmations: number
  /** `amount`: no other open challenge asks for it. `hash`: the buyer has to post the transaction hash. */
  match: 'amount' | 'hash'
}

/** A transfer as the log keeps it. */
export type TransferData = {
  network: string
  tx: string
  index: string
  asset: string
  from: string
  to: string
  amount: Units
  height: number
  blockHash: string
  minedAt: string
}

export type ChallengeEvents = {
  ChallengeOpened: {
    accountId: string
    resId: string
    /** Fiat price in millionths, and the same in US dollars at the locked rate. */
    amount: Units
    currency: string
    usd: Units
    entries: readonly ChallengeEntry[]
    expiresAt: string
    webhookUrl: string | null
    test: boolean
  }
  /** A payment was seen that still lacks confirmations (T-CHL-02). */
  PaymentDetected: Place & { transfer: TransferData; confirmations: number; required: number }
  /** Paid in full and confirmed: the seller has the money (T-CHL-01). */
  ChallengeSettled: Place & {
    transfer: TransferData
    amount: Units
    currency: string
    usd: Units
    webhookUrl: string | null
    settledAt: string
    test: boolean
  }
}
type Place = { accountId: string; resId: string; challengeId: string; asset: string }

export type ChallengeCommands = {
  open: ChallengeEvents['ChallengeOpened']
  detect: { challengeId: string; asset: string; transfer: TransferData; confirmations: number }
  settle: { challengeId: string; asset: string; transfer: TransferData }
}

type Opened = ChallengeEvents['ChallengeOpened'] & {
  status: 'open'
  /** By asset: what was seen and what settled it. Both are bounded by the entries. */
  detected: { readonly [asset: string]: string }
  settled: { readonly [asset: string]: string }
}
type State = { status: 'none' } | Opened

export const challenge = decider<ChallengeEvents, ChallengeCommands, State>({
  category: 'challenge',
  stateVersion: 1,
  initial: { status: 'none' },
  begins: ['open'],
  decide: {
    open: (state, data) => (state.status === 'none' ? [{ type: 'ChallengeOpened', data }] : refuse('id-taken')),
    detect: (state, { challengeId, asset, transfer, confirmations }) => {
      const { set, entry } = payable(state, asset, transfer)
      if (set.settled[asset] !== undefined || set.detected[asset] === transferId(transfer)) return []
      const required = entry.confirmations
      const place = { accountId: set.accountId, resId: set.resId, challengeId, asset }
      return [{ type: 'PaymentDetected', data: { ...place, transfer, confirmations, required } }]
    },
    settle: (state, { challengeId, asset, transfer }, now) => {
      const { set } = payable(state, asset, transfer)
      if (set.settled[asset] !== undefined) return []
      const { accountId, resId, amount, currency, usd, webhookUrl, test } = set
      const place = { accountId, resId, challengeId, asset }
      const data = { ...place, transfer, amount, currency, usd, webhookUrl, settledAt: now, test }
      return [{ type: 'ChallengeSettled', data }]
    },
  },
  evolve: {
    ChallengeOpened: (_, data) => ({ ...data, status: 'open', detected: {}, settled: {} }),
    PaymentDetected: (state, { asset, transfer }) =>
      state.status === 'none' ? state : { ...state, detected: { ...state.detected, [asset]: transferId(transfer) } },
    ChallengeSettled: (state, { asset, transfer }) =>
      state.status === 'none' ? state : { ...state, settled: { ...state.settled, [asset]: transferId(transfer) } },
  },
})

/** Names a transfer over all chains: `eth:0xabc…:native`. */
export const transferId = ({ network, tx, index }: { network: string; tx: string; index: string }): string =>
  `${network}:${tx}:${index}`

/** The parts of a challenge id; undefined when it cannot be one. */
export const challengeParts = (challengeId: string): { setId: string; asset: string } | undefined => {
  const match = /^(ch_[a-z2-7]{26})\.([a-z0-9_]{1,32})$/.exec(challengeId)
  return match?.[1] && match[2] ? { setId: match[1], asset: match[2] } : undefined
}

/** The entry that a transfer pays for in full and in time; refuses otherwise. */
export const payable = (
  state: State,
  asset: string,
  transfer: TransferData,
): { set: Opened; entry: ChallengeEntry } => {
  if (state.status === 'none') return refuse('challenge-not-found')
  const entry = state.entries.find((e) => e.asset === asset) ?? refuse('challenge-not-found')
  if (state.test) return refuse('challenge-is-test')
  const pays =
    transfer.asset === asset &&
    transfer.network === entry.network &&
    transfer.to === entry.payTo &&
    transfer.height > entry.heightAtIssue
  if (!pays) return refuse('payment-not-matching', 'the transaction does not pay this challenge')
  if (BigInt(transfer.amount) < BigInt(entry.amount)) return refuse('payment-too-low')
  if (transfer.minedAt > state.expiresAt)
    return refuse('challenge-expired', 'the payment came after the challenge had expired')
  return { set: state, entry }
}
