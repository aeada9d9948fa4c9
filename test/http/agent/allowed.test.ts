import test from 'ava'
import { allow } from '../../../adapters/http/actor.ts'
import type { Actor, Endpoint } from '../../../adapters/http/endpoint.ts'
import type { Capability } from '../../../domain/account/capabilities.ts'
import { Refusal } from '../../../domain/refusal.ts'
import { openapiDocument, surfaces } from '../../../src/openapi.ts'

/** What a key that is not the owner's may do, read from the table of endpoints that every call goes through. */

const LIVE = { keyId: '0123456789abcdef', testOnly: false, storeScope: undefined }

/** A key of the same tenant that was given these capabilities. */
const subKey = (...capabilities: Capability[]): Actor => ({
  accountId: 'acc_1',
  kind: 'sub-key',
  ...LIVE,
  can: (capability) => capabilities.includes(capability),
})
const owner: Actor = { accountId: 'acc_1', kind: 'owner', ...LIVE, can: () => true }

const all = surfaces().flatMap(({ name, wire, endpoints }) => endpoints.map((e) => ({ name, wire, e })))
const at = (call: string) => {
  const [method, path] = call.split(' ')
  const found = all.filter(({ name, e }) => name === 'agent' && e.method === method?.toLowerCase() && e.path === path)
  if (found.length === 0) throw new Error(`there is no ${call}`)
  return found
}
const refusal = (actor: Actor, e: Endpoint) => {
  try {
    allow(actor, e)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

test('E-403-01 J-WHK-07 J-WHK-08 J-INT-01 J-INT-02 J-TOK-06 J-GAS-03 J-GAS-04 what changes settings, or shows credentials, needs settings.edit', (t) => {
  const calls = [
    ...['POST /v1/webhook', 'DELETE /v1/webhook', 'POST /v1/agent', 'PUT /v1/settings'],
    ...['GET /v1/integrations', 'PUT /v1/integrations'],
    ...['POST /v1/custom-tokens', 'DELETE /v1/custom-tokens'],
    ...['POST /v1/exact-relay', 'DELETE /v1/exact-relay'],
  ]
  for (const call of calls)
    for (const { e, wire } of at(call)) {
      t.is(e.capability, 'settings.edit', call)
      t.is(refusal(subKey('transactions.view', 'checkouts.edit'), e), 'forbidden', call)
      t.is(refusal(subKey('settings.edit'), e), undefined, call)
      t.is(refusal(owner, e), undefined, call)
      t.deepEqual(wire.forbidden, [403, 'svc_forbidden'])
    }
})

test('E-403-01 X-OWN-01 J-ACC-14 J-ACC-16 the address and the password are the owner’s alone, whatever a key may do', (t) => {
  const admin: Actor = { ...subKey(), can: () => true }
  for (const call of ['POST /v1/account-email', 'POST /v1/reset-password'])
    for (const { e } of at(call)) {
      t.is(refusal(admin, e), 'forbidden', call)
      t.is(refusal(owner, e), undefined, call)
    }
})

test('E-403-01 whatever can be refused so says it in the description of the interface', (t) => {
  const { paths } = openapiDocument() as {
    paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
  }
  for (const { e } of all.filter(({ e }) => e.capability || e.ownerOnly)) {
    const path = e.path.replace(/:(\w+)/g, '{$1}')
    t.truthy(paths[path]?.[e.method]?.responses[403], `${e.method} ${path}`)
  }
})

test('X-OWN-01 X-CAP-01 every call that is made with a key needs a capability, or is the owner’s', (t) => {
  const open = all
    .filter(({ e }) => e.auth === 'key' && !e.capability && !e.ownerOnly)
    .map(({ e }) => `${e.method} ${e.path}`)
  t.deepEqual(open, [])
})
