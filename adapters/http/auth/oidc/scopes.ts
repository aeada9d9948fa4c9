/**
 * What an app may ask for. `balance` is what the documents call a balance-scoped consent, and name nowhere (Q-14,
 * N-51).
 */
export const SCOPES = ['openid', 'email', 'profile', 'balance'] as const
export type Scope = (typeof SCOPES)[number]

/**
 * The scopes of a request that exist, once each and in our own order; others are dropped (A-OID-05). A text that is no
 * list of scopes has none.
 */
export const knownScopes = (scope: string): readonly Scope[] => {
  const asked = new Set(LIST.test(scope) ? scope.split(' ') : [])
  return SCOPES.filter((each) => asked.has(each))
}

/** RFC 6749 §3.3: words of printable ASCII without quotes and backslashes, one space between them. */
const LIST = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/

/** What each scope lets an app do, in words for people that follow "it can". */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  openid: 'recognise you when you come back; it gets a number that stands for you and says nothing else of you',
  email: 'see your email address, and whether you have confirmed it',
  profile: 'see your name, your user name, your picture and your language, as far as you have given them',
  balance:
    'see your balance, add to it, and ask you for payments and standing orders. Nothing is paid until you confirm the amount or the limits yourself, on a page of ours',
}
