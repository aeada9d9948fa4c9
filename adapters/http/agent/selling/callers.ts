import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { mayUse } from '../../core/actor.ts'
import { endpoint } from '../../core/endpoint.ts'
import { fiatNumber } from '../common/amounts.ts'
import { page } from '../common/paging.ts'

/** The caller ledger of a resource: who has paid for it, how often and how much (J-RES-11). */

const Caller = z
  .object({ caller: z.string(), spend: z.number(), payments: z.int() })
  .meta({ id: 'Caller', description: 'A payer by its address; `spend` is in the currency of the resource.' })

const callers = endpoint({
  method: 'get',
  path: '/v1/resources',
  when: { res_id: true, callers: '1' },
  summary: 'Who has paid for a resource: whoever paid last comes first',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'resources.view', sandbox: 'secret' },
  query: z.object({ res_id: z.string(), callers: z.literal('1'), ...page.query }),
  returns: z.object({ callers: z.array(Caller) }),
  refusals: ['resource-not-found'],
  async answer({ query, actor, queries }) {
    const row = await queries.resource(query.res_id)
    if (!row || !mayUse(actor, row)) return refuse('resource-not-found')
    const { limit, offset } = page.of(query)
    const rows = await queries.callers(row.resId, limit, offset)
    return { callers: rows.map(({ caller, spend, payments }) => ({ caller, spend: fiatNumber(spend), payments })) }
  },
})

export const callerEndpoints = [callers]
