import { bookRelayed } from '../../use-cases/gasless/book-relayed.ts'
import type { Policy } from '../subscriber/policy.ts'

/** What a relayer has carried out settles what it was signed for, also when the process died right after writing down that it was mined. */
export const settleAuthorizations: Policy = {
  name: 'settle-authorizations',
  on: {
    RelayTransactionMined: ({ data }, { ledger, secondVoice }) => bookRelayed(ledger, data, secondVoice.known),
  },
}
