import { Secret, TOTP } from 'otpauth'
import type { TestApp } from './app.ts'
import type { Clock } from './balance-calls.ts'
import { letterTo, type Page, type Person, person } from './people.ts'
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

const ENROL = '/dashboard/security/enrol'
/** Longer than a code is good, in milliseconds. */
const NEXT_CODE_MS = 31_000

/**
 * A member who has added an authenticator app by the pages. `clock` is how far the clock of the service is ahead: each
 * code counts once, so that it goes on to the next one.
 */
export const enrolledMember = async (app: TestApp, clock: Clock) => {
  const member = await signedInMember(app)
  const { who, email } = member
  await who.send(ENROL, { act: 'prove', password: PASSWORD })
  const mailed = /^[a-z2-7]{4}-[a-z2-7]{4}$/m.exec(await letterTo(app, email, 'Your code'))?.[0] ?? ''
  await who.send(ENROL, { act: 'code', code: mailed })
  const text = /<code>([A-Z2-7 ]+)<\/code>/.exec((await who.open(ENROL)).text)?.[1] ?? ''
  const totp = new TOTP({ secret: Secret.fromBase32(text.replaceAll(' ', '')) })
  const code = () => {
    clock.shiftMs += NEXT_CODE_MS
    return totp.generate({ timestamp: Date.now() + clock.shiftMs })
  }
  const added = await who.send(ENROL, { act: 'totp', code: code() })
  const recovery = [...added.text.matchAll(/<code>([a-z2-7-]{19})<\/code>/g)].map(([, each = '']) => each)
  return { ...member, code, recovery }
}
