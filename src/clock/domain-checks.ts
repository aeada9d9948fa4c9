import type { SignInRows } from '../../adapters/postgres/sign-in/rows.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { checkDomain } from '../../domain/use-cases/signin/check-domain.ts'
import type { Queries } from '../../projections/index.ts'
import type { JobParts } from './timed-job.ts'

/** Milliseconds from one round to the next (L-AUT-12). */
const ROUND_EVERY_MS = 86_400_000
/** Number of domains that are read at once, and that are looked at at once. */
const PAGE = 500
const AT_ONCE_MAX = 8
/** Milliseconds after which the operator is told of silent name servers, which change nothing. */
const WARN_AFTER_MS = 3 * 86_400_000

type Parts = {
  queries: Pick<Queries, 'provenDomains'>
  signIn: Pick<SignInRows, 'domainChecks'>
  log: JobParts['log']
}
type DomainCheckContext = Pick<UseCaseContext, 'ledger' | 'world' | 'dns'>

/**
 * Looks daily whether the domains of apps are still proven (A-CLI-04): a round over all of them when a day has passed
 * since the last. One that breaks off is begun anew.
 */
export const recheckDomains = async (flow: DomainCheckContext, parts: Parts, signal: AbortSignal): Promise<void> => {
  const { domainChecks } = parts.signIn
  const last = await domainChecks.lastRound()
  if (last && flow.world.now().getTime() - last.getTime() < ROUND_EVERY_MS) return
  let after = { clientId: '', domain: '' }
  for (;;) {
    const page = await parts.queries.provenDomains(after, PAGE)
    for (let at = 0; at < page.length && !signal.aborted; at += AT_ONCE_MAX)
      await Promise.all(page.slice(at, at + AT_ONCE_MAX).map((each) => recheck(flow, parts, each)))
    if (signal.aborted) return
    const end = page.at(-1)
    if (!end || page.length < PAGE) break
    after = end
  }
  await domainChecks.endRound(flow.world.now())
}

const recheck = async (
  flow: DomainCheckContext,
  { signIn: { domainChecks }, log }: Parts,
  { clientId, domain }: { clientId: string; domain: string },
): Promise<void> => {
  const checked = await checkDomain(flow, clientId, domain).catch((error: unknown) => {
    // It was released, or its app disabled, since the row was read.
    if (error instanceof Refusal) return undefined
    throw error
  })
  if (checked?.found !== 'unclear') return await domainChecks.endTrouble(clientId, domain)
  const since = await domainChecks.noteTrouble(clientId, domain, flow.world.now())
  const silent = flow.world.now().getTime() - since.getTime()
  if (silent >= WARN_AFTER_MS)
    log.warn({ clientId, domain, since, reason: checked.reason }, 'name servers of a domain have not answered for days')
}
