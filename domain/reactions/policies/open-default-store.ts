import { idOf } from '../../kernel/stream-id.ts'
import type { Policy } from '../subscriber/policy.ts'

/** The store that comes with an account, for accounts whose sign-up broke off before it, and for those from before there were stores. */
export const openDefaultStore: Policy = {
  name: 'open-default-store',
  on: {
    CloudTokenIssued: ({ stream, data }, { ledger }) => ledger.stores.openDefault(idOf(stream), data),
  },
}
