import { Resolver } from 'node:dns/promises'
import type { Dns } from '../domain/signin/ports.ts'

/** Milliseconds for one name server and one attempt; c-ares lengthens it for the next. */
const TIMEOUT_MS = 1_500
const TRIES_MAX = 2
/** Milliseconds for the whole question, whatever c-ares makes of the two above. */
const TOTAL_MS = 10_000
/** TXT records of a name that are read; further ones are passed over. */
const TEXTS_MAX = 100

/** Asks the machine's name servers, or those given as `address:port`. Their answers are never kept here. */
export const createDns = (servers: readonly string[]): Dns => ({
  async txt(name) {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES_MAX })
    if (servers.length > 0) resolver.setServers(servers)
    const limit = setTimeout(() => resolver.cancel(), TOTAL_MS)
    try {
      const records = await resolver.resolveTxt(name)
      return { status: 'found', texts: records.slice(0, TEXTS_MAX).map((chunks) => chunks.join('')) }
    } catch (error) {
      const { code } = error as { code?: string }
      return ABSENT.has(code ?? '') ? { status: 'absent' } : { status: 'unclear', reason: code ?? 'unknown' }
    } finally {
      clearTimeout(limit)
    }
  },
})

/** Definite answers: there is no such name, or it has no TXT record. All others may be a passing trouble. */
const ABSENT: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA'])
