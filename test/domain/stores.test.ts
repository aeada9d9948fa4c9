import test from 'ava'
import { type Store, storeOf, stores } from '../../domain/account/stores.ts'
import { type EventsOf, fold } from '../../domain/kernel/decider.ts'
import type { Vault } from '../../domain/kernel/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { signingKey, webhookOf } from '../../domain/use-cases/selling/webhooks/webhook-of.ts'
import { given, NOW } from '../support/given.ts'
import { ledgerOn, newStore } from '../support/ledger.ts'
import { ACCOUNT } from './samples.ts'

type Event = EventsOf<typeof stores>

const URL = 'https://shop.example/hook'
const kept = (n: number | string) => ({ keyId: `k${n}`, keyHash: `h${n}`, hint: `st_…${n}` })
const token = (n: number | string) => ({ token: `v1.${n}`, tokenHash: `t${n}` })
const secret = (n: number | string) => ({ secret: `v1.s${n}`, last4: `last${n}` })
const label = (text: string) => ({ text: `v1.${text}`, print: `print of ${text}` })

const opened: readonly Event[] = [
  { type: 'StoreCreated', data: { storeId: 1, label: null, webhookUrl: null, createdAt: NOW } },
  { type: 'StoreCloudTokenIssued', data: { storeId: 1, ...token(1), replacedHash: null, status: 'active' } },
]
const wish = (n: number, webhookUrl: string | null = null) => ({
  label: null,
  webhookUrl,
  key: kept(n),
  cloudToken: token(n),
  secret: secret(n),
})
const made = (storeId: number, n = storeId, webhookUrl: string | null = null): readonly Event[] => [
  { type: 'StoreCreated', data: { storeId, label: null, webhookUrl, createdAt: NOW } },
  { type: 'StoreKeyIssued', data: { storeId, ...kept(n), replacedKeyId: null, status: 'active' } },
  { type: 'StoreCloudTokenIssued', data: { storeId, ...token(n), replacedHash: null, status: 'active' } },
  { type: 'StoreWebhookSecretMinted', data: { storeId, ...secret(n) } },
]
const deleted = (storeId: number): Event => ({
  type: 'StoreDeleted',
  data: { storeId, keyId: `k${storeId}`, tokenHash: `t${storeId}` },
})
const inactive: Event = {
  type: 'StoreStatusSet',
  data: { storeId: 2, keyId: 'k2', tokenHash: 't2', status: 'inactive' },
}

test('Q-48 the default store comes once, under the token that the account was given', (t) => {
  given(t, stores)
    .when('openDefault', token(1))
    .yields(...opened)
  given(t, stores, ...opened)
    .when('openDefault', token(1))
    .yieldsNothing()
  given(t, stores, ...opened)
    .when('openDefault', token('other'))
    .yieldsNothing()
})

test('S-STO-02 a store begins with its three credentials, and one command makes one store', (t) => {
  given(t, stores, ...opened)
    .when('create', wish(2))
    .yields(...made(2))
  given(t, stores, ...opened, ...made(2))
    .when('create', wish(2))
    .yieldsNothing()
  // Also before the default store is there.
  given(t, stores)
    .when('create', wish(2))
    .yields(...made(2))
})

test('S-STO-06 no number is given twice, whatever was deleted', (t) => {
  given(t, stores, ...opened, ...made(2), deleted(2))
    .when('create', wish(3))
    .yields(...made(3))
  given(t, stores, ...opened, ...made(2), ...made(3), deleted(3), deleted(2))
    .when('create', wish(4))
    .yields(...made(4))
})

test('S-STO-02 a hundred stores are the most that an account has', (t) => {
  const others = Array.from({ length: 99 }, (_, n) => made(n + 2)).flat()
  given(t, stores, ...opened, ...others)
    .when('create', wish(101))
    .isRefused('too-many-stores')
  given(t, stores, ...opened, ...others, deleted(50))
    .when('create', wish(101))
    .yields(...made(101))
})

test('S-STO-05 what is given is changed, and what is the same changes nothing', (t) => {
  const change = { storeId: 2, secret: secret('new') }
  const from = () => given(t, stores, ...opened, ...made(2))
  from()
    .when('change', { ...change, label: label('Tea'), webhookUrl: URL })
    .yields({ type: 'StoreChanged', data: { storeId: 2, label: label('Tea'), webhookUrl: URL } })
  from()
    .when('change', { ...change, status: 'inactive' })
    .yields(inactive)
  from().when('change', change).yieldsNothing()
  from()
    .when('change', { ...change, label: null, webhookUrl: null, status: 'active' })
    .yieldsNothing()
  const named: Event = { type: 'StoreChanged', data: { storeId: 2, label: label('Tea'), webhookUrl: URL } }
  given(t, stores, ...opened, ...made(2), named)
    .when('change', { ...change, label: { ...label('Tea'), text: 'sealed again' } })
    .yieldsNothing()
  given(t, stores, ...opened, ...made(2), named)
    .when('change', { ...change, webhookUrl: null })
    .yields({ type: 'StoreChanged', data: { storeId: 2, label: label('Tea'), webhookUrl: null } })
})

test('S-STO-05 Q-20 the first URL of a store without a secret mints one; the default store stays active', (t) => {
  const change = { storeId: 1, secret: secret('new') }
  given(t, stores, ...opened)
    .when('change', { ...change, webhookUrl: URL })
    .yields(
      { type: 'StoreChanged', data: { storeId: 1, label: null, webhookUrl: URL } },
      { type: 'StoreWebhookSecretMinted', data: { storeId: 1, ...secret('new') } },
    )
  given(t, stores, ...opened)
    .when('change', { ...change, status: 'inactive' })
    .isRefused('state-forbids')
})

test('S-STO-03 each credential is replaced by itself, says what it replaced, and one of an inactive store does not work', (t) => {
  const before = [...opened, ...made(2)]
  given(t, stores, ...before)
    .when('rotateKey', { storeId: 2, key: kept('new') })
    .yields({
      type: 'StoreKeyIssued',
      data: { storeId: 2, ...kept('new'), replacedKeyId: 'k2', status: 'active' },
    })
  given(t, stores, ...before, inactive)
    .when('rotateCloudToken', { storeId: 2, ...token('new') })
    .yields({
      type: 'StoreCloudTokenIssued',
      data: { storeId: 2, ...token('new'), replacedHash: 't2', status: 'inactive' },
    })
  given(t, stores, ...before)
    .when('rotateSecret', { storeId: 2, ...secret('new') })
    .yields({ type: 'StoreWebhookSecretMinted', data: { storeId: 2, ...secret('new') } })
  given(t, stores, ...before)
    .when('rotateKey', { storeId: 2, key: kept(2) })
    .yieldsNothing()
  given(t, stores, ...before)
    .when('rotateCloudToken', { storeId: 2, ...token(2) })
    .yieldsNothing()
  given(t, stores, ...before)
    .when('rotateSecret', { storeId: 2, ...secret(2) })
    .yieldsNothing()
})

test('S-STO-06 a store is deleted with the names of what stops; the default one never, and what is gone is not found', (t) => {
  const before = [...opened, ...made(2)]
  given(t, stores, ...before)
    .when('delete', { storeId: 2 })
    .yields(deleted(2))
  given(t, stores, ...before)
    .when('delete', { storeId: 1 })
    .isRefused('state-forbids')
  const gone = () => given(t, stores, ...before, deleted(2))
  gone().when('delete', { storeId: 2 }).isRefused('store-not-found')
  gone()
    .when('change', { storeId: 2, status: 'active', secret: secret('new') })
    .isRefused('store-not-found')
  gone()
    .when('rotateKey', { storeId: 2, key: kept('new') })
    .isRefused('store-not-found')
  gone()
    .when('rotateCloudToken', { storeId: 2, ...token('new') })
    .isRefused('store-not-found')
  gone()
    .when('rotateSecret', { storeId: 2, ...secret('new') })
    .isRefused('store-not-found')
  t.throws(() => storeOf(fold(stores, [...before, deleted(2)]), 2), { instanceOf: Refusal })
  const left: Store = storeOf(fold(stores, before), 2)
  t.like(left, { keyId: 'k2', keyHint: 'st_…2', status: 'active', secret: secret(2) })
})

test('W-URL-02 Q-01 first the own URL, then the store’s, then the agent’s for what is a resource, then the account’s', async (t) => {
  const ledger = ledgerOn(newStore(t))
  const plain = { accountId: ACCOUNT, webhookUrl: null, edits: {}, externalReference: '', test: false }
  const sold = { ...plain, externalReference: 'res_1.ch_1.eth' }
  const place = async (told: Parameters<typeof webhookOf>[1]) => webhookOf(ledger, told)
  t.deepEqual(await place(plain), { slot: 'account', url: undefined })
  for (const slot of ['account', 'agent'] as const)
    await ledger.webhook.setUrl(ACCOUNT, { slot, url: `https://${slot}.example/`, ...secret(slot) })
  await ledger.stores.openDefault(ACCOUNT, token(1))
  await ledger.stores.create(ACCOUNT, wish(2, URL))
  t.deepEqual(await place(plain), { slot: 'account', url: 'https://account.example/' })
  t.deepEqual(await place(sold), { slot: 'agent', url: 'https://agent.example/' })
  t.deepEqual(await place({ ...sold, storeId: 2 }), { slot: 'store', url: URL, storeId: 2 })
  t.deepEqual(await place({ ...plain, storeId: 2 }), { slot: 'store', url: URL, storeId: 2 })
  t.deepEqual(await place({ ...sold, storeId: 2, webhookUrl: 'https://own.example/' }), {
    slot: 'transaction',
    url: 'https://own.example/',
  })
  await ledger.stores.change(ACCOUNT, { storeId: 1, webhookUrl: 'https://first.example/', secret: secret(1) })
  t.deepEqual(await place(plain), { slot: 'store', url: 'https://first.example/', storeId: 1 })
  await ledger.stores.delete(ACCOUNT, { storeId: 2 })
  t.deepEqual(await place({ ...plain, storeId: 2 }), { slot: 'account', url: 'https://account.example/' })
})

test('W-SIG-01 S-STO-03 a store’s delivery is signed with its own newest secret, and with the account’s once the store is gone', async (t) => {
  const ledger = ledgerOn(newStore(t))
  const vault = { open: async (sealed: string) => `opened ${sealed}` } as Vault
  const keyOf = (slot: 'store' | 'account') => signingKey({ ledger, vault }, { accountId: ACCOUNT, slot, storeId: 2 })
  t.is(await keyOf('store'), undefined)
  await ledger.webhook.setUrl(ACCOUNT, { slot: 'account', url: URL, ...secret('account') })
  await ledger.stores.create(ACCOUNT, wish(2, URL))
  t.is(await keyOf('store'), 'opened v1.s2')
  t.is(await keyOf('account'), 'opened v1.saccount')
  await ledger.stores.rotateSecret(ACCOUNT, { storeId: 2, ...secret('new') })
  t.is(await keyOf('store'), 'opened v1.snew')
  await ledger.stores.delete(ACCOUNT, { storeId: 2 })
  t.is(await keyOf('store'), 'opened v1.saccount')
})
