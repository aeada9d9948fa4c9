import type { Version } from './networks.ts'

/**
 * The reason why a signed payment is not taken, in one word of ours and in the words of each version of the protocol.
 */

export type PaymentRefusal = keyof typeof words

/**
 * The words of version 1 as its specification lists them, and those of version 2 as the code of `@x402/evm` 2.27 has
 * them, which differ from its specification.
 */
const words = {
  version: both('invalid_x402_version'),
  scheme: ['unsupported_scheme', 'invalid_exact_evm_scheme'],
  network: ['invalid_network', 'invalid_exact_evm_network_mismatch'],
  /** The header or the payload cannot be read; at the door this is a 400. */
  malformed: both('invalid_payload'),
  /** Another way to pay than an authorization: Permit2, a Solana transaction. */
  payload: ['invalid_payload', 'unsupported_payload_type'],
  /** The requirements that came with the payment name nothing that is sold here, or other terms. */
  requirements: both('invalid_payment_requirements'),
  token: ['invalid_payment_requirements', 'invalid_exact_evm_eip3009_not_supported'],
  'token-name': ['invalid_payment_requirements', 'invalid_exact_evm_token_name_mismatch'],
  'token-version': ['invalid_payment_requirements', 'invalid_exact_evm_token_version_mismatch'],
  recipient: ['invalid_exact_evm_payload_recipient_mismatch', 'invalid_exact_evm_recipient_mismatch'],
  value: ['invalid_exact_evm_payload_authorization_value', 'invalid_exact_evm_payload_authorization_value_mismatch'],
  'valid-after': both('invalid_exact_evm_payload_authorization_valid_after'),
  'valid-before': both('invalid_exact_evm_payload_authorization_valid_before'),
  signature: ['invalid_exact_evm_payload_signature', 'invalid_exact_evm_signature'],
  'undeployed-wallet': both('invalid_exact_evm_payload_undeployed_smart_wallet'),
  funds: ['insufficient_funds', 'invalid_exact_evm_insufficient_balance'],
  'nonce-used': ['invalid_transaction_state', 'invalid_exact_evm_nonce_already_used'],
  simulation: ['invalid_transaction_state', 'invalid_exact_evm_transaction_simulation_failed'],
  /**
   * The payment takes more gas than the seller may be billed for it. The word is ours: the protocol has none.
   */
  gas: both('gas_above_offer'),
  reverted: ['invalid_transaction_state', 'invalid_exact_evm_transaction_failed'],
  /** The challenge is over. */
  expired: both('payment_expired'),
  /** The authorization already bought something else. */
  duplicate: both('duplicate_settlement'),
  /** Nobody knows yet: never a reason to pay again. */
  pending: both('settlement_pending'),
  /** The payer's spend cap (J-RES-05, Q-23). The word is ours: the protocol has none. */
  'max-per-caller': both('max_per_caller'),
  'verify-error': both('unexpected_verify_error'),
  'settle-error': both('unexpected_settle_error'),
} as const satisfies Record<string, readonly [v1: string, v2: string]>

/** Every reason there is. */
export const paymentRefusals = Object.keys(words) as readonly PaymentRefusal[]

/** A refusal in the words of the version that the payment came in. */
export const wordFor = (version: Version, refusal: PaymentRefusal): string => words[refusal][version - 1] as string

function both<const W extends string>(word: W): readonly [W, W] {
  return [word, word]
}
