import type { TestApp } from './app.ts'
import { type Page, type Person, person } from './people.ts'
import { activeSeller } from './seller.ts'

/** Members before a browser, without one. */

/** The password that `signUp` of ./seller.ts gives. */
export const PASSWORD = 'correct horse'

/** Signs in to the dashboard, with a code where one is asked for. @returns the last answer */
export const memberSignIn = async (
  who: Person,
  { email, password = PASSWORD, code, next }: { email: string; password?: string; code?: () => string; next?: string },
): Promise<Page> => {
  const path = next === undefined ? '/dashboard/sign-in' : `/dashboard/sign-in?next=${encodeURIComponent(next)}`
  const first = await who.send('/dashboard/sign-in', { email, password }, path)
  if (first.location !== '/dashboard/sign-in/confirm' || code === undefined) return first
  return await who.send('/dashboard/sign-in/confirm', { code: code() })
}

/** An active seller whose owner is signed in to the dashboard. */
export const signedInMember = async (app: TestApp) => {
  const { key, email } = await activeSeller(app)
  const who = person(app)
  const answer = await memberSignIn(who, { email })
  if (answer.location !== '/dashboard') throw new Error(`the sign-in answered ${answer.status}: ${answer.text}`)
  return { key, email, who }
}
