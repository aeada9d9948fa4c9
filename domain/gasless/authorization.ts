import { decider, whenExists } from '../kernel/decider.ts'
import { gaslessFee } from '../kernel/fees.ts'
import type { Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'
import type { Authorization } from '../selling/authorization-terms.ts'
import type { Reversal } from '../selling/challenge-events.ts'

/**
 * A signed payment that was taken: from then on it settles one challenge, whoever carries it out and however often it
 * is sent (X-IDEM-04). It is on the disk before anything is broadcast (V-GAS-01). The stream is
 * `network:asset:payer:nonce`.
 */

export type AuthorizationEvents = {
  AuthorizationAccepted: {
    accountId: string
    /** Null when the seller asked for the settlement itself, for something that is sold elsewhere. */
    resId: string | null
    /** The payment request that it pays. */
    requestId?: string
    challengeId: string
    authorization: Authorization
    /** The payer is a contract, which checks the signature itself (EIP-1271, EIP-7702). */
    byContract: boolean
    /** For such a payer: keccak256 of its code, and the gas that the payment took when it was tried. */
    code?: { hash: string; gas: Units }
    /**
     * The most that its seller is billed for gas, in millionths of a US dollar; absent when there is no bound.
     */
    gasFeeMax?: Units
    /** Blocks, the transfer's own included, before it counts. */
    confirmations: number
    /** Fiat price in millionths. */
    amount: Units
    currency: string
  }
  /** The payment it was made for has settled. */
  AuthorizationSettled: AuthorizationOwner & { transferId: string; tx: string }
  /**
   * What carrying it out has cost, and what its seller is billed for that, in millionths of a US dollar. Nobody is
   * billed for an authorization that failed, or that somebody else sent. `billedUsd` absent: the gas and 21 %.
   */
  AuthorizationGasSpent: AuthorizationOwner & { transferId: string; tx: string; gasUsd: Units; billedUsd?: Units }
  /**
   * A seller who sells elsewhere was told that it is paid, and nobody is told again. A server elsewhere cannot know
   * that it has served this payment before, so that its header would buy once more.
   */
  AuthorizationRedeemed: AuthorizationOwner & { at: string }
  /**
   * A transaction of the relayer contained it, but did not carry it out. `gasUsd`: what that cost the relayer, in
   * millionths of a US dollar; nobody is billed for it. The third time, the authorization has failed.
   */
  AuthorizationReverted: AuthorizationOwner & { tx: string; gasUsd: Units }
  /**
   * The payment it was made for is not in the chain any more, and it cannot be carried out again: it has failed.
   * `billedUsd`: what its seller was billed for its gas.
   */
  AuthorizationReversed: AuthorizationOwner & { transferId: string; tx: string; reason: Reversal; billedUsd?: Units }
  /** It cannot be carried out any more, or its payer does not have the money. */
  AuthorizationFailed: AuthorizationOwner & { reason: string }
}
type AuthorizationOwner = { accountId: string; resId: string | null; challengeId: string; payer: string }

export type AuthorizationCommands = {
  accept: AuthorizationEvents['AuthorizationAccepted']
  /** `challengeId`: the one that its transfer has settled. Refuses `transfer-taken` when it was taken for another. */
  settle: { challengeId: string; transferId: string; tx: string }
  /** Moves it to another transaction that carries it out; does nothing unless it had settled in `from`. */
  move: { from: string; transferId: string; tx: string }
  /** Does nothing unless it has settled in `tx`. */
  reverse: { transferId: string; tx: string; reason: Reversal }
  spendGas: { transferId: string; tx: string; gasUsd: Units }
  /** Only the first one yields an event. */
  redeem: object
  /** Does nothing for a transaction that was told before, and once it has settled or failed. */
  revert: { tx: string; gasUsd: Units }
  fail: { reason: string }
}

export type AcceptedAuthorization = AuthorizationEvents['AuthorizationAccepted'] & {
  status: 'accepted' | 'settled' | 'failed'
  tx: string | undefined
  reason: string | undefined
  gasUsd: Units | undefined
  redeemed: boolean
  /** The transactions that did not carry it out. */
  reverts: readonly string[]
}
/** Failed transactions after which an authorization has failed: so many are no accident, but caused by its payer. */
const REVERTS_MAX = 3

export type AuthorizationState = { status: 'none' } | AcceptedAuthorization

export const authorization = decider<AuthorizationEvents, AuthorizationCommands, AuthorizationState>({
  category: 'authorization',
  stateVersion: 2,
  initial: { status: 'none' },
  decide: {
    // Whoever sends it again, for any sale, is told what it was taken for first, and has to check that this is the same
    // sale.
    accept: (state, data) => (state.status === 'none' ? [{ type: 'AuthorizationAccepted', data }] : []),
    settle: (state, data) => {
      const taken = known(state)
      if (taken.challengeId !== data.challengeId) return refuse('transfer-taken', 'it has paid another challenge')
      return taken.status === 'settled' ? [] : [{ type: 'AuthorizationSettled', data: { ...whose(taken), ...data } }]
    },
    move: (state, { from, ...data }) => {
      const taken = known(state)
      if (taken.status !== 'settled' || taken.tx !== from) return []
      return [{ type: 'AuthorizationSettled', data: { ...whose(taken), challengeId: taken.challengeId, ...data } }]
    },
    reverse: (state, data) => {
      const taken = known(state)
      if (taken.status !== 'settled' || taken.tx !== data.tx) return []
      const { gasUsd } = taken
      const billed = gasUsd !== undefined && { billedUsd: billedFor(taken, BigInt(gasUsd)) }
      return [{ type: 'AuthorizationReversed', data: { ...whose(taken), ...data, ...billed } }]
    },
    spendGas: (state, data) => {
      const taken = known(state)
      if (taken.gasUsd !== undefined) return []
      const billedUsd = billedFor(taken, BigInt(data.gasUsd))
      return [{ type: 'AuthorizationGasSpent', data: { ...whose(taken), ...data, billedUsd } }]
    },
    redeem: (state, _, now) => {
      const taken = known(state)
      if (taken.status !== 'settled') return refuse('state-forbids', 'this payment has not settled')
      return taken.redeemed ? [] : [{ type: 'AuthorizationRedeemed', data: { ...whose(taken), at: now } }]
    },
    revert: (state, data) => {
      const taken = known(state)
      if (taken.status !== 'accepted' || taken.reverts.includes(data.tx)) return []
      const reverted = { type: 'AuthorizationReverted', data: { ...whose(taken), ...data } } as const
      if (taken.reverts.length + 1 < REVERTS_MAX) return [reverted]
      return [reverted, { type: 'AuthorizationFailed', data: { ...whose(taken), reason: 'reverted' } }]
    },
    fail: (state, data) => {
      const taken = known(state)
      return taken.status === 'accepted' ? [{ type: 'AuthorizationFailed', data: { ...whose(taken), ...data } }] : []
    },
  },
  evolve: {
    AuthorizationAccepted: (_, data) => ({
      ...data,
      status: 'accepted',
      tx: undefined,
      reason: undefined,
      gasUsd: undefined,
      redeemed: false,
      reverts: [],
    }),
    AuthorizationSettled: whenExists((state, { tx }) => ({ ...state, status: 'settled', tx })),
    AuthorizationReversed: whenExists((state, { reason }) => ({ ...state, status: 'failed', reason })),
    AuthorizationGasSpent: whenExists((state, { gasUsd }) => ({ ...state, gasUsd })),
    AuthorizationRedeemed: whenExists((state) => ({ ...state, redeemed: true })),
    AuthorizationReverted: whenExists((state, { tx }) => ({ ...state, reverts: [...state.reverts, tx] })),
    AuthorizationFailed: whenExists((state, { reason }) => ({ ...state, status: 'failed', reason })),
  },
})

/** What the seller is billed for the gas of a payment; events from before offers had a bound have the gas alone. */
export const billedForGas = ({
  gasUsd,
  billedUsd,
}: Pick<AuthorizationEvents['AuthorizationGasSpent'], 'gasUsd' | 'billedUsd'>): Units =>
  billedUsd ?? String(gaslessFee(BigInt(gasUsd)))

/** The gas and 21 %, but no more than the offer said. */
const billedFor = ({ gasFeeMax }: AcceptedAuthorization, gasUsd: bigint): Units => {
  const fee = gaslessFee(gasUsd)
  return gasFeeMax !== undefined && BigInt(gasFeeMax) < fee ? gasFeeMax : String(fee)
}

const known = (state: AuthorizationState): AcceptedAuthorization =>
  state.status === 'none' ? refuse('authorization-unknown') : state

const whose = ({
  accountId,
  resId,
  challengeId,
  authorization: { from },
}: AcceptedAuthorization): AuthorizationOwner => ({
  accountId,
  resId,
  challengeId,
  payer: from,
})
