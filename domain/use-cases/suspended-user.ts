import { suspendedText } from '../account/owner-keys.ts'
import { refuse } from '../kernel/refusal.ts'
import type { UseCaseContext } from './context.ts'

/** What an operator keeps a user from: signing in, paying, and being played for. What comes in for them is kept. */

type Context = Pick<UseCaseContext, 'ledger'>

/** Why an operator has suspended a user; undefined for everybody else. */
export const suspensionOf = async ({ ledger }: Context, sub: string): Promise<string | undefined> => {
  const user = await ledger.user.read(sub)
  return user.status === 'none' ? undefined : user.suspended?.reason
}

/**
 * Refuses `account-suspended` for a user from whom nothing is taken. The reason is for the user, and not for an app.
 */
export const mustPay = async (context: Context, sub: string): Promise<void> => {
  if ((await suspensionOf(context, sub)) !== undefined)
    refuse('account-suspended', 'This user is suspended: nothing is taken from them. Try again once they can sign in.')
}

/** Refuses `account-suspended` with the reason, for somebody who has proven who they are. */
export const mustSignIn = async (context: Context, sub: string): Promise<void> => {
  const reason = await suspensionOf(context, sub)
  if (reason !== undefined) refuse('account-suspended', suspendedText(reason))
}
