/** `openid-client` and `oauth4webapi`, as their READMEs say, and with the one thing more that Daybook asks for. */
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import type { SignInClient } from './sign-in.ts'

const SCOPE = 'openid email'

const byOpenidClient =
  (withState: boolean): SignInClient =>
  ({ issuer, id, secret }, callback) => {
    const configured = openid.discovery(new URL(issuer), id, secret, undefined, {
      execute: [openid.allowInsecureRequests],
    })
    return {
      async begin(kept) {
        const config = await configured
        kept.verifier = openid.randomPKCECodeVerifier()
        const parameters: Record<string, string> = {
          redirect_uri: callback,
          scope: SCOPE,
          code_challenge: await openid.calculatePKCECodeChallenge(kept.verifier),
          code_challenge_method: 'S256',
        }
        // The README leaves `state` out where the provider has PKCE.
        if (withState || !config.serverMetadata().supportsPKCE()) parameters.state = kept.state = openid.randomState()
        return openid.buildAuthorizationUrl(config, parameters).href
      },
      async finish({ verifier, state }, url) {
        const config = await configured
        const tokens = await openid.authorizationCodeGrant(config, url, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          idTokenExpected: true,
        })
        const { sub } = tokens.claims() ?? {}
        const person = await openid.fetchUserInfo(config, tokens.access_token, sub ?? '')
        return { sub: person.sub, email: person.email }
      },
    }
  }

export const openidClient = byOpenidClient(true)
export const openidClientByReadme = byOpenidClient(false)

const INSECURE = { [oauth.allowInsecureRequests]: true }

const byOauth4webapi =
  (withState: boolean): SignInClient =>
  ({ issuer, id, secret }, callback) => {
    const url = new URL(issuer)
    const known = oauth.discoveryRequest(url, INSECURE).then((answer) => oauth.processDiscoveryResponse(url, answer))
    const client: oauth.Client = { client_id: id }
    return {
      async begin(kept) {
        const server = await known
        kept.verifier = oauth.generateRandomCodeVerifier()
        const to = new URL(server.authorization_endpoint ?? '')
        to.searchParams.set('client_id', id)
        to.searchParams.set('redirect_uri', callback)
        to.searchParams.set('response_type', 'code')
        to.searchParams.set('scope', SCOPE)
        to.searchParams.set('code_challenge', await oauth.calculatePKCECodeChallenge(kept.verifier))
        to.searchParams.set('code_challenge_method', 'S256')
        if (withState || !server.code_challenge_methods_supported?.includes('S256')) {
          kept.state = oauth.generateRandomState()
          to.searchParams.set('state', kept.state)
        }
        return to.href
      },
      async finish({ verifier = '', state }, back) {
        const server = await known
        const parameters = oauth.validateAuthResponse(server, client, back, state ?? oauth.expectNoState)
        const answer = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          oauth.ClientSecretPost(secret),
          parameters,
          callback,
          verifier,
          INSECURE,
        )
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, { requireIdToken: true })
        const { sub = '' } = oauth.getValidatedIdTokenClaims(tokens) ?? {}
        const told = await oauth.userInfoRequest(server, client, tokens.access_token, INSECURE)
        const person = await oauth.processUserInfoResponse(server, client, sub, told)
        return { sub: person.sub, email: person.email }
      },
    }
  }

export const oauth4webapi = byOauth4webapi(true)
export const oauth4webapiByReadme = byOauth4webapi(false)
