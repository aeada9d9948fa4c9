import { NO_SUCH_ACCOUNT } from '../../account/account.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'

/** Its owner closes an account for good (N-91). Its events stay, and so do its books. */

/** What is under way for an account: how many payments, refunds and disputes, as the read models have them. */
export type UnderWay = { readonly payments: number; readonly refunds: number; readonly disputes: number }

/** What stands against closing; `owed` are the fees that the credit did not cover, in millionths of a US dollar. */
export type Obstacles<Found extends UnderWay> = Found & { readonly owed: bigint }

/** What has to be settled before the account can be closed. */
export const obstaclesOf = async <Found extends UnderWay>(
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  accountId: string,
  found: Found,
): Promise<Obstacles<Found>> => ({ ...found, owed: (await ledger.creditAccount.read(accountId)).owed })

export const isClear = ({ payments, refunds, disputes, owed }: Obstacles<UnderWay>): boolean =>
  payments === 0 && refunds === 0 && disputes === 0 && owed === 0n

type Closing = { readonly by: string; readonly network: string; readonly obstacles: Obstacles<UnderWay> }

/**
 * Ends every key and session of an account, and sells nothing of it from now on. What a buyer was asked for at this
 * moment is still booked when it comes. Refuses `state-forbids` while something is under way, and `not-found`.
 */
export const closeAccount = async (
  { ledger, vault }: Pick<UseCaseContext, 'ledger' | 'vault'>,
  accountId: string,
  { by, network, obstacles }: Closing,
): Promise<void> => {
  const account = await ledger.account.read(accountId)
  if (account.status === 'none' || account.erased) return refuse('not-found', NO_SUCH_ACCOUNT)
  if (!isClear(obstacles))
    return refuse(
      'state-forbids',
      'Money is under way for this account. Wait until all that the page names is settled, and try again.',
    )
  await ledger.account.close(accountId, { by, network: await vault.seal(accountId, network) })
}
