import type { Context } from 'koa'
import { refuse } from '../../domain/refusal.ts'

/**
 * One Host that can be one, or none in a request of HTTP/1.0 (RFC 9112 §3.2): of two, a proxy in front could have gone
 * by the other. Node takes the first of them and says nothing. Refuses `invalid-request`.
 */
export const mustNameOneHost = (ctx: Context): void => {
  const { rawHeaders } = ctx.req
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'host')
  if (hosts.length > 1) refuse('invalid-request', 'send one Host header')
  const [host = ''] = hosts
  if (host !== '' && (/[/?#@\\]/.test(host) || !URL.canParse(`http://${host}`)))
    refuse('invalid-request', 'the Host header names no host')
}
