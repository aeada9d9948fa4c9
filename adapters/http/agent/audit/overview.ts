import { z } from 'zod'
import { endpoint } from '../../core/endpoint.ts'
import { auditPage } from '../../pages/audit/page.ts'
import { reads } from './fields.ts'

/** The auditor's start: the page, and the call that says whose ledger a key opens. */

const page = endpoint({
  method: 'get',
  path: '/audit',
  summary: 'The auditor’s page',
  auth: 'none',
  page: 'always',
  ignores: 'query',
  waits: 'after',
  returns: z.string(),
  produces: 'text/html',
  answer: async () => auditPage(),
})

const Auditor = z
  .object({
    account_id: z.string(),
    key_id: z.string(),
    stores: z.array(z.int()).nullable().describe('The stores that the key is limited to; null when it is not.'),
  })
  .meta({ id: 'Auditor' })

const whose = endpoint({
  ...reads,
  reach: 'store',
  path: '/v1/audit',
  summary: 'Whose ledger this key may audit',
  waits: 'after',
  returns: Auditor,
  answer: async ({ actor: { accountId, keyId, storeScope } }) => ({
    account_id: accountId,
    key_id: keyId,
    stores: storeScope ? [...storeScope] : null,
  }),
})

export const overviewEndpoints = [page, whose]
