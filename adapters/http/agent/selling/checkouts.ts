import { z } from 'zod'
import { endpoint } from '../../core/endpoint.ts'
import {
  CheckoutEdit,
  CheckoutName,
  CheckoutRecord,
  NewCheckout,
  UNPAYABLE,
  Version,
} from '../common/checkout-shape.ts'
import { isTest, longPage, search } from '../common/paging.ts'
import { importEndpoints } from './import.ts'
import { changeCheckout, createCheckout, deleteCheckout, listCheckouts, oneCheckout } from './own-checkouts.ts'
import { stockEndpoints } from './stock.ts'

/** Saved payment links (S-CHK-01 to S-CHK-06). */

const One = z.object({ checkout: CheckoutRecord })
const named = z.object({ checkout_id: CheckoutName })

const list = endpoint({
  method: 'get',
  path: '/v1/checkouts',
  summary: 'Saved payment links, newest first: live ones, or with is_test=1 those for tests',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'checkouts.view', sandbox: 'publishable' },
  query: z.object({ ...longPage.query, is_test: isTest, search }),
  returns: z.object({ checkouts: z.array(CheckoutRecord) }),
  answer: async (request) => ({ checkouts: await listCheckouts(request, request.query) }),
})

const one = endpoint({
  method: 'get',
  path: '/v1/checkouts',
  when: { checkout_id: true },
  summary: 'One saved payment link, by its number or its slug',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'checkouts.view', sandbox: 'publishable' },
  query: named,
  returns: One,
  refusals: ['checkout-not-found'],
  answer: async (request) => ({ checkout: await oneCheckout(request, request.query.checkout_id) }),
})

const create = endpoint({
  method: 'post',
  path: '/v1/checkouts',
  summary: 'Save a payment link',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'checkouts.edit', sandbox: 'secret' },
  idempotent: true,
  body: NewCheckout,
  returns: One,
  refusals: [...UNPAYABLE, 'store-not-found', 'too-many-checkouts'],
  answer: async (request) => ({ checkout: await createCheckout(request, request.body) }),
})

const change = endpoint({
  method: 'put',
  path: '/v1/checkouts',
  summary: 'Change a saved payment link; a version that is not the newest is refused',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'checkouts.edit', sandbox: 'secret' },
  query: named,
  body: CheckoutEdit.extend({ version: Version }),
  returns: One,
  refusals: ['checkout-not-found', 'version-conflict', ...UNPAYABLE, 'store-not-found'],
  async answer(request) {
    const { version, ...edit } = request.body
    return { checkout: await changeCheckout(request, request.query.checkout_id, edit, version) }
  },
})

const remove = endpoint({
  method: 'delete',
  path: '/v1/checkouts',
  summary: 'Delete a saved payment link; what it sold stays',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'checkouts.edit', sandbox: 'secret' },
  query: named,
  returns: z.object({ deleted: z.literal(true), id: z.int() }),
  refusals: ['checkout-not-found'],
  answer: (request) => deleteCheckout(request, request.query.checkout_id),
})

export const checkoutEndpoints = [list, one, create, change, remove, ...stockEndpoints, ...importEndpoints]
