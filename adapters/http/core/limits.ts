import { LimitReached } from '../../../domain/kernel/refusals/limits.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Limit } from '../../postgres/sign-in/limits.ts'
import type { SignInRows } from '../../postgres/sign-in/rows.ts'

/**
 * How often people may try things, and what costs others something. Nobody is locked out: a count for the account alone
 * never keeps out a right password from an unknown device, and a browser in which the user has signed in before counts
 * for itself.
 */
const LIMITS = {
  /** Passwords for one account from one address. */
  'login-account': { times: 10, inSeconds: 60 },
  /** Wrong passwords from one address; a right one is given back, so that an office behind one address can sign in. */
  'login-address': { times: 60, inSeconds: 3_600 },
  /** Passwords in a browser that the account has been used in. */
  'login-device': { times: 10, inSeconds: 60 },
  'sign-up': { times: 10, inSeconds: 3_600 },
  /** Letters that one address of a caller causes; those to one mailbox are counted by the user's own stream. */
  mail: { times: 10, inSeconds: 3_600 },
  /** Codes of one session, or of one sign-in that waits for its second factor. */
  code: { times: 5, inSeconds: 60 },
  /** Codes for one account, of all who know its password; passkeys and known devices are not counted. */
  'code-account': { times: 60, inSeconds: 3_600 },
  /** Passwords of a seller's account that are typed for one mailed link. */
  'verify-email': { times: 10, inSeconds: 3_600 },
  /** Passwords of a seller's account that are typed for one letter about the owner key. */
  'recover-key': { times: 10, inSeconds: 3_600 },
  /** Wrong passwords for a new owner key, for each account and network; a right one is given back. */
  'owner-password': { times: 10, inSeconds: 3_600 },
  /** Confirmations of one user. */
  confirm: { times: 10, inSeconds: 60 },
  /** Letters with one receipt, those that one network causes, and those with receipts to one address. */
  receipt: { times: 3, inSeconds: 86_400 },
  'receipt-network': { times: 10, inSeconds: 86_400 },
  'receipt-address': { times: 5, inSeconds: 86_400 },
  /** Test deliveries of one account: a receiver of a stranger is not to be called for fun. */
  'webhook-test': { times: 30, inSeconds: 300 },
  /** Test deliveries that one store's token may ask for: everybody may hold it, and each calls the merchant. */
  'connection-test': { times: 10, inSeconds: 3_600 },
  /** Checkouts that one address may open at one store by its token (N-70). Another address is not slowed by it. */
  checkout: { times: 120, inSeconds: 60 },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof LIMITS
export type LimitContext = {
  readonly flow: Pick<UseCaseContext, 'world' | 'vault'>
  readonly signIn: Pick<SignInRows, 'limits'>
}

/** Takes a try. Refuses `rate-limited` with the time until there is one. */
export const limit = async (
  { flow, signIn }: LimitContext,
  what: LimitName,
  ...key: readonly string[]
): Promise<void> => {
  const wait = await signIn.limits.take(keyOf(flow, what, key), LIMITS[what], flow.world.now())
  if (wait !== undefined) throw new LimitReached(`people.${what}`, wait, `Please wait ${wait} seconds.`)
}

/** Gives a try back, because it was a good one. */
export const giveBack = async (
  { flow, signIn }: LimitContext,
  what: LimitName,
  ...key: readonly string[]
): Promise<void> => await signIn.limits.giveBack(keyOf(flow, what, key), LIMITS[what])

const keyOf = ({ vault }: LimitContext['flow'], what: LimitName, key: readonly string[]): string =>
  vault.fingerprint('limit', [what, ...key].join('|'))
