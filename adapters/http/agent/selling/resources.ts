import { z } from 'zod'
import { endpoint } from '../../core/endpoint.ts'
import { isTest, longPage, search } from '../common/paging.ts'
import { Cap, Created, Listed, NewResource, ResourceChange } from '../common/resource-shape.ts'
import { stockFields } from '../common/stock-shape.ts'
import { changeResource, disableResource, listResources, makeResource, oneResource } from './own-resources.ts'

/** Priced resources (J-RES-01 to J-RES-12). */

const create = endpoint({
  method: 'post',
  path: '/v1/resources',
  summary: 'Price a resource',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'resources.edit', sandbox: 'secret' },
  waits: 'after',
  idempotent: true,
  body: NewResource,
  returns: Created,
  refusals: [
    'unknown-asset',
    'webhook-url-refused',
    'wallet-missing',
    'rate-missing',
    'store-not-found',
    'unavailable',
  ],
  answer: makeResource,
})

const list = endpoint({
  method: 'get',
  path: '/v1/resources',
  summary: 'List active resources, newest first: live ones, or with is_test=1 those for tests',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'resources.view', sandbox: 'publishable' },
  query: z.object({ ...longPage.query, is_test: isTest, search }),
  returns: z.object({ resources: z.array(Listed) }),
  answer: async (request) => ({ resources: await listResources(request, request.query) }),
})

const one = endpoint({
  method: 'get',
  path: '/v1/resources',
  when: { res_id: true },
  summary: 'Read one resource',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'resources.view', sandbox: 'publishable' },
  query: z.object({ res_id: z.string() }),
  returns: Listed,
  refusals: ['resource-not-found'],
  answer: (request) => oneResource(request, request.query.res_id),
})

const change = endpoint({
  method: 'put',
  path: '/v1/resources',
  summary:
    'Set or clear what one payer may spend on a resource, its title, its stock, and whether it is in the public lists',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'resources.edit', sandbox: 'secret' },
  query: z.object({ res_id: z.string() }),
  body: ResourceChange,
  returns: z.object({
    res_id: z.string(),
    max_per_caller: Cap.nullable(),
    title: z.string().optional(),
    listed: z.boolean().optional(),
    stock: stockFields.stock.optional(),
    in_stock: stockFields.in_stock.optional(),
    test: z.literal(true).optional(),
  }),
  refusals: ['resource-not-found', 'state-forbids'],
  answer: (request) => changeResource(request, request.query.res_id, request.body),
})

const disable = endpoint({
  method: 'delete',
  path: '/v1/resources',
  summary: 'Disable a resource; what it sold stays',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'resources.edit', sandbox: 'secret' },
  query: z.object({ res_id: z.string() }),
  returns: z.object({ disabled: z.literal(true), res_id: z.string(), test: z.literal(true).optional() }),
  refusals: ['resource-not-found'],
  answer: (request) => disableResource(request, request.query.res_id),
})

export const resourceEndpoints = [create, one, list, change, disable]
