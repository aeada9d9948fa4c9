/**
 * Cookies of the sign-in service and of payment pages: for its own host alone, out of reach of scripts, and sent along
 * from elsewhere only by a plain link.
 */

/** The value of a cookie in a `Cookie` header; undefined when it is missing, or stands there twice. */
export const cookieOf = (header: string | undefined, name: string): string | undefined => {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=')
    return pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : []
  })
  return values.length === 1 ? values[0] : undefined
}

/** A cookie's full name: over https the browser itself keeps it from other hosts and plain http (`__Host-`). */
export const cookieName = (name: string, origin: string): string =>
  origin.startsWith('https:') ? `__Host-${name}` : name

/** A `Set-Cookie` header. Without `maxAgeS` it lives as long as the browser; with 0 it is taken away. */
export const setCookie = (name: string, value: string, origin: string, maxAgeS?: number): string =>
  [
    `${cookieName(name, origin)}=${value}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Lax',
    ...(origin.startsWith('https:') ? ['Secure'] : []),
    ...(maxAgeS === undefined ? [] : [`Max-Age=${maxAgeS}`]),
  ].join('; ')
