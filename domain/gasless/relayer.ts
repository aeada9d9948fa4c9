import type { Authorization } from '../selling/authorization-terms.ts'

/** Why a signed payment is not taken; each has its words in the protocol's versions (`adapters/x402/reasons.ts`). */
export type AuthorizationFault =
  | 'network'
  | 'requirements'
  | 'token'
  | 'recipient'
  | 'value'
  | 'valid-after'
  | 'valid-before'
  | 'signature'
  | 'undeployed-wallet'
  | 'funds'
  | 'nonce-used'
  | 'simulation'
  | 'gas'
  | 'reverted'
  | 'duplicate'
  | 'max-per-caller'
  | 'settle-error'

/** A token that takes signed transfers, and what their signatures are bound to (EIP-712). */
export type GaslessToken = {
  readonly asset: string
  readonly contract: string
  readonly name: string
  readonly version: string
}

/** What carries signed payments to one network, and pays the gas for them (N-43). */
export type Relayer = {
  readonly network: string
  /** The relayer's own address, which pays the gas. */
  readonly address: string
  /** Keyed by asset code. */
  readonly tokens: ReadonlyMap<string, GaslessToken>
  /**
   * What carrying out one payment costs now, in millionths of a US dollar: a usual one, or one that takes `gas`.
   * Undefined while the cost is unknown, or the relayer cannot pay it.
   */
  cost(gas?: bigint): bigint | undefined
  /** The relayer's balance for gas, in smallest units of the network's own coin, as it was last seen. */
  balance(): bigint | undefined
  /** The address that signed it, without asking the chain; undefined when it is no signature of one key. */
  signerOf(authorization: Authorization): string | undefined
  /** Asks the chain whether it could be carried out now. Rejects when the chain does not answer. */
  check(authorization: Authorization): Promise<AuthorizationCheck>
  /** The newest transaction in which it was sent, as far as this process knows. */
  sentIn(authorizationId: string): string | undefined
}

/** `balance` is the payer's, in the token's smallest unit. */
export type AuthorizationCheck = { readonly fault: AuthorizationFault } | PassedCheck

type PassedCheck = {
  readonly fault?: undefined
  readonly balance: bigint
  /** Set when the payer has code, which checks the signature by its own rules. */
  readonly contract?: PayerCode
}

/** The payer's code: keccak256 of it, and the gas that the payment took when it was tried. */
export type PayerCode = { readonly hash: string; readonly gas: bigint }
