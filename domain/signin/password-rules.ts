/**
 * The rules for passwords: a password has to be long enough, and not one that everybody would try first (NIST SP
 * 800-63B §3.1.1).
 */

const LENGTH = { min: 8, max: 256 } as const
const BRAND = 'daybook'

/**
 * Common passwords, compared without case, spaces and digits at the end. Any that is shorter than eight characters as
 * it is typed is refused anyway.
 */
const COMMON: ReadonlySet<string> = new Set([
  'password',
  'passwort',
  'passw0rd',
  'p@ssw0rd',
  'p@ssword',
  'letmein',
  'letmeinnow',
  'welcome',
  'changeme',
  'trustno',
  'iloveyou',
  'sunshine',
  'princess',
  'football',
  'baseball',
  'superman',
  'starwars',
  'whatever',
  'computer',
  'internet',
  'qwertyui',
  'qwertyuiop',
  'qwertzui',
  'qwertzuiop',
  'asdfghjk',
  'asdfghjkl',
  'zxcvbnm',
  'qwerty',
  'qazwsxedc',
  '1qaz2wsx',
  '1q2w3e4r',
  '1q2w3e4r5t',
  'abcdefgh',
  'abcd',
  'abc',
  'dragon',
  'monkey',
  'master',
  'michael',
  'jennifer',
  'administrator',
  'admin',
  'login',
  'secret',
  'access',
  'hello',
  'freedom',
  'shadow',
  'killer',
  'charlie',
  'liverpool',
  'chocolate',
  '',
])

/** What is wrong with a password that somebody wants, in words for them; undefined when nothing is. */
export const passwordFault = (password: string, email: string): string | undefined => {
  const text = password.normalize('NFKC')
  const length = [...text].length
  if (length < LENGTH.min) return `Use at least ${LENGTH.min} characters.`
  if (length > LENGTH.max) return `Use at most ${LENGTH.max} characters.`
  const plain = text.toLowerCase()
  const address = email.normalize('NFKC').toLowerCase()
  const local = address.split('@')[0] ?? ''
  const core = plain.replaceAll(/\s/g, '').replace(/[\d!?.]+$/, '')
  if (plain === address || core === local || plain === local) return 'Do not use your email address.'
  if (core === BRAND || core === BRAND.repeat(2)) return 'Do not use our name.'
  if (COMMON.has(core) || COMMON.has(plain) || isOneCharacter(core))
    return 'This password is one of the first that anybody would try. Choose another one.'
  return undefined
}

const isOneCharacter = (text: string): boolean => new Set(text).size < 2
