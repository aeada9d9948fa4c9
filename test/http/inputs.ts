/** What is sent to the write endpoints: for each its fields, and anything at all for the fuzz. */
import type { ExecutionContext } from 'ava'
import fc from 'fast-check'
import { MESSAGE_MAX_BYTES } from '../../adapters/input/short-text.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { anyCharacter } from '../support/any-character.ts'
import { PAY_TO } from '../support/seller.ts'

const TOKEN = { type: 'erc-20', code: 'mine', contract_address: PAY_TO, decimals: 6, name: 'Mine' }

export type Field = { good: object; takes: readonly string[] }

/** For each write: its fields, a body that is good but for this one, and the types that it may be of. */
export const fields: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  'POST /v1/signup': {
    email: { good: { password: 'long enough' }, takes: ['text'] },
    password: { good: { email: 'types@x.test' }, takes: ['text'] },
    primary_wallet: { good: { email: 'types@x.test', password: 'long enough' }, takes: ['text'] },
    agreed_to_terms: { good: { email: 'types@x.test', password: 'long enough' }, takes: ['true'] },
  },
  'POST /v1/agent': { webhook_url: { good: {}, takes: ['text', 'null'] } },
  'POST /v1/webhook': { url: { good: {}, takes: ['text', 'null'] }, rotate_secret: { good: {}, takes: ['true'] } },
  'POST /v1/wallets': {
    asset: { good: { address: PAY_TO }, takes: ['text'] },
    address: { good: { asset: 'eth' }, takes: ['text'] },
  },
  'POST /v1/custom-tokens': Object.fromEntries(
    ['type', 'code', 'contract_address', 'decimals', 'name', 'rate', 'rate_url', 'confirmations', 'img'].map(
      (field) => [
        field,
        { good: { ...TOKEN, [field]: undefined }, takes: ['name', 'img'].includes(field) ? ['text'] : [] },
      ],
    ),
  ),
  'PUT /v1/wallets?asset=eth': { active: { good: {}, takes: ['true'] } },
  'POST /v1/resources': {
    amount: { good: {}, takes: [] },
    currency: { good: { amount: 1 }, takes: ['text'] },
    accepted_assets: { good: { amount: 1 }, takes: [] },
    webhook_url: { good: { amount: 1 }, takes: ['text'] },
    max_per_caller: { good: { amount: 1 }, takes: ['null'] },
    test: { good: { amount: 1 }, takes: ['true'] },
    test_confirmations: { good: { amount: 1 }, takes: [] },
  },
  'PUT /v1/resources?res_id=res_x': { max_per_caller: { good: {}, takes: ['null'] } },
  'PUT /v1/settings': {
    confirmations: { good: {}, takes: ['object'] },
    webhook: { good: {}, takes: ['object'] },
    currency: { good: {}, takes: ['text'] },
    payment: { good: {}, takes: ['object'] },
    notifications: { good: {}, takes: ['object'] },
    branding: { good: {}, takes: ['object'] },
    web3_names: { good: {}, takes: ['object'] },
  },
  'PUT /v1/integrations': { integrations: { good: {}, takes: ['object'] } },
  'POST /v1/discount-codes': {
    code: { good: { multiplier: 0.5 }, takes: ['text'] },
    multiplier: { good: { code: 'mine' }, takes: [] },
  },
  'POST /v1/custom-fields': {
    type: { good: { label: 'Name' }, takes: [] },
    label: { good: { type: 'text' }, takes: ['text'] },
    options: { good: { type: 'text', label: 'Options' }, takes: ['array'] },
    required: { good: { type: 'text', label: 'Needed' }, takes: ['true'] },
  },
  'POST /v1/account-email': { email: { good: {}, takes: ['text'] } },
  'POST /v1/reset-password': { new_password: { good: {}, takes: ['text'] } },
  'POST /v1/challenge': { res_id: { good: {}, takes: ['text'] } },
  'POST /v1/sandbox-keys': {
    kind: { good: {}, takes: [] },
    label: { good: {}, takes: ['text'] },
    ends_at: { good: {}, takes: ['null'] },
    networks: { good: {}, takes: ['null', 'array'] },
  },
  'POST /v1/simulate-payment': {
    challengeId: { good: {}, takes: ['text'] },
    confirmations: { good: { challengeId: 'ch_x.eth' }, takes: [] },
    amount: { good: { challengeId: `ch_${'a'.repeat(26)}.test` }, takes: [] },
  },
  'POST /v1/verify': {
    challengeId: { good: { hash: '0x1' }, takes: ['text'] },
    hash: { good: { challengeId: 'ch_x.eth' }, takes: ['text'] },
  },
}

const names = [
  'email',
  'password',
  'asset',
  'address',
  'amount',
  'currency',
  'url',
  'webhook_url',
  'res_id',
  'hash',
  'active',
  'code',
  'decimals',
  'rate_url',
]
const more = [
  'challengeId',
  'accepted_assets',
  'max_per_caller',
  'test',
  'rotate_secret',
  'transaction_id',
  '__proto__',
]

/** Objects with our field names and any JSON, and now and then anything at all. */
export const bodies = (resId: string): fc.Arbitrary<unknown> => {
  const ours = fc.constantFrom(
    'eth',
    PAY_TO,
    resId,
    'USD',
    'https://hooks.example.com/',
    1,
    0.5,
    -1,
    true,
    null,
    'a@x.test',
  )
  const value = fc.oneof(ours, fc.jsonValue(), fc.string({ unit: anyCharacter }), fc.double())
  const object = fc.dictionary(fc.oneof(fc.constantFrom(...names, ...more), fc.string()), value)
  return fc.oneof({ weight: 5, arbitrary: object }, { weight: 1, arbitrary: fc.jsonValue() })
}

export const formOf = (body: unknown): string =>
  Object.entries((body ?? {}) as object)
    .map(
      ([name, value]) =>
        `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(String(value).toWellFormed())}`,
    )
    .join('&')

/** What is told of input that has to be refused as a whole, in as few words as any message has. */
export const refusalOf = (t: ExecutionContext, act: () => unknown): string => {
  const refusal = t.throws(act, { instanceOf: Refusal })
  t.is(refusal?.code, 'invalid-request')
  const { detail = '' } = refusal ?? {}
  t.true(Buffer.byteLength(detail) <= MESSAGE_MAX_BYTES, `${Buffer.byteLength(detail)} bytes`)
  return detail
}
