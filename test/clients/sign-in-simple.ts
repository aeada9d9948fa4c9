/** `simple-oauth2`, which knows nothing of OpenID Connect: the app asks for the person itself. */
import { createHash, randomBytes } from 'node:crypto'
import { AuthorizationCode } from 'simple-oauth2'
import type { SignInClient } from './sign-in.ts'

const text = () => randomBytes(32).toString('base64url')

const bySimpleOauth2 =
  (withPkce: boolean): SignInClient =>
  ({ issuer, id, secret }, callback) => {
    const client = new AuthorizationCode({
      client: { id, secret },
      auth: { tokenHost: issuer, tokenPath: '/oauth2?op=token', authorizePath: '/oauth2?op=authorize' },
    })
    return {
      async begin(kept) {
        kept.state = text()
        kept.verifier = text()
        const code_challenge = createHash('sha256').update(kept.verifier).digest('base64url')
        return client.authorizeURL({
          redirect_uri: callback,
          scope: 'openid email',
          state: kept.state,
          ...(withPkce && { code_challenge, code_challenge_method: 'S256' }),
        } as never)
      },
      async finish({ state, verifier }, url) {
        const { code, error, error_description, ...back } = Object.fromEntries(url.searchParams)
        if (error !== undefined) throw new Error(`${error}: ${error_description}`)
        if (back.state !== state) throw new Error('another state')
        const { token } = await client.getToken({
          code: code ?? '',
          redirect_uri: callback,
          ...(withPkce && { code_verifier: verifier }),
        } as never)
        const headers = { authorization: `Bearer ${String(token.access_token)}` }
        return (await (await fetch(`${issuer}/oauth2?op=userinfo`, { headers })).json()) as object
      },
    }
  }

export const simpleOauth2 = bySimpleOauth2(true)
export const simpleOauth2ByReadme = bySimpleOauth2(false)
