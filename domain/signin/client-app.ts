import { decider, type Of } from '../kernel/decider.ts'
import { ownEntry } from '../kernel/plain-data.ts'
import type { SealedText } from '../kernel/ports.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * An app that lets people sign in and pay (A-CLI-01 to A-CLI-05). Its redirect URIs are alive only under domains that
 * it has proven to be its own, so the domains lie here too. Secrets that are only checked are kept as hashes; the one
 * that signs receipts is sealed.
 */

export type ClientAppEvents = {
  ClientAppRegistered: {
    name: string
    /** The user who registered it; null when the operator did. */
    owner: string | null
    /** A confidential app has a secret; a public one proves itself by PKCE alone. */
    confidential: boolean
    /** The operator's own app: it asks for no consent and may leave out PKCE when it is confidential. */
    firstParty: boolean
    /** An app in development: it may be sent back to its maker's own machine, and never in production. */
    development?: true
  }
  RedirectUrisSet: { uris: readonly string[] }
  PostLogoutUrisSet: { uris: readonly string[] }
  ClientSecretSet: { secretHash: string }
  /** The previous key stays good until `previousUntil` (A-CRP-05). */
  CreditPushKeySet: { keyHash: string; previousUntil: string | null }
  /** The URL that receipts and logout notifications go to; null for none. */
  BackchannelSet: { url: string | null }
  /** The secret that receipts are signed with; null when they are not signed any more. */
  SigningSecretSet: { secret: SealedText | null }
  /** The app says that a domain is its own, and is to prove it by this token in the domain's TXT record. */
  DomainClaimed: { domain: string; token: string }
  DomainVerified: { domain: string }
  /** The record is gone: redirect URIs under it are dead until it is back (A-CLI-04). */
  DomainLapsed: { domain: string }
  DomainReleased: { domain: string }
  ClientAppRenamed: { name: string }
  /** Nobody signs in through the app any more, and it can move no money. */
  ClientAppDisabled: Record<never, never>
}

export type ClientAppCommands = {
  register: ClientAppEvents['ClientAppRegistered'] & {
    redirectUris: readonly string[]
    secretHash: string | null
    creditPushKeyHash: string | null
    backchannelUrl: string | null
    signingSecret: SealedText | null
  }
  /** Sets both lists or one; a list that is not given stays. */
  setUris: { redirectUris?: readonly string[] | undefined; postLogoutUris?: readonly string[] | undefined }
  rotateSecret: { secretHash: string }
  rotateCreditPushKey: { keyHash: string }
  setBackchannel: { url: string | null }
  setSigningSecret: { secret: SealedText | null }
  claimDomain: { domain: string; token: string }
  verifyDomain: { domain: string }
  lapseDomain: { domain: string }
  releaseDomain: { domain: string }
  rename: { name: string }
  disable: Record<never, never>
}

type Domain = { readonly token: string; readonly status: 'claimed' | 'verified' | 'lapsed' }

export type ClientApp = ClientAppEvents['ClientAppRegistered'] & {
  status: 'active' | 'disabled'
  redirectUris: readonly string[]
  postLogoutUris: readonly string[]
  secretHash: string | null
  creditPushKey: { hash: string; previous: { hash: string; until: string } | null } | null
  backchannelUrl: string | null
  signingSecret: SealedText | null
  domains: { readonly [domain: string]: Domain }
}
type State = { status: 'none' } | ClientApp

/** The most entries of each list of URIs, and the most domains, of one app. */
export const URIS_MAX = 20
export const DOMAINS_MAX = 20
/** How long the key before a rotation stays good (L-AUT-07). */
export const PREVIOUS_KEY_MINUTES = 10

export const clientApp = decider<ClientAppEvents, ClientAppCommands, State>({
  category: 'clientApp',
  stateVersion: 1,
  initial: { status: 'none' },
  begins: ['register'],
  decide: {
    register: (state, { redirectUris, secretHash, creditPushKeyHash, backchannelUrl, signingSecret, ...data }) => {
      if (state.status !== 'none') return refuse('id-taken')
      const events: Of<ClientAppEvents>[] = [
        { type: 'ClientAppRegistered', data },
        { type: 'RedirectUrisSet', data: { uris: bounded(redirectUris) } },
      ]
      if (secretHash !== null) events.push({ type: 'ClientSecretSet', data: { secretHash } })
      if (creditPushKeyHash !== null)
        events.push({ type: 'CreditPushKeySet', data: { keyHash: creditPushKeyHash, previousUntil: null } })
      if (backchannelUrl !== null) events.push({ type: 'BackchannelSet', data: { url: backchannelUrl } })
      if (signingSecret !== null) events.push({ type: 'SigningSecretSet', data: { secret: signingSecret } })
      return events
    },
    setUris(state, { redirectUris, postLogoutUris }) {
      const app = active(state)
      const events: Of<ClientAppEvents>[] = []
      if (redirectUris && !same(app.redirectUris, redirectUris))
        events.push({ type: 'RedirectUrisSet', data: { uris: bounded(redirectUris) } })
      if (postLogoutUris && !same(app.postLogoutUris, postLogoutUris))
        events.push({ type: 'PostLogoutUrisSet', data: { uris: bounded(postLogoutUris) } })
      return events
    },
    rotateSecret: (state, data) =>
      active(state).confidential
        ? [{ type: 'ClientSecretSet', data }]
        : refuse('state-forbids', 'a public app has no secret'),
    rotateCreditPushKey: (state, { keyHash }, now) => {
      if (!active(state).confidential) return refuse('state-forbids', 'a public app cannot keep a key')
      const previousUntil = new Date(Date.parse(now) + PREVIOUS_KEY_MINUTES * 60_000).toISOString()
      return [{ type: 'CreditPushKeySet', data: { keyHash, previousUntil } }]
    },
    setBackchannel: (state, { url }) =>
      active(state).backchannelUrl === url ? [] : [{ type: 'BackchannelSet', data: { url } }],
    setSigningSecret: (state, { secret }) =>
      active(state).signingSecret === secret ? [] : [{ type: 'SigningSecretSet', data: { secret } }],
    claimDomain: (state, { domain, token }) => {
      const { domains } = active(state)
      if (ownEntry(domains, domain)) return []
      if (Object.keys(domains).length >= DOMAINS_MAX)
        return refuse('invalid-request', `An app has at most ${DOMAINS_MAX} domains: remove one first.`)
      return [{ type: 'DomainClaimed', data: { domain, token } }]
    },
    verifyDomain: (state, { domain }) =>
      claimed(state, domain).status === 'verified' ? [] : [{ type: 'DomainVerified', data: { domain } }],
    lapseDomain: (state, { domain }) =>
      claimed(state, domain).status === 'verified' ? [{ type: 'DomainLapsed', data: { domain } }] : [],
    releaseDomain: (state, { domain }) =>
      ownEntry(active(state).domains, domain) ? [{ type: 'DomainReleased', data: { domain } }] : [],
    rename: (state, { name }) => (active(state).name === name ? [] : [{ type: 'ClientAppRenamed', data: { name } }]),
    disable: (state) => {
      if (state.status === 'none') return refuse('client-unknown')
      return state.status === 'disabled' ? [] : [{ type: 'ClientAppDisabled', data: {} }]
    },
  },
  evolve: {
    ClientAppRegistered: (_, data) => ({
      ...data,
      status: 'active',
      redirectUris: [],
      postLogoutUris: [],
      domains: {},
      secretHash: null,
      creditPushKey: null,
      backchannelUrl: null,
      signingSecret: null,
    }),
    RedirectUrisSet: (state, { uris }) => changed(state, () => ({ redirectUris: uris })),
    PostLogoutUrisSet: (state, { uris }) => changed(state, () => ({ postLogoutUris: uris })),
    ClientSecretSet: (state, { secretHash }) => changed(state, () => ({ secretHash })),
    CreditPushKeySet: (state, { keyHash: hash, previousUntil: until }) =>
      changed(state, ({ creditPushKey: before }) => ({
        creditPushKey: { hash, previous: before && until !== null ? { hash: before.hash, until } : null },
      })),
    BackchannelSet: (state, { url }) => changed(state, () => ({ backchannelUrl: url })),
    SigningSecretSet: (state, { secret }) => changed(state, () => ({ signingSecret: secret })),
    DomainClaimed: (state, { domain, token }) =>
      changed(state, ({ domains }) => ({ domains: { ...domains, [domain]: { token, status: 'claimed' } } })),
    DomainVerified: (state, { domain }) => withDomain(state, domain, 'verified'),
    DomainLapsed: (state, { domain }) => withDomain(state, domain, 'lapsed'),
    DomainReleased: (state, { domain }) => changed(state, ({ domains: { [domain]: _, ...domains } }) => ({ domains })),
    ClientAppRenamed: (state, { name }) => changed(state, () => ({ name })),
    ClientAppDisabled: (state) => changed(state, () => ({ status: 'disabled' })),
  },
})

const active = (state: State): ClientApp => (state.status === 'active' ? state : refuse('client-unknown'))

const changed = (state: State, fields: (app: ClientApp) => Partial<ClientApp>): State =>
  state.status === 'none' ? state : { ...state, ...fields(state) }

const claimed = (state: State, domain: string): Domain =>
  (state.status === 'none' ? undefined : ownEntry(state.domains, domain)) ??
  refuse('not-found', 'This domain was not added to the app. Add it first.')

const withDomain = (state: State, domain: string, status: Domain['status']): State =>
  changed(state, ({ domains }) => {
    const known = ownEntry(domains, domain)
    return known ? { domains: { ...domains, [domain]: { ...known, status } } } : {}
  })

const bounded = (uris: readonly string[]): readonly string[] =>
  uris.length <= URIS_MAX ? uris : refuse('invalid-request', `redirect_uris: has to have at most ${URIS_MAX} entries`)

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each, i) => each === b[i])
