import { ACTIVATION_CREDIT_USD } from '../../kernel/fees.ts'
import { idOf } from '../../kernel/stream-id.ts'
import type { Policy } from '../subscriber/policy.ts'

/** A verified email earns $5 of credit, once per account (I-CRD-01). */
export const grantActivationCredit: Policy = {
  name: 'grant-activation-credit',
  on: {
    AccountActivated: ({ stream, order }, { ledger }) =>
      ledger.creditAccount.grant(idOf(stream), {
        amount: String(ACTIVATION_CREDIT_USD),
        reason: 'email-verified',
        ref: idOf(stream),
        source: 'grant-activation-credit',
        position: String(order),
      }),
  },
}
