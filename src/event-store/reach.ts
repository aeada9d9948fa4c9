import { setTimeout as pause } from 'node:timers/promises'
import type { LogPlace } from '../../adapters/store/base/bytes.ts'
import { eventStoreDbPlace } from '../../adapters/store/client/bytes.ts'
import type { StoreLog } from '../../adapters/store/client/connection.ts'
import { mayPass, type StoreTrouble, troubleOf } from '../../adapters/store/client/diagnosis.ts'
import { storeName } from '../settings/belonging.ts'
import { BadSetting } from '../settings/setting-kinds.ts'

/** How often a start that waits for the event store says so. */
const TELL_EVERY_MS = 5_000
const ASK_AGAIN_MS = 500

type Wait = {
  /** The setting or the option that names the server, for people. */
  readonly setting: string
  readonly url: string
  /** Seconds to wait for it; with 0 it is asked once. */
  readonly seconds: number
  /** Called with the reason for the wait, at once and every 5 s. */
  tell?(message: string, facts: { readonly secondsLeft: number }): void
}

/**
 * Opens the server of a URL and resolves once it answers; see `reachStore`. Rejects with BadSetting on a URL that
 * cannot be used, without repeating it: it has a password.
 */
export const openServer = async (
  url: string,
  log: StoreLog,
  { setting = 'EVENTSTORE_URL', ...wait }: Pick<Wait, 'seconds' | 'tell'> & Partial<Pick<Wait, 'setting'>>,
): Promise<LogPlace> => {
  const place = opened(setting, url, log)
  try {
    await reachStore(place, { setting, url, ...wait })
    return place
  } catch (error) {
    await place.close()
    throw error
  }
}

const opened = (setting: string, url: string, log: StoreLog): LogPlace => {
  try {
    return eventStoreDbPlace(url, storeName(url), log)
  } catch (error) {
    // The client's message on a string that it cannot read quotes that string, with the password.
    const { message } = error as Error
    throw new BadSetting(`${setting}: ${message.includes('://') ? 'it is no connection string' : message}`)
  }
}

/**
 * Resolves once the event store answers. Rejects with BadSetting at once when waiting cannot help (certificate,
 * password, rights), with an Error when the time is up. Each message is one sentence that names the setting, the user
 * and what to do, and never the password.
 */
export const reachStore = async (place: LogPlace, { setting, url, seconds, tell }: Wait): Promise<void> => {
  if (!place.ask) return
  const end = performance.now() + seconds * 1_000
  let tellAt = 0
  for (;;) {
    const failure = await place.ask().then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    if (!failure) return
    const trouble = await troubleOf(url, failure.error)
    const sentence = `${setting}: ${wordsOf(trouble, place.name, setting)}`
    if (!mayPass(trouble.kind)) throw new BadSetting(sentence)
    const left = end - performance.now()
    if (left <= 0) throw new Error(`${sentence}${seconds > 0 ? ` (waited ${seconds} s, STARTUP_WAIT_SECONDS)` : ''}`)
    if (performance.now() >= tellAt) {
      tell?.(`waiting for the event store: ${sentence}`, { secondsLeft: Math.round(left / 1_000) })
      tellAt = performance.now() + TELL_EVERY_MS
    }
    await pause(Math.min(ASK_AGAIN_MS, left))
  }
}

const wordsOf = ({ kind, host, code, user }: StoreTrouble, name: string, setting: string): string => {
  const prepare = `daybook eventstore prepare --admin 'esdb://admin:<its password>@${host}'`
  switch (kind) {
    case 'denied':
      return `the user ${user} may not read $all at ${name}, which is the whole log. Give it the right: ${prepare}`
    case 'unauthenticated':
      return `${name} does not know the user ${user}, or knows it by another password. Correct the URL${
        setting === 'EVENTSTORE_URL' ? `, or have a user made: ${prepare}` : ''
      }`
    case 'certificate':
      return `the certificate of ${host} ${certificateWords(code)}`
    case 'plain':
      return `${host} answers without TLS (${code}). Turn TLS on there; only for a server that runs with --insecure, add tls=false to the URL`
    case 'closed':
      return `nobody listens at ${host} (${code}), for ${name}. Start the server, or correct the address`
    case 'unnamed':
      return `no host is known by the name in ${host} (${code}), for ${name}. Correct the name, or make it known`
    case 'silent':
      return `${host} does not answer (${code}), for ${name}. Look whether the server runs, and whether a firewall is between`
    case 'unready':
      return [
        `${host} takes connections but does not serve as EventStoreDB (${code}), for ${name}.`,
        'It may be starting or electing a leader; a server with TLS needs a URL without tls=false',
      ].join(' ')
  }
}

const certificateWords = (code: string): string => {
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `is not valid at this time (${code}). Renew it on the server, or set the clock right`
  if (/ALTNAME|HOSTNAME/.test(code))
    return `is made out to another name (${code}). Use a name that it carries in the URL, or make a new certificate`
  return `is signed by an authority that is not trusted here (${code}). Name its file: add tlsCAFile=/path/ca.crt to the URL, after ? or &`
}
