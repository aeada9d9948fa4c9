import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from '../../adapters/postgres/connect.ts'
import { BadSetting } from './setting-kinds.ts'

/** How often a start that waits for the database says so. */
const TELL_EVERY_MS = 5_000
const ASK_AGAIN_MS = 500

type Wait = {
  readonly url: string
  /** Seconds to wait for it; with 0 it is asked once. */
  readonly seconds: number
  /** Called with the reason for the wait, at once and every 5 s. */
  tell?(message: string, facts: { readonly secondsLeft: number }): void
}

/**
 * Resolves once the PostgreSQL that DATABASE_URL names answers. Rejects with BadSetting at once when waiting cannot
 * help (password, rights, no such database), with an Error when the time is up. Each message is one sentence that names
 * the setting, the server and what to do, and never the password.
 */
export const reachDatabase = async (sql: Sql, { url, seconds, tell }: Wait): Promise<void> => {
  const end = performance.now() + seconds * 1_000
  let tellAt = 0
  for (;;) {
    const failure = await sql`select 1`.then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    if (!failure) return
    const { code, message } = failure.error as { code?: unknown; message?: string }
    const sentence = `DATABASE_URL: ${wordsOf(String(code ?? message), placeOf(url))}`
    if (LASTING.has(String(code))) throw new BadSetting(sentence)
    const left = end - performance.now()
    if (left <= 0) throw new Error(`${sentence}${seconds === 0 ? '' : ` (waited ${seconds} s, STARTUP_WAIT_SECONDS)`}`)
    if (performance.now() >= tellAt) {
      tell?.(`waiting for the database: ${sentence}`, { secondsLeft: Math.round(left / 1_000) })
      tellAt = performance.now() + TELL_EVERY_MS
    }
    await pause(Math.min(ASK_AGAIN_MS, left))
  }
}

/** Codes of what does not pass by itself: a wrong password, a user without the right, a database that is not there. */
const LASTING: ReadonlySet<string> = new Set(['28P01', '28000', '3D000', '42501'])

type Place = { readonly host: string; readonly user: string; readonly database: string }

/** The server as people know it, without the password. */
const placeOf = (text: string): Place => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return {
    host: url?.host || 'its server',
    user: decodeURIComponent(url?.username ?? '') || 'nobody',
    database: decodeURIComponent(url?.pathname.slice(1) ?? '') || 'its database',
  }
}

const wordsOf = (code: string, { host, user, database }: Place): string => {
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return `nobody listens at ${host} (${code}). Start PostgreSQL there, or correct the address`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `no host is known by the name in ${host} (${code}). Correct the name, or make it known`
    case '28P01':
    case '28000':
      return `${host} does not let the user ${user} in (${code}). Correct the user or the password`
    case '3D000':
      return `${host} has no database ${database} (${code}). Create it: createdb ${database}`
    case '42501':
      return `the user ${user} may not use the database ${database} at ${host} (${code}). Make it the owner`
    default:
      return `${host} does not answer as PostgreSQL does (${code}). Look whether it runs, and whether a firewall is between`
  }
}
