import { decider } from '../decider.ts'
import { refuse } from '../refusal.ts'

/** One account per email address. The stream is named by a keyed hash of the address, so the log does not tell it. */

export type EmailEvents = {
  /** The address belongs to this account from now on. */
  EmailClaimed: { accountId: string; claimedAt: string }
  /** Its account has another address by now; whoever wants this one may have it (J-ACC-13). */
  EmailReleased: { accountId: string }
}

export type EmailCommands = {
  claim: { accountId: string }
  /** Takes over a claim that came to nothing; the caller has seen that `from` does not use the address. */
  reclaim: { from: string; accountId: string }
  release: { accountId: string }
}

type State = { holder: string | undefined; claimedAt: string }

export const email = decider<EmailEvents, EmailCommands, State>({
  category: 'email',
  stateVersion: 1,
  initial: { holder: undefined, claimedAt: '' },
  decide: {
    claim: ({ holder }, { accountId }, now) => {
      if (holder === accountId) return []
      return holder === undefined
        ? [{ type: 'EmailClaimed', data: { accountId, claimedAt: now } }]
        : refuse('email-taken')
    },
    reclaim: ({ holder }, { from, accountId }, now) => {
      if (holder === accountId) return []
      return holder === from ? [{ type: 'EmailClaimed', data: { accountId, claimedAt: now } }] : refuse('email-taken')
    },
    release: ({ holder }, { accountId }) =>
      holder === accountId ? [{ type: 'EmailReleased', data: { accountId } }] : [],
  },
  evolve: {
    EmailClaimed: (_, { accountId, claimedAt }) => ({ holder: accountId, claimedAt }),
    EmailReleased: () => ({ holder: undefined, claimedAt: '' }),
  },
})
