import { proofRecord } from '../../../domain/signin/domain-proof.ts'
import { checkDomain, claimDomain } from '../../../domain/use-cases/signin/check-domain.ts'
import type { Books } from '../../books/books.ts'
import { type Operator, openOperator } from '../../books/operator-use-cases.ts'
import { CommandFailure } from '../../console/failures.ts'
import { columns, type Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { appOf } from './show.ts'

type Wish = { id: string; act?: string | undefined; domain?: string | undefined }

/** Shows an app's domains, adds one, looks for its record now, or lets it go. False when the record is not there. */
export const domains = async (
  books: Books,
  config: Config,
  out: Output,
  { id, act, domain }: Wish,
): Promise<boolean> => {
  if (act !== undefined && !ACTS.includes(act)) throw new BadSetting(`${act} is none of ${ACTS.join(', ')}`)
  if (act !== undefined && domain === undefined) throw new BadSetting(`which domain to ${act} is needed`)
  const { flow } = await openOperator(books, config)
  const name = domain?.toLowerCase() ?? ''
  if (act === 'add') await claimDomain(flow, id, name)
  if (act === 'release') await flow.ledger.clientApp.releaseDomain(id, { domain: name })
  const proven = act === 'verify' ? await verify(flow, id, name) : true
  const told = Object.entries((await appOf(flow, id)).domains).map(([each, { status, token }]) => ({
    domain: each,
    status,
    record: { type: 'TXT', ...proofRecord(each, token) },
  }))
  const rows = told.map(({ domain: each, status, record }) => [each, status, record.name, record.value])
  await out.tell(told, columns([['Domain', 'Status', 'TXT record', 'Value'], ...rows]))
  return proven
}

const ACTS: readonly string[] = ['add', 'verify', 'release']

const verify = async (flow: Operator['flow'], id: string, domain: string): Promise<boolean> => {
  const { found, reason } = await checkDomain(flow, id, domain)
  if (found === 'unclear') throw new CommandFailure(`the name servers gave no answer (${reason}): nothing has changed`)
  return found === 'proof'
}
