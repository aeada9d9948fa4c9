import type { Context, Next } from 'koa'

/**
 * Headers of every answer, whatever it is and whoever gives it; what has its own says so. An answer is no page unless
 * it is one: nothing of it is run, framed, guessed at or kept, and no other site may load it into its own.
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

/** A year: a browser that was here once asks over TLS alone. Where there is none, nothing is said of it. */
const ONLY_TLS = { 'Strict-Transport-Security': 'max-age=31536000' }

export const safeHeaders = (base: string) => {
  const headers = base.startsWith('https:') ? { ...SAFE, ...ONLY_TLS } : SAFE
  return (ctx: Pick<Context, 'set'>, next: Next): Promise<unknown> => {
    ctx.set(headers)
    return next()
  }
}
