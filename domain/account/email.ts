import { decider, type Of } from '../kernel/decider.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * One account per email address, and none before somebody has followed the link of a letter there: whoever only wants
 * the address does not hold it. The stream is named by a keyed hash of the address, so the log does not tell it.
 */

export type EmailEvents = {
  /** An account wants the address, and a letter goes there to prove it (N-15). That alone gives nobody the address. */
  EmailRequested: {
    accountId: string
    requestedAt: string
    /** A keyed hash of the network that the request came from. */
    network: string
    /** So many letters went to the address within the hour that this one is not sent. */
    withheld?: true
  }
  /**
   * The address belongs to this account from now on. In older logs a sign-up claimed its address before anybody had
   * proven it; such a claim is worth as much as one whose verification broke off, and gives way to whoever proves the
   * address.
   */
  EmailClaimed: { accountId: string; claimedAt: string }
  /** Its account has another address by now; whoever wants this one may have it (J-ACC-13). */
  EmailReleased: { accountId: string }
}

/** `proven`: the account's password has shown that the account itself asked for the address. */
type Claim = { accountId: string; proven?: boolean }

export type EmailCommands = {
  request: { accountId: string; network: string }
  /** Refuses `email-taken`; `password-required` where others want the address too and the claim is not `proven`. */
  claim: Claim
  /**
   * Takes over a claim that came to nothing: the one that `from` made at `claimedAt`. The caller has made sure that
   * `from` cannot come to use the address.
   */
  reclaim: Claim & { from: string; claimedAt: string }
  release: { accountId: string }
}

type State = {
  holder: string | undefined
  claimedAt: string
  /**
   * The newest request of each of the last two accounts that made one: enough to know, of any account, whether another
   * one did.
   */
  requests: readonly { accountId: string; at: string }[]
  /** The letters of the last hour. */
  letters: readonly { network: string; at: string }[]
}

/**
 * Letters that an address is sent in an hour, whoever asks for them: nobody's mailbox is flooded in our name (N-16).
 */
export const ADDRESS_LETTERS_PER_HOUR_MAX = 8
/**
 * How many of these one network may cause, so that a single stranger does not use up what the owner of an address
 * needs.
 */
export const NETWORK_LETTERS_PER_HOUR_MAX = 5
/** Hours in which a request counts: as long as its link works (N-15). */
export const REQUEST_HOURS = 24
/** A claim that is not in use after this long came to nothing; no request lives so long. */
export const CLAIM_ABANDONED_MS = 60_000
const REQUESTS_KEPT = 2
const HOUR_MS = 3_600_000

export const email = decider<EmailEvents, EmailCommands, State>({
  category: 'email',
  stateVersion: 2,
  initial: { holder: undefined, claimedAt: '', requests: [], letters: [] },
  decide: {
    request: ({ letters }, { accountId, network }, now) => {
      const lately = letters.filter(({ at }) => isWithin(HOUR_MS, at, now))
      const own = lately.filter((letter) => letter.network === network)
      const isFull = lately.length >= ADDRESS_LETTERS_PER_HOUR_MAX || own.length >= NETWORK_LETTERS_PER_HOUR_MAX
      const request = { accountId, requestedAt: now, network }
      return [{ type: 'EmailRequested', data: isFull ? { ...request, withheld: true } : request }]
    },
    claim: (state, { accountId, proven }, now) => {
      const { holder, claimedAt } = state
      if (holder !== undefined && holder !== accountId) return refuse('email-taken')
      if (!proven && hasRival(state, accountId, now)) return refuse('password-required')
      // An account's own old claim is made anew, so that another account which is about to take it over finds it
      // changed.
      return holder === accountId && isWithin(CLAIM_ABANDONED_MS, claimedAt, now) ? [] : [claimed(accountId, now)]
    },
    reclaim: (state, { from, claimedAt, accountId, proven }, now) => {
      if (state.holder === accountId) return []
      if (state.holder !== from || state.claimedAt !== claimedAt) return refuse('email-taken')
      return !proven && hasRival(state, accountId, now) ? refuse('password-required') : [claimed(accountId, now)]
    },
    release: ({ holder }, { accountId }) =>
      holder === accountId ? [{ type: 'EmailReleased', data: { accountId } }] : [],
  },
  evolve: {
    EmailRequested: (state, { accountId, requestedAt: at, network, withheld }) => ({
      ...state,
      requests: [...state.requests.filter((each) => each.accountId !== accountId), { accountId, at }].slice(
        -REQUESTS_KEPT,
      ),
      letters: withheld ? state.letters : [...state.letters, { network, at }].slice(-ADDRESS_LETTERS_PER_HOUR_MAX),
    }),
    EmailClaimed: (state, { accountId, claimedAt }) => ({
      ...state,
      holder: accountId,
      claimedAt,
      // The holder's own request has done its work. If the holder releases the address, the next account has no rival.
      requests: state.requests.filter((each) => each.accountId !== accountId),
    }),
    EmailReleased: (state) => ({ ...state, holder: undefined, claimedAt: '' }),
  },
})

/** Whether another account, too, has asked for the address within a day, or has begun to make it its own. */
export const hasRival = ({ holder, claimedAt, requests }: State, accountId: string, now: string): boolean =>
  [...requests, ...(holder === undefined ? [] : [{ accountId: holder, at: claimedAt }])].some(
    (each) => each.accountId !== accountId && isWithin(REQUEST_HOURS * HOUR_MS, each.at, now),
  )

const claimed = (accountId: string, claimedAt: string): Of<EmailEvents> => ({
  type: 'EmailClaimed',
  data: { accountId, claimedAt },
})

const isWithin = (ms: number, at: string, now: string): boolean => Date.parse(now) - Date.parse(at) < ms
