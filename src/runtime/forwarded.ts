import type { Context } from 'koa'
import type { Logger } from 'pino'

/**
 * Whether callers can be told apart. A call that carries X-Forwarded-For came through a proxy, or says so; while none
 * is trusted, all that come through it count as one network, and a whole shop has the share of one buyer (N-21).
 */
export type ForwardingWatch = {
  /** Proxies in front, one behind the other, whose word of a caller's address is believed. */
  readonly trusted: number
  /** Looks at a call. */
  see(ctx: Context): void
  /** What `/readyz` says of it. */
  report(): { readonly trusted: number; readonly warning: string | null }
}

const WARNING =
  'TRUST_PROXY is 0, but calls carry X-Forwarded-For: all callers behind that proxy count as one network. Set TRUST_PROXY to the number of your proxies.'
const AT_START =
  'TRUST_PROXY is 0, but BASE_URL is https, which a proxy in front has to speak: all callers behind it will count as one network. Set TRUST_PROXY to the number of your proxies.'

/**
 * `trusted` is the number of proxies whose word is believed, `base` the public origin. Warns once at start, and at the
 * first such call.
 */
export const watchForwarding = (trusted: number, base: string, log: Logger): ForwardingWatch => {
  let isSeen = false
  if (trusted === 0 && base.startsWith('https:')) log.warn({ setting: 'TRUST_PROXY' }, AT_START)
  return {
    trusted,
    see: (ctx) => {
      if (isSeen || trusted > 0 || ctx.get('x-forwarded-for') === '') return
      isSeen = true
      log.warn({ setting: 'TRUST_PROXY' }, WARNING)
    },
    report: () => ({ trusted, warning: isSeen ? WARNING : null }),
  }
}
