import { ownEntry } from '../../kernel/plain-data.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { ClientApp } from '../../signin/client-app.ts'
import { domainFault, proofRecord, type TxtRecord } from '../../signin/domain-proof.ts'
import type { UseCaseContext } from '../context.ts'

/** Domains of apps: how they are claimed, proven, and checked again (A-CLI-02, A-CLI-04). */

export type CheckedDomain = {
  readonly status: ClientApp['domains'][string]['status']
  /** What this look has found. After `unclear` all stays as it was: the name servers did not answer. */
  readonly found: 'proof' | 'no-proof' | 'unclear'
  readonly record: TxtRecord
  /** Why it is unclear. */
  readonly reason?: string
}

type Parts = Pick<UseCaseContext, 'ledger' | 'world' | 'dns'>

/** Adds a domain to an app, and answers the record that proves it. Refuses `invalid-request`, `client-unknown`. */
export const claimDomain = async (
  { ledger, world }: Pick<UseCaseContext, 'ledger' | 'world'>,
  clientId: string,
  domain: string,
): Promise<TxtRecord> => {
  const fault = domainFault(domain)
  if (fault !== undefined) return refuse('invalid-request', `${domain}: ${fault}`)
  const { state } = await ledger.clientApp.claimDomain(clientId, { domain, token: world.secret(16) })
  return state.status === 'none' ? refuse('client-unknown') : recordOf(state, domain)
}

/**
 * Looks for the record and writes down what follows from it. Refuses `client-unknown`, `not-found` for a domain that
 * was not added.
 */
export const checkDomain = async ({ ledger, dns }: Parts, clientId: string, domain: string): Promise<CheckedDomain> => {
  const app = await ledger.clientApp.read(clientId)
  if (app.status !== 'active') return refuse('client-unknown')
  const record = recordOf(app, domain)
  const answer = await dns.txt(record.name)
  if (answer.status === 'unclear')
    return {
      status: ownEntry(app.domains, domain)?.status ?? 'claimed',
      found: 'unclear',
      record,
      reason: answer.reason,
    }
  const isProven = answer.status === 'found' && answer.texts.some((text) => text.trim() === record.value)
  const { state } = isProven
    ? await ledger.clientApp.verifyDomain(clientId, { domain })
    : await ledger.clientApp.lapseDomain(clientId, { domain })
  const status = state.status === 'none' ? 'claimed' : (ownEntry(state.domains, domain)?.status ?? 'claimed')
  return { status, found: isProven ? 'proof' : 'no-proof', record }
}

const recordOf = (app: ClientApp, domain: string): TxtRecord => {
  const entry = ownEntry(app.domains, domain)
  return entry
    ? proofRecord(domain, entry.token)
    : refuse('not-found', `The domain ${domain} was not added to this app. Add it first.`)
}
