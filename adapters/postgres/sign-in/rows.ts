import { createTables, type Sql } from '../connect.ts'
import { CHALLENGE_TABLE, challengeRows } from './challenges.ts'
import { DOMAIN_CHECK_TABLES, domainCheckRows } from './domain-checks.ts'
import { ENROLMENT_TABLE, enrolmentRows } from './enrolments.ts'
import { FACTOR_TABLES, factorRows } from './factors.ts'
import { INTERACTION_TABLE, interactionRows } from './interactions.ts'
import { LIMIT_TABLE, limitRows } from './limits.ts'
import { OWNER_KEY_USE_TABLE, ownerKeyUseRows } from './owner-key-uses.ts'
import { SESSION_APP_TABLE, sessionAppRows } from './session-apps.ts'
import { memberSessionRows, SESSION_TABLE, sessionRows } from './sessions.ts'
import { SIGN_IN_TABLE, signInRows } from './sign-ins.ts'
import { TOKEN_TABLES, tokenRows } from './tokens.ts'

/**
 * What the sign-in service keeps beside the log: sessions, codes, tokens and the like. A replay does not bring it back,
 * and nobody misses it for long: people who were signed in sign in again. What has a lasting meaning is an event.
 */
export type SignInRows = Awaited<ReturnType<typeof createSignInRows>>

const TABLES = [
  'create schema if not exists daybook_signin;',
  SESSION_TABLE,
  SESSION_APP_TABLE,
  TOKEN_TABLES,
  INTERACTION_TABLE,
  CHALLENGE_TABLE,
  FACTOR_TABLES,
  LIMIT_TABLE,
  SIGN_IN_TABLE,
  DOMAIN_CHECK_TABLES,
  ENROLMENT_TABLE,
  OWNER_KEY_USE_TABLE,
]

/** One folder of small files: each names its tables and gives its functions, and is listed here. */
export const createSignInRows = async (sql: Sql) => {
  await createTables(sql, TABLES.join('\n'))
  return {
    interactions: interactionRows(sql),
    sessions: sessionRows(sql),
    memberSessions: memberSessionRows(sql),
    sessionApps: sessionAppRows(sql),
    tokens: tokenRows(sql),
    challenges: challengeRows(sql),
    factors: factorRows(sql),
    limits: limitRows(sql),
    signIns: signInRows(sql),
    domainChecks: domainCheckRows(sql),
    enrolments: enrolmentRows(sql),
    ownerKeys: ownerKeyUseRows(sql),
  }
}
