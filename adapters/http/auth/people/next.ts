/**
 * The page to which a browser is led once somebody has signed in: always a page of ours (RFC 9700 §4.11, open
 * redirectors).
 */

const NEXT_MAX_CHARACTERS = 4_096
const FIRST = '/account'

/** A path with its query, on our own origin; `first` for everything else. */
export const safeNext = (next: string | undefined, origin: string, first = FIRST): string => {
  if (next === undefined || next.length > NEXT_MAX_CHARACTERS || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next)) return first
  const url = URL.parse(next, origin)
  return url?.origin === origin ? url.pathname + url.search : first
}

/** The address of a page that comes back to `next` afterwards. */
export const leadingTo = (path: string, next: string): string =>
  next === FIRST ? path : `${path}?next=${encodeURIComponent(next)}`
