import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'

/**
 * A certified provider of others, to hold authorization requests of ours against. It has one app, one user who may be
 * signed in, and who has allowed the app `openid email`.
 */

export const ORACLE_APP = { id: 'app', redirectUri: 'https://app.test/cb' }

export const startOracle = async () => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const jwk = { ...(await exportJWK(privateKey)), kid: 'oracle', alg: 'RS256', use: 'sig' }
  const provider = new Provider(issuer, configuration(jwk))
  const handle = provider.callback()
  server.on('request', async (incoming, outgoing) => {
    // Whoever is led to a page of its interactions with this header signs in there, and agrees.
    if (!incoming.url?.startsWith('/interaction/')) return handle(incoming, outgoing)
    const { prompt, session, params, grantId } = await provider.interactionDetails(incoming, outgoing)
    const accountId = session?.accountId ?? 'ada'
    const grant = grantId ? await provider.Grant.find(grantId) : undefined
    const given = grant ?? new provider.Grant({ accountId, clientId: params.client_id as string })
    given.addOIDCScope('openid email')
    const result = prompt.name === 'login' ? { login: { accountId } } : { consent: { grantId: await given.save() } }
    await provider.interactionFinished(incoming, outgoing, result, { mergeWithLastSubmission: true })
  })
  const idToken = (sub: string) =>
    new SignJWT({ sub })
      .setProtectedHeader({ alg: 'RS256', kid: 'oracle' })
      .setIssuer(issuer)
      .setAudience(ORACLE_APP.id)
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(privateKey)
  return {
    issuer,
    idToken,
    /** Goes through its pages once. @returns the cookies of a browser in which the user is signed in */
    session: (query: URLSearchParams) => signInThere(issuer, query),
    stop: () => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()),
  }
}

const configuration = (jwk: object): Configuration => ({
  clients: [
    {
      client_id: ORACLE_APP.id,
      client_secret: 'secret',
      redirect_uris: [ORACLE_APP.redirectUri],
      response_types: ['code'],
      grant_types: ['authorization_code'],
    },
  ],
  jwks: { keys: [jwk as never] },
  cookies: { keys: ['oracle'] },
  scopes: ['openid', 'email', 'profile', 'balance'],
  claims: { email: ['email'], profile: ['name'] },
  ttl: { Interaction: 3_600, Grant: 3_600, Session: 3_600 },
  pkce: { required: () => false },
  features: {
    devInteractions: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    resourceIndicators: { enabled: false },
  },
  interactions: { url: (_, { prompt, uid }) => `/interaction/${uid}?prompt=${prompt.name}` },
  findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  async loadExistingGrant({ oidc }) {
    const { client, session, provider } = oidc
    if (!client || !session?.accountId) return undefined
    const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
    grant.addOIDCScope('openid email')
    await grant.save()
    return grant
  },
})

const signInThere = async (issuer: string, query: URLSearchParams): Promise<string> => {
  const jar = new Map<string, string>()
  const cookies = () => [...jar].map((pair) => pair.join('=')).join('; ')
  for (let url = `${issuer}/auth?${query}`; url.startsWith(issuer); ) {
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie: cookies() } })
    for (const [, name = '', value = ''] of answer.headers
      .getSetCookie()
      .map((line) => /^([^=]+)=([^;]*)/.exec(line) ?? []))
      if (name.startsWith('_session') || value !== '') jar.set(name, value)
    url = new URL(answer.headers.get('location') ?? '', issuer).href
  }
  return [...jar]
    .filter(([name]) => name.startsWith('_session'))
    .map((pair) => pair.join('='))
    .join('; ')
}
