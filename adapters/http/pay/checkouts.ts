import { z } from 'zod'
import {
  CheckoutEdit,
  CheckoutName,
  CheckoutRecord,
  NewCheckout,
  UNPAYABLE,
  Version,
} from '../agent/common/checkout-shape.ts'
import { isTest, longPage } from '../agent/common/paging.ts'
import {
  changeCheckout,
  createCheckout,
  deleteCheckout,
  listCheckouts,
  oneCheckout,
} from '../agent/selling/own-checkouts.ts'
import { consoleFunction } from './console-function.ts'
import { jsonField } from './fields.ts'

/**
 * Saved payment links on the console: the same ones as at /v1/checkouts, under the same rules (M-CHK-01 to M-CHK-03).
 */

const One = z.object({ checkout: CheckoutRecord })
const named = { checkout_id: CheckoutName }

const create = consoleFunction('save-checkout', {
  summary: 'Save a payment link',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'checkouts.edit', sandbox: 'secret' },
  body: z.object({ checkout: jsonField(NewCheckout) }),
  returns: One,
  refusals: [...UNPAYABLE, 'store-not-found', 'too-many-checkouts'],
  answer: async (request) => ({ checkout: await createCheckout(request, request.body.checkout) }),
})

const change = consoleFunction('save-checkout', {
  when: { checkout_id: true },
  summary: 'Change a saved payment link; a version in it is checked, without one the newest is changed',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'checkouts.edit', sandbox: 'secret' },
  body: z.object({ ...named, checkout: jsonField(CheckoutEdit.extend({ version: Version.optional() })) }),
  returns: One,
  refusals: ['checkout-not-found', 'version-conflict', ...UNPAYABLE, 'store-not-found'],
  async answer(request) {
    const { version, ...edit } = request.body.checkout
    return { checkout: await changeCheckout(request, request.body.checkout_id, edit, version) }
  },
})

const list = consoleFunction('get-checkouts', {
  summary: 'Saved payment links, newest first: live ones, or with is_test=1 those for tests',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'checkouts.view', sandbox: 'secret' },
  body: z.object({ ...longPage.query, is_test: isTest }),
  returns: z.object({ checkouts: z.array(CheckoutRecord) }),
  answer: async (request) => ({ checkouts: await listCheckouts(request, request.body) }),
})

const one = consoleFunction('get-checkouts', {
  when: { checkout_id: true },
  summary: 'One saved payment link, by its number or its slug',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'checkouts.view', sandbox: 'secret' },
  body: z.object(named),
  returns: One,
  refusals: ['checkout-not-found'],
  answer: async (request) => ({ checkout: await oneCheckout(request, request.body.checkout_id) }),
})

const remove = consoleFunction('delete-checkout', {
  summary: 'Delete a saved payment link; what it sold stays',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'checkouts.edit', sandbox: 'secret' },
  body: z.object(named),
  returns: z.object({ deleted: z.literal(true), id: z.int() }),
  refusals: ['checkout-not-found'],
  answer: (request) => deleteCheckout(request, request.body.checkout_id),
})

export const checkoutFunctions = [...create, ...change, ...list, ...one, ...remove]
