import type { PersonCaller } from '../../core/caller.ts'
import type { AuthorizeRequest } from './authorize-request.ts'

/**
 * What comes of an authorization request that is in order: a code, a page for the user, or one of the four errors that
 * go back to the app (A-OID-05 to A-OID-10, E-AUT-01 to E-AUT-04).
 */

type RedirectError = 'login_required' | 'consent_required' | 'access_denied' | 'invalid_scope'
export type AuthorizeDecision = 'code' | 'sign-in' | 'consent' | RedirectError

/** What the rules look at. */
export type Situation = {
  readonly asked: AuthorizeRequest
  readonly person: PersonCaller | undefined
  /** What the user has allowed the app before. */
  readonly allowed: readonly string[]
  readonly now: Date
  /**
   * Time at which this very request was first seen, if the user was led away for it: a proof of who they are is fresh
   * from then on.
   */
  readonly begun: string | undefined
  /** The user has just said yes to it. */
  readonly agreed: boolean
}

/** The first rule that has something to say decides; when none has, there is a code. */
export const decide = (situation: Situation): AuthorizeDecision => {
  const found = rules.map((rule) => rule(situation)).find((outcome) => outcome !== undefined) ?? 'code'
  return situation.asked.prompts.has('none') ? (silent[found] ?? found) : found
}

/** With prompt=none nobody is shown anything: what would need a page is an error (A-OID-06). */
const silent: { readonly [outcome in AuthorizeDecision]?: RedirectError } = {
  'sign-in': 'login_required',
  consent: 'consent_required',
}

type Rule = (situation: Situation) => AuthorizeDecision | undefined

/** Scopes that do not exist are dropped; without `openid` nothing is left to answer (A-OID-05, Q-17). */
const scopeLeft: Rule = ({ asked }) => (asked.scopes.includes('openid') ? undefined : 'invalid_scope')

const signedIn: Rule = ({ person }) => (person ? undefined : 'sign-in')

/**
 * The app expects another user. The person may sign in as that user; if they have signed in as somebody else, the app
 * is told.
 */
const sameUser: Rule = (situation) => {
  const { asked, person } = situation
  if (asked.expected === undefined || asked.expected === person?.sub) return undefined
  return isFresh(situation) ? 'login_required' : 'sign-in'
}

/** prompt=login asks for proof again, and max_age=0 says the same (A-OID-07). */
const provenAgain: Rule = (situation) => {
  const { prompts, maxAge } = situation.asked
  return (prompts.has('login') || maxAge === 0) && !isFresh(situation) ? 'sign-in' : undefined
}

/** max_age asks for proof again when the last one is too old (A-OID-08). */
const youngEnough: Rule = (situation) => {
  const { asked, person, now } = situation
  if (asked.maxAge === undefined || isFresh(situation)) return undefined
  const ageMs = now.getTime() - Date.parse(person?.authTime ?? '')
  return ageMs <= asked.maxAge * 1_000 ? undefined : 'sign-in'
}

/** prompt=consent asks again, whatever was allowed before (A-OID-07). */
const agreedAgain: Rule = ({ asked, agreed }) => (asked.prompts.has('consent') && !agreed ? 'consent' : undefined)

/** What was allowed is remembered; the operator's own apps need not ask (A-OID-10). */
const allowedAll: Rule = ({ asked, allowed, agreed }) => {
  const known = agreed || asked.app.firstParty || asked.scopes.every((scope) => allowed.includes(scope))
  return known ? undefined : 'consent'
}

const rules: readonly Rule[] = [scopeLeft, signedIn, sameUser, provenAgain, youngEnough, agreedAgain, allowedAll]

/** The user has proven who they are since the request came. */
const isFresh = ({ person, begun }: Situation): boolean =>
  person !== undefined && begun !== undefined && person.authTime >= begun
