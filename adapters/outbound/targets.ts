/**
 * Where a URL leads. A merchant's URL is called again and again, and what the rules say of it never changes while the
 * process runs.
 */
import { type AllowList, hostAndPort, urlFault } from './url-rules.ts'

export type Target = {
  readonly origin: string
  readonly path: string
  /** It is on the allow-list: its addresses may be private. */
  readonly allowed: boolean
}

/** URLs remembered; the one met longest ago makes room. */
const TARGETS_KEPT_MAX = 1_024

/** Answers undefined for a URL that may not be called. */
export const createTargets = (allow: AllowList): ((url: string) => Target | undefined) => {
  const kept = new Map<string, Target>()
  return (url) => {
    const known = kept.get(url)
    if (known) return known
    if (urlFault(url, allow)) return undefined
    const parsed = new URL(url)
    const path = `${parsed.pathname}${parsed.search}`
    const target = { origin: parsed.origin, path, allowed: allow.has(hostAndPort(parsed)) }
    kept.set(url, target)
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size > TARGETS_KEPT_MAX) kept.delete(oldest)
    return target
  }
}
