import type { Context } from 'koa'
import type { Refusal } from '../../../../domain/kernel/refusal.ts'
import type { Endpoint } from '../../core/endpoint.ts'

/**
 * The header that tells a refused app how to prove who it is: RFC 6750 §3 for access tokens, RFC 6749 §5.2 for an app
 * that used Basic.
 */
export const challengeOf = (ctx: Context, { code, detail = '' }: Refusal): Record<string, string> => {
  const e = ctx.state.endpoint as Endpoint | undefined
  const error = BEARER_ERRORS[code]
  if (e?.auth === 'bearer' && error !== undefined) {
    const needed = e.callers?.scope
    const scope = code === 'insufficient-scope' && needed ? [`scope="${needed}"`] : []
    // A caller who sent no token at all made no mistake, so the header names none.
    const why = ctx.state.tokenSent ? [`error="${error}"`, `error_description="${detail}"`, ...scope] : []
    return { 'WWW-Authenticate': `Bearer ${[REALM, ...why].join(', ')}` }
  }
  const usedBasic = /^basic /i.test(ctx.get('authorization'))
  return code === 'client-unknown' && usedBasic ? { 'WWW-Authenticate': `Basic ${REALM}, charset="UTF-8"` } : {}
}

const REALM = 'realm="daybook"'
const BEARER_ERRORS: { readonly [code in Refusal['code']]?: string } = {
  'token-invalid': 'invalid_token',
  'insufficient-scope': 'insufficient_scope',
}
