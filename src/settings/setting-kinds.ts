import { isIP } from 'node:net'
import { z } from 'zod'
import { parseAllowList } from '../../adapters/outbound/url-rules.ts'
import { type RelayLimits, type RelayScope, relayScopes } from '../../domain/gasless/relay-budget.ts'
import { FIAT_DECIMALS, toUnits } from '../../domain/kernel/money.ts'

/** Kinds of settings: each reads one value of the environment, or says in one line what is wrong with it. */

/** Settings that cannot be used; the message is what to print, a line for each, and the exit code is 2. */
export class BadSetting extends Error {
  override readonly name = 'BadSetting'
}

/** The value of one setting is not what it takes; how to correct it is said where all faults are told. */
export class BadValue extends BadSetting {}

/** `burst` calls at once, `perSecond` in the long run. */
export type RateConfig = { perSecond: number; burst: number }

export const portOf = (name: string, value: string): number => {
  const result = z.coerce.number().int().min(0).max(65_535).safeParse(value)
  if (!/^\d+$/.test(value) || !result.success) throw new BadValue(`${name} is not a port from 0 to 65535: ${value}`)
  return result.data
}

export const rateOf = (prefix: string, value: ValueOf): RateConfig => {
  const [perSecond, burst] = [`${prefix}_PER_SECOND`, `${prefix}_BURST`]
  return { perSecond: wholeOf(perSecond, value(perSecond)), burst: wholeOf(burst, value(burst)) }
}

type ValueOf = (name: string) => string

/** A number of times in a minute, all of them at once if need be. */
export const perMinuteOf = (name: string, value: ValueOf): RateConfig => {
  const times = wholeOf(name, value(name))
  return { perSecond: times / 60, burst: times }
}

/** A number in an hour, all of it at once if need be. */
export const perHourOf = (name: string, value: ValueOf): RateConfig => {
  const count = wholeOf(name, value(name))
  return { perSecond: count / 3_600, burst: count }
}

const wholeOf = (name: string, value: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new BadValue(`${name} is not a whole number from 1 to 999999999: ${value}`)
  return Number(value)
}

export const originOf = (name: string, value: string): string => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.pathname !== '/' || url.search || url.hash)
    throw new BadValue(`${name} is not an http(s) origin without a path: ${value}`)
  return url.origin
}

/** An origin that secrets are sent to: it needs TLS, unless it is this machine itself. */
export const processorUrlOf = (name: string, value: string): string => {
  const origin = originOf(name, value)
  if (!/^https:|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(origin))
    throw new BadValue(`${name} is not an https origin: ${value}`)
  return origin
}

/** A URL. Its refusal says the name of the setting and never the value, which may carry a password. */
export const urlOf = (name: string, value: string | undefined, schemes: readonly string[]): string | undefined => {
  if (value === undefined) return undefined
  if (!schemes.some((scheme) => value.startsWith(scheme)) || !URL.canParse(withOneHost(value)))
    throw new BadValue(
      `${name} is not a URL that starts with ${schemes.map(beginningOf).join(' or ')} (${unshown(value)})`,
    )
  return value
}

const beginningOf = (scheme: string) => (scheme === 'unix:' ? 'unix:/' : `${scheme}//`)

/** What may be told of a value that may hold a secret. */
const unshown = (value: string): string => {
  const [scheme] = /^[a-z][a-z0-9+.-]{0,15}:\/\//i.exec(value) ?? []
  return `it ${scheme ? `starts with ${scheme} and ` : ''}has ${value.length} characters`
}

/** A cluster may be named by its nodes, `esdb://a:2113,b:2113`, which is no URL to the letter. */
const withOneHost = (value: string) => value.replace(/(?<=^esdb:\/\/[^/?,]*),[^/?]*/, '')

export const listenOf = (value: string): string => {
  if (!/^(127\.0\.0\.1|localhost|\[::1\]):\d{1,5}$/.test(value) && !value.startsWith('unix:/'))
    throw new BadValue(`EVENTSTORE_LISTEN is not a loopback host:port or unix:/path: ${value}`)
  return value
}

/** Name servers by their addresses, separated by commas; an IPv6 address stands in brackets where a port follows. */
export const serversOf = (name: string, value: string | undefined): readonly string[] =>
  (value?.split(',') ?? []).map((item) => {
    const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^[\]:]+))(?::(\d{1,5}))?$/.exec(item.trim()) ?? []
    const address = bracketed ?? plain ?? item.trim()
    if (!isIP(address) || Number(port ?? 53) > 65_535)
      throw new BadValue(`${name} is not a list of address[:port]: ${item.trim()}`)
    return item.trim()
  })

/** The address of one of this machine's networks, not of all of them. */
export const addressOf = (name: string, value: string): string => {
  if (!isIP(value) || /^[0:.]+$/.test(value))
    throw new BadValue(`${name} is not an IP address at which others can reach this machine: ${value}`)
  return value
}

export const keyOf = (name: string, value: string | undefined): Buffer | undefined => {
  if (value === undefined) return undefined
  if (!/^[0-9a-f]{64}$/i.test(value))
    throw new BadValue(`${name} is not 32 bytes in hex, which are 64 characters (${unshown(value)})`)
  return Buffer.from(value, 'hex')
}

/** A private key, with or without 0x. One above the order of the curve is found when it is first used: at the start. */
export const privateKeyOf = (name: string, value: string | undefined): `0x${string}` | undefined => {
  if (value === undefined) return undefined
  const digits = /^(?:0x)?([0-9a-f]{64})$/i.exec(value)?.[1]
  if (!digits || /^0+$/.test(digits))
    throw new BadValue(`${name} is not a private key of 32 bytes in hex, which are 64 characters (${unshown(value)})`)
  return `0x${digits.toLowerCase()}`
}

export const allowList = (value: string | undefined): ReadonlySet<string> =>
  value === undefined ? new Set() : worded(() => parseAllowList(value))

/** Turns what the reader of a setting throws into a bad setting, in the same words. */
export const worded = <T>(read: () => T): T => {
  try {
    return read()
  } catch (error) {
    throw new BadValue((error as Error).message)
  }
}

/**
 * `eth=0x…,usdc=0x…`: an address may be a list, separated by `+`. Addresses are checked where their forms are known.
 */
export const walletsOf = (name: string, value: string | undefined): ReadonlyMap<string, string> =>
  new Map(
    (value?.split(',') ?? []).map((item) => {
      const [, asset, address] = /^\s*([a-z0-9_]+)=(\S+)\s*$/.exec(item) ?? []
      if (!asset || !address) throw new BadValue(`${name} is not a list of asset=address: ${item.trim()}`)
      return [asset, address]
    }),
  )

/**
 * The losses that relayers may have in an hour, in US dollars, by kind of budget; a kind that is not named keeps its
 * default.
 */
export const relayLimitsOf = (name: string, value: string | undefined): RelayLimits => {
  const limits: Record<RelayScope, bigint> = { ...RELAY_LIMITS }
  for (const item of value?.split(',') ?? []) {
    const [, scope, usd] = /^\s*([a-z]+)=(\d{1,9}(?:\.\d{1,6})?)\s*$/.exec(item) ?? []
    const known = relayScopes.find((each) => each === scope)
    if (!known || usd === undefined)
      throw new BadValue(`${name} is not a list of ${relayScopes.join('|')}=US dollars: ${item.trim()}`)
    limits[known] = toUnits(usd, FIAT_DECIMALS)
  }
  return limits
}

const RELAY_LIMITS: RelayLimits = { network: 10_000_000n, seller: 2_000_000n, payer: 500_000n, code: 2_000_000n }

export const emailOf = (name: string, value: string | undefined): string | undefined => {
  if (value !== undefined && !z.email().safeParse(value).success)
    throw new BadValue(`${name} is not an email address: ${value}`)
  return value
}

export const oneOf = (name: string, value: string, allowed: readonly string[]): string => {
  if (!allowed.includes(value)) throw new BadValue(`${name} is not one of ${allowed.join(', ')}: ${value}`)
  return value
}

/** A whole number from 0, or from `min`, on. */
export const countOf = (name: string, value: string, max: number, min = 0): number => {
  if (!/^\d{1,9}$/.test(value) || Number(value) > max || Number(value) < min)
    throw new BadValue(`${name} is not a number from ${min} to ${max}: ${value}`)
  return Number(value)
}

/** Whole seconds, up to a day. */
export const secondsOf = (name: string, value: string): number => {
  if (!/^[1-9]\d{0,4}$/.test(value) || Number(value) > 86_400)
    throw new BadValue(`${name} is not a number of seconds from 1 to 86400: ${value}`)
  return Number(value)
}
