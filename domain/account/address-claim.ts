import { decider } from '../kernel/decider.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * The account that a receive address belongs to: an address of one network has one account, whatever coins it takes
 * there. The stream is `addressClaim-<network>:<address>`. An address is claimed before it is set as a wallet,
 * and given back when the wallet is gone and what was expected on it has ended, which is looked up when somebody else
 * wants it.
 */

/**
 * The most coins of one address that are remembered: the ones that were set last. Each is looked at before the address
 * is given back.
 */
const COINS_MAX = 256
/**
 * Holders of one address that are remembered, the newest last: a payment belongs to whoever held the address when it
 * was made.
 */
const TURNS_MAX = 16
/** Accounts that shared an address before there were claims, as far as they are named. */
const CONTESTANTS_MAX = 32
/**
 * A claim that is asked for again is written again at most once in this time; it is half of what `ABANDONED_MS` waits.
 */
const RENEWED_MS = 30_000
/**
 * A claim whose wallet never came to be, because its request broke off, may be taken over after this long; no request
 * lives so long.
 */
export const ABANDONED_MS = 60_000

/**
 * `first`: nobody held it. `proof`: its key has signed for the account. `operator`: whoever runs Daybook gave it.
 * `platform`: it is a wallet of the platform's own settings.
 */
export type ClaimBasis = 'first' | 'proof' | 'operator' | 'platform'

export type AddressClaimEvents = {
  /** The address belongs to this account alone from now on. */
  AddressClaimed: {
    accountId: string
    how: ClaimBasis
    /**
     * Accounts that held the address, or shared it, until now: their wallets with it are paused, and a letter tells
     * them.
     */
    from: readonly string[]
    /**
     * The coins that the address is set for, as its chain calls them (`coinOf`); none yet where the operator moved it.
     */
    coins: readonly string[]
    claimedAt: string
    /** When the text that the address' key has signed was written; present for a proof alone. */
    provedAt?: string
    /** Why the operator moved it. */
    reason?: string
  }
  /** The holder sets the address as a wallet once more, or for a further coin. */
  AddressClaimRenewed: { accountId: string; coin: string; renewedAt: string }
  /**
   * The address is nobody's again: the wallet is gone and nothing is expected on it, or what it was claimed for came to
   * nothing.
   */
  AddressReleased: { accountId: string; releasedAt: string }
  /**
   * Several accounts had the address as a wallet before addresses were claimed: it is nobody's until the operator
   * settles it, or one proves control.
   */
  AddressContested: { accountIds: readonly string[]; contestedAt: string }
}

/** The holder's claim, as it was seen by somebody who found that it may be given back. */
export type SeenClaim = { accountId: string; renewedAt: string }

export type AddressClaimCommands = {
  /** `vacant` is the claim of somebody else that was found to be given up. Refuses `address-taken`. */
  claim: { accountId: string; coin: string; vacant?: SeenClaim }
  /**
   * Gives the address to the account that its key has signed for. Refuses `address-taken` for an address of the
   * platform, and `proof-invalid` when a later proof is known.
   */
  prove: { accountId: string; coin: string; provedAt: string }
  /** Gives the address to the platform, which has it as a wallet, whoever held it before. */
  take: { accountId: string; coin: string }
  /** Gives the address to the account that the operator names. */
  move: { accountId: string; coins: readonly string[]; reason: string }
  /** Takes back a claim that came to nothing. */
  release: SeenClaim
  /** Takes over the accounts that had the address as a wallet before addresses were claimed, in their order. */
  adopt: { holders: readonly { accountId: string; coins: readonly string[] }[] }
}

type Holder = {
  readonly accountId: string
  readonly how: ClaimBasis
  /** When the address was claimed, or last set as a wallet. */
  readonly renewedAt: string
  readonly coins: readonly string[]
}

/** The accounts that had the address from `since` on: one is its holder, several contest it, none means nobody. */
type Turn = { readonly since: string; readonly accountIds: readonly string[] }

export type AddressClaim = {
  readonly holder: Holder | undefined
  /** The accounts that contest the address; empty when nobody does. */
  readonly contestants: readonly string[]
  /** When the newest proof's text was written: a proof is good once, and an older one never again. */
  readonly provedAt: string
  readonly turns: readonly Turn[]
}

export const addressClaim = decider<AddressClaimEvents, AddressClaimCommands, AddressClaim>({
  category: 'addressClaim',
  stateVersion: 1,
  initial: { holder: undefined, contestants: [], provedAt: '', turns: [] },
  decide: {
    claim: ({ holder, contestants }, { accountId, coin, vacant }, now) => {
      if (contestants.length > 0) return refuse('address-taken', SHARED)
      const first = claimed({ accountId, how: 'first', from: [], coins: [coin], claimedAt: now })
      if (!holder) return [first]
      if (holder.accountId === accountId) return renewed(holder, coin, now)
      if (!vacant || vacant.accountId !== holder.accountId || vacant.renewedAt !== holder.renewedAt)
        return refuse('address-taken', TAKEN)
      return [{ type: 'AddressReleased', data: { accountId: holder.accountId, releasedAt: now } }, first]
    },
    prove: (state, { accountId, coin, provedAt }, now) => {
      const { holder } = state
      if (provedAt <= state.provedAt) {
        if (provedAt === state.provedAt && holder?.accountId === accountId && holder.how === 'proof') return []
        return refuse('proof-invalid', 'This proof was used, or a later one was: ask for a new text to sign.')
      }
      if (holder?.how === 'platform' && holder.accountId !== accountId) return refuse('address-taken', TAKEN)
      const coins = withCoin(holder?.accountId === accountId ? holder.coins : [], coin)
      return [claimed({ accountId, how: 'proof', from: others(state, accountId), coins, claimedAt: now, provedAt })]
    },
    take: (state, { accountId, coin }, now) => {
      const { holder } = state
      if (holder?.accountId === accountId) return holder.coins.includes(coin) ? [] : renewed(holder, coin, now)
      const from = others(state, accountId)
      return [claimed({ accountId, how: 'platform', from, coins: [coin], claimedAt: now })]
    },
    move: (state, { accountId, coins, reason }, now) =>
      state.holder?.accountId === accountId
        ? []
        : [claimed({ accountId, how: 'operator', from: others(state, accountId), coins, claimedAt: now, reason })],
    release: ({ holder }, { accountId, renewedAt }, now) =>
      holder?.accountId === accountId && holder.renewedAt === renewedAt
        ? [{ type: 'AddressReleased', data: { accountId, releasedAt: now } }]
        : [],
    adopt: ({ holder, contestants }, { holders: [only, ...more] }, now) => {
      if (holder || contestants.length > 0 || !only) return []
      if (more.length === 0) return [claimed({ ...only, how: 'first', from: [], claimedAt: now })]
      const accountIds = [only, ...more].map(({ accountId }) => accountId).slice(0, CONTESTANTS_MAX)
      return [{ type: 'AddressContested', data: { accountIds, contestedAt: now } }]
    },
  },
  evolve: {
    AddressClaimed: (state, { accountId, how, coins, claimedAt, provedAt = state.provedAt }) => ({
      holder: { accountId, how, renewedAt: claimedAt, coins },
      contestants: [],
      provedAt,
      turns: withTurn(state, claimedAt, [accountId]),
    }),
    AddressClaimRenewed: (state, { coin, renewedAt }) =>
      state.holder
        ? { ...state, holder: { ...state.holder, renewedAt, coins: withCoin(state.holder.coins, coin) } }
        : state,
    AddressReleased: (state, { releasedAt }) => ({
      ...state,
      holder: undefined,
      turns: withTurn(state, releasedAt, []),
    }),
    AddressContested: (state, { accountIds, contestedAt }) => ({
      ...state,
      holder: undefined,
      contestants: accountIds,
      turns: withTurn(state, contestedAt, accountIds),
    }),
  },
})

/** The id of the stream that says whose an address is; the address is in its canonical form. */
export const addressClaimId = ({ network, address }: { network: string; address: string }): string =>
  `${network}:${address}`

/** The network and the address that such an id names. */
export const claimedPlace = (id: string): { network: string; address: string } => {
  const colon = id.indexOf(':')
  return { network: id.slice(0, colon), address: id.slice(colon + 1) }
}

/** Whether the address is this account's now, and so may be offered to its buyers. */
export const isHeldBy = ({ holder }: AddressClaim, accountId: string): boolean => holder?.accountId === accountId

/**
 * Whether an address is nobody's because several accounts had it: only exact amounts pay a challenge there, and the
 * operator settles the rest.
 */
export const isContested = ({ contestants }: AddressClaim): boolean => contestants.length > 0

/**
 * The account that an address belonged to at a time (ISO 8601 UTC), such as that of a payment's block, or the accounts
 * that contested it; undefined when it was nobody's. Before the first turn that is remembered, the address counts as in
 * that turn.
 */
export const claimantOf = (
  { turns }: AddressClaim,
  at: string,
): { readonly accountId: string } | { readonly contestants: readonly string[] } | undefined => {
  const turn = turns.findLast(({ since }) => since <= at) ?? turns[0]
  const [accountId, ...more] = turn?.accountIds ?? []
  if (accountId === undefined) return undefined
  return more.length > 0 ? { contestants: turn?.accountIds ?? [] } : { accountId }
}

/**
 * When an account's challenges on the address ended because it is another's now: the time of the first claim by
 * somebody else after `openedAt`. Undefined while they go on.
 */
export const lostAt = ({ turns }: AddressClaim, accountId: string, openedAt: string): string | undefined =>
  turns.find(({ since, accountIds }) => since > openedAt && accountIds.length > 0 && !accountIds.includes(accountId))
    ?.since

const TAKEN = 'This address belongs to another account. If it is yours, prove control: GET /v1/wallets?proof=1.'
const SHARED = 'Several accounts have this address. Prove control of it: GET /v1/wallets?proof=1.'

const claimed = (data: AddressClaimEvents['AddressClaimed']) => ({ type: 'AddressClaimed', data }) as const

const renewed = (holder: Holder, coin: string, now: string) => {
  const isFresh = Date.parse(now) - Date.parse(holder.renewedAt) < RENEWED_MS
  if (holder.coins.includes(coin) && isFresh) return []
  return [{ type: 'AddressClaimRenewed', data: { accountId: holder.accountId, coin, renewedAt: now } } as const]
}

const others = ({ holder, contestants }: AddressClaim, accountId: string): readonly string[] =>
  (holder ? [holder.accountId] : contestants).filter((each) => each !== accountId)

const withCoin = (coins: readonly string[], coin: string): readonly string[] =>
  [...coins.filter((each) => each !== coin), coin].slice(-COINS_MAX)

const withTurn = ({ turns }: AddressClaim, since: string, accountIds: readonly string[]): readonly Turn[] => {
  const before = turns.at(-1)?.accountIds ?? []
  const isSame = before.length === accountIds.length && before.every((each, n) => each === accountIds[n])
  return isSame ? turns : [...turns, { since, accountIds }].slice(-TURNS_MAX)
}
