import type { Context, Next } from 'koa'

/**
 * Headers of every answer, unless it sets its own. They take an answer for no page: nothing in it is run, framed,
 * guessed at or kept, and no other site may load it into its own.
 */
export const SAFE = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
} as const

/** A browser that was here once comes over TLS alone for a year. Where there is no TLS, this header is not sent. */
const ONLY_TLS = { 'Strict-Transport-Security': 'max-age=31536000' }

export const safeHeaders = (base: string) => {
  const headers = base.startsWith('https:') ? { ...SAFE, ...ONLY_TLS } : SAFE
  return (ctx: Pick<Context, 'set'>, next: Next): Promise<unknown> => {
    ctx.set(headers)
    return next()
  }
}
