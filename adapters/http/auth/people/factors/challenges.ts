import type { UseCaseContext } from '../../../../../domain/use-cases/context.ts'
import type { FactorChallenge } from '../../../../postgres/sign-in/challenges.ts'
import type { SignInRows } from '../../../../postgres/sign-in/rows.ts'

export type FactorContext = { readonly flow: UseCaseContext; readonly signIn: SignInRows }

/**
 * Minutes for which an answer is waited for. A page for signing in may stand open for a while before somebody looks at
 * it.
 */
const MINUTES = 5
const VISITOR_MINUTES = 30

/** Asks for one proof. The answer is 256 bits in base64url: a form carries it, and a passkey signs it. */
export const ask = async ({ flow: { world }, signIn }: FactorContext, asked: FactorChallenge): Promise<string> => {
  const challenge = Buffer.from(world.secret(32), 'hex').toString('base64url')
  const minutes = asked.holder === '' ? VISITOR_MINUTES : MINUTES
  const expiresAt = new Date(world.now().getTime() + minutes * 60_000)
  await signIn.challenges.ask(world.digest(challenge), asked, expiresAt)
  return challenge
}

/** Whether this was asked of this holder and for this purpose, and is answered for the first time. */
export const isAnswered = async (
  { flow: { world }, signIn }: FactorContext,
  challenge: string,
  asked: FactorChallenge,
): Promise<boolean> => await signIn.challenges.take(world.digest(challenge), asked, world.now())
