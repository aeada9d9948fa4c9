import type { Context } from 'koa'
import { refuse } from '../../../domain/kernel/refusal.ts'

/**
 * A request has one valid Host, or none in HTTP/1.0 (RFC 9112 §3.2). When it has two, a proxy in front could have gone
 * by the other one; Node takes the first and says nothing. Refuses `invalid-request`.
 */
export const mustNameOneHost = (ctx: Context): void => {
  const { rawHeaders } = ctx.req
  let [host, hosts] = ['', 0]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    host = rawHeaders[at + 1] as string
    hosts++
  }
  if (hosts > 1) refuse('invalid-request', 'There are several Host headers: send one.')
  if (host !== '' && (/[/?#@\\]/.test(host) || !URL.canParse(`http://${host}`)))
    refuse('invalid-request', 'The Host header has to name a host.')
}
