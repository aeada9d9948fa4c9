import type { AuthorizationFault } from '../../domain/gasless/relayer.ts'

/**
 * The words with which a token refuses an authorization: those of Circle's contracts (FiatTokenV2_2) and
 * OpenZeppelin's.
 */
const words: readonly (readonly [RegExp, AuthorizationFault])[] = [
  [/not yet valid/i, 'valid-after'],
  [/expired/i, 'valid-before'],
  [/used or cancell?ed|already used/i, 'nonce-used'],
  [/exceeds balance|insufficient balance|ERC20InsufficientBalance/i, 'funds'],
  [/signature|ECRecover|ECDSA/i, 'signature'],
]

/** The fault that a token's words mean. */
export const faultOf = (reverted: string): AuthorizationFault =>
  words.find(([pattern]) => pattern.test(reverted))?.[1] ?? 'simulation'

/** Faults that may pass while the authorization holds: it is tried again later. */
export const mayPass = (fault: AuthorizationFault): boolean => fault === 'valid-after' || fault === 'simulation'
