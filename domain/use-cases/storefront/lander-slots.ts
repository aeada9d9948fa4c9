import type { UseCaseContext } from '../context.ts'

/**
 * The lander slots of an account, whether they are taken or not: the free ones that everybody has, and those it bought
 * (L-JSN-11).
 */
export const landerSlots = async (
  { ledger, landerFreeSlots }: Pick<UseCaseContext, 'ledger' | 'landerFreeSlots'>,
  accountId: string,
): Promise<number> => landerFreeSlots + (await ledger.creditAccount.read(accountId)).landerSlots
