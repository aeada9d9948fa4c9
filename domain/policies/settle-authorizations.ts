import { bookRelayed } from '../flows/book-relayed.ts'
import type { Policy } from '../policy.ts'

/** What a relayer has carried out settles what it was signed for, also when the process died right after writing down that it was mined. */
export const settleAuthorizations: Policy = {
  name: 'settle-authorizations',
  on: {
    RelayTransactionMined: ({ data }, { ledger, secondVoice }) => bookRelayed(ledger, data, secondVoice.known),
  },
}
