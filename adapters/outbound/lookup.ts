/** Turns host names into addresses. */
import { Resolver, lookup as systemLookup } from 'node:dns/promises'

/** Every address (A and AAAA) of a host name. Rejects, or answers none, when the name is not known. */
export type Lookup = (hostname: string) => Promise<readonly string[]>

/** Milliseconds for one name server and one attempt; c-ares lengthens it for the next. */
const DNS_TIMEOUT_MS = 1_500
const DNS_TRIES_MAX = 2

/**
 * Asks name servers directly: those of the machine, or `servers` (`address:port`). The system's own lookup would wait
 * in the thread pool that hashes passwords and reads files, where a few names with silent name servers would hold up
 * everything else.
 */
export const nameServerLookup =
  (servers?: readonly string[]): Lookup =>
  async (hostname) => {
    // A resolver for each name follows a machine that changes its network.
    const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES_MAX })
    if (servers) resolver.setServers(servers)
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length === 0) throw answers.find((answer) => answer.status === 'rejected')?.reason
    return found
  }

/**
 * Asks the machine itself for the addresses of a name, hosts file included: only for targets that the operator named.
 */
export const machineLookup: Lookup = async (hostname) =>
  (await systemLookup(hostname, { all: true })).map((answer) => answer.address)
