import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { cookieName, cookieOf, setCookie } from '../../core/cookies.ts'

/**
 * The browser in which somebody has signed in before. It carries a mark that only we can make, so that guesses made
 * elsewhere, or by others behind the same address, do not slow its owner down.
 */

const COOKIES = { auth: 'device', base: 'member-device' } as const
const DAYS = 365

type DeviceContext = Pick<UseCaseContext, 'vault' | 'world' | 'origins'>

/** The name of this browser, if the user has signed in with it before. */
export const deviceOf = (
  { vault, origins }: DeviceContext,
  cookies: string | undefined,
  sub: string,
  at: keyof typeof COOKIES = 'auth',
): string | undefined => {
  const [name = '', mac] = (cookieOf(cookies, cookieName(COOKIES[at], origins[at])) ?? '').split('.')
  return name !== '' && mac === vault.fingerprint('device', `${name}|${sub}`) ? name : undefined
}

/** The cookie that marks a browser; members' are told apart from users'. */
export const markDevice = (
  { vault, world, origins }: DeviceContext,
  sub: string,
  at: keyof typeof COOKIES = 'auth',
): string => {
  const name = world.secret(16)
  return setCookie(COOKIES[at], `${name}.${vault.fingerprint('device', `${name}|${sub}`)}`, origins[at], DAYS * 86_400)
}

/** What a browser calls itself, in a few words for its owner's list. */
export const deviceName = (userAgent: string | undefined): string => {
  const text = userAgent ?? ''
  const browser = BROWSERS.find(([pattern]) => pattern.test(text))?.[1] ?? 'A browser'
  const system = SYSTEMS.find(([pattern]) => pattern.test(text))?.[1]
  return system === undefined ? browser : `${browser} on ${system}`
}

/** Browsers in the order of the search: most call themselves by the names of others too. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]
