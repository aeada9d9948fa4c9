import { decider } from '../kernel/decider.ts'

/**
 * What a user lets an app know and do. It is remembered, and asked again only for more (A-OID-10). The stream is
 * `<sub>:<client id>`.
 */

export type ConsentEvents = {
  /** The scopes are all that the app is allowed from now on. */
  ConsentGranted: { sub: string; clientId: string; scopes: readonly string[] }
  /** The app may do nothing any more, and its tokens are invalid (A-OID-11). */
  ConsentRevoked: { sub: string; clientId: string }
}

export type ConsentCommands = {
  /** Adds to what was allowed before. */
  grant: ConsentEvents['ConsentGranted']
  revoke: ConsentEvents['ConsentRevoked']
}

/** A token from before the newest revocation stays invalid, even when the app was allowed again since. */
type State = { scopes: readonly string[]; revocations: number }

export const consent = decider<ConsentEvents, ConsentCommands, State>({
  category: 'consent',
  stateVersion: 1,
  initial: { scopes: [], revocations: 0 },
  decide: {
    grant: ({ scopes }, { scopes: more, ...who }) => {
      const all = [...new Set([...scopes, ...more])].sort()
      return all.length === scopes.length ? [] : [{ type: 'ConsentGranted', data: { ...who, scopes: all } }]
    },
    revoke: ({ scopes }, data) => (scopes.length === 0 ? [] : [{ type: 'ConsentRevoked', data }]),
  },
  evolve: {
    ConsentGranted: (state, { scopes }) => ({ ...state, scopes }),
    ConsentRevoked: ({ revocations }) => ({ scopes: [], revocations: revocations + 1 }),
  },
})

export const consentId = (sub: string, clientId: string): string => `${sub}:${clientId}`
