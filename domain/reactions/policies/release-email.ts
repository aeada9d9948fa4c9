import { idOf } from '../../kernel/stream-id.ts'
import type { Policy } from '../subscriber/policy.ts'

/** The address that an account, or a user, had before can be used again by whoever wants it, also by the account itself (J-ACC-13). */
export const releaseEmail: Policy = {
  name: 'release-email',
  on: {
    UserEmailChanged: async ({ stream, data: { former } }, { ledger }) => {
      const sub = idOf(stream)
      const user = await ledger.user.read(sub)
      if (user.status === 'none' || user.emailFingerprint === former) return
      await ledger.email.release(former, { accountId: sub })
    },
    EmailChanged: async ({ stream, data: { former } }, { ledger }) => {
      const accountId = idOf(stream)
      const account = await ledger.account.read(accountId)
      // It may have gone back to that address since.
      if (account.status === 'none' || account.emailFingerprint === former) return
      await ledger.email.release(former, { accountId })
    },
  },
}
