/** What an app may ask for. `balance` is what the documents call a balance-scoped consent, and name nowhere (Q-14, N-51). */
export const SCOPES = ['openid', 'email', 'profile', 'balance'] as const
export type Scope = (typeof SCOPES)[number]

/** Those of a request that there are, once each and in our own order; others are dropped (A-OID-05). */
export const knownScopes = (scope: string): readonly Scope[] => {
  const asked = new Set(scope.split(' '))
  return SCOPES.filter((each) => asked.has(each))
}
