import test from 'ava'
import { privateKeyToAccount } from 'viem/accounts'
import { ownerMemberId } from '../../../domain/account/members/member.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { openOperator } from '../../support/operator.ts'
import { sell, transactionOf } from '../../support/sale.ts'
import { freshAddress, freshBitcoin, ok } from '../../support/seller.ts'

/** The wallets of the dashboard, over real HTTP: each form with right and wrong input. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const WALLETS = '/dashboard/wallets'
const ADDRESS = `${WALLETS}/address`
const walletsOf = async (key: string) => (await ok(app.call('GET', '/v1/wallets?all=1', { key }))).json

test('N-82 J-WAL-06 a member sets the addresses of a coin; a bad one is named beside its field, and stays typed', async (t) => {
  const { who, key } = await signedInMember(app)
  const bad = await who.send(ADDRESS, { asset: 'eth', addresses: '0x123' })
  t.is(bad.status, 422)
  t.regex(bad.text, /id="row-addresses-error"[^>]*>[^<]*is none of eth/i)
  t.regex(bad.text, />0x123<\/textarea>/)
  t.is((await who.send(ADDRESS, { asset: 'eth', addresses: ' ' })).status, 422)
  t.regex((await who.send(ADDRESS, { asset: 'doge', addresses: freshAddress() })).text, /id="row-asset-error"|no asset/)
  t.deepEqual((await walletsOf(key)).wallets, {})
  const [first, second] = [freshAddress(), freshAddress()]
  const saved = await who.send(ADDRESS, { asset: 'eth', addresses: `${first}\n${second}` })
  t.is(saved.location, `${WALLETS}?done=set`)
  t.is((await walletsOf(key)).wallets.eth, `${first},${second}`)
  const page = (await who.open(saved.location)).text
  t.true(page.includes(first) && page.includes(second) && page.includes('The addresses are saved.'))
  t.regex((await who.open(`${ADDRESS}?asset=eth`)).text, new RegExp(`${first}\n${second}</textarea>`))
  t.false((await who.open(ADDRESS)).text.includes('<option value="eth"'), 'who adds a coin changes none that is there')
})

test('N-82 a member pauses, resumes and removes a coin; what is not there is said', async (t) => {
  const { who, key } = await signedInMember(app)
  t.is((await who.send(WALLETS, { act: 'pause', asset: 'eth' })).status, 422)
  await who.send(ADDRESS, { asset: 'eth', addresses: freshAddress() })
  t.is((await who.send(WALLETS, { act: 'pause', asset: 'eth' })).location, `${WALLETS}?done=paused`)
  t.deepEqual((await walletsOf(key)).paused, ['eth'])
  t.is((await who.send(WALLETS, { act: 'resume', asset: 'eth' })).location, `${WALLETS}?done=resumed`)
  t.deepEqual((await walletsOf(key)).paused, [])
  const csrf = /name="csrf" value="([^"]+)"/.exec((await who.open(WALLETS)).text)?.[1] ?? ''
  t.is((await who.post(WALLETS, { act: 'remove', asset: 'eth', csrf })).location, `${WALLETS}?done=removed`)
  t.deepEqual((await walletsOf(key)).wallets, {})
  const gone = await who.post(WALLETS, { act: 'remove', asset: 'eth', csrf })
  t.is(gone.status, 422)
  t.regex(gone.text, /role="alert"/)
})

test('N-82 what is typed is checked without being saved', async (t) => {
  const { who, key } = await signedInMember(app)
  const check = async (typed: string, asset = 'eth') =>
    JSON.parse((await who.open(`${WALLETS}/check?${new URLSearchParams({ asset, typed })}`)).text)
  t.like(await check(freshAddress()), { good: true })
  t.like(await check('0x12'), { good: false })
  t.like(await check(freshAddress(), 'btc'), { good: false })
  t.deepEqual((await walletsOf(key)).wallets, {})
})

test('N-82 a member proves an address by a signature, and takes it from whoever had entered it', async (t) => {
  const [other, { who, key }] = [await signedInMember(app), await signedInMember(app)]
  const own = privateKeyToAccount(`0x${'7'.repeat(63)}${Math.floor(Math.random() * 9 + 1)}`)
  await other.who.send(ADDRESS, { asset: 'eth', addresses: own.address })
  t.is((await who.send(ADDRESS, { asset: 'eth', addresses: own.address })).status, 422)
  const path = `${WALLETS}/proof?${new URLSearchParams({ asset: 'eth', address: own.address })}`
  const text = /name="text"[^>]*>([^<]+)<\/textarea>/.exec((await who.open(path)).text)?.[1] ?? ''
  const fields = { asset: 'eth', address: own.address, text: text.replaceAll('\n', '\r\n') }
  const wrong = await who.send(`${WALLETS}/proof`, { ...fields, signature: '0x12' }, path)
  t.is(wrong.status, 422)
  t.regex(wrong.text, /id="row-signature-error"/)
  const signature = await own.signMessage({ message: text })
  const proven = await who.send(`${WALLETS}/proof`, { ...fields, signature }, path)
  t.is(proven.location, `${WALLETS}?done=proven`, proven.text)
  t.is((await walletsOf(key)).wallets.eth, own.address)
})

test('N-82 a token of the account’s own is added and deleted; each fault stands beside its field', async (t) => {
  const { who, key } = await signedInMember(app)
  const path = `${WALLETS}/tokens`
  const token = {
    type: 'erc-20',
    code: 'tea',
    name: 'Tea',
    contract_address: freshAddress(),
    decimals: '18',
    rate: '2',
  }
  const bad = await who.send(path, { act: 'add', ...token, decimals: 'many', contract_address: 'x' })
  t.is(bad.status, 422)
  t.regex(bad.text, /id="row-decimals-error"/)
  t.regex(bad.text, /name="name"[^>]*value="Tea"/)
  t.is((await who.send(path, { act: 'add', ...token })).location, `${ADDRESS}?asset=tea`)
  t.is((await ok(app.call('GET', '/v1/custom-tokens', { key }))).json.custom_tokens.length, 1)
  t.regex((await who.open(`${ADDRESS}?asset=tea`)).text, /<option value="tea" selected/)
  t.is((await who.send(path, { act: 'remove', code: 'tea' })).location, path)
  t.is((await ok(app.call('GET', '/v1/custom-tokens', { key }))).json.custom_tokens.length, 0)
})

test('N-82 whoever has a second factor proves it before a wallet changes, and before anything is typed', async (t) => {
  const { who, key, email } = await signedInMember(app)
  const address = freshAddress()
  await who.send(ADDRESS, { asset: 'eth', addresses: address })
  const csrf = /name="csrf" value="([^"]+)"/.exec((await who.open(WALLETS)).text)?.[1] ?? ''
  const { ledger, flow, stop } = await openOperator(app)
  const { holder = '' } = await ledger.email.read(flow.vault.fingerprint('email', email))
  await ledger.member.enrolTotp(ownerMemberId(holder), { secret: await flow.vault.seal(holder, '00'.repeat(20)) })
  await stop()
  const forms = [
    [WALLETS, { act: 'pause', asset: 'eth' }],
    [WALLETS, { act: 'resume', asset: 'eth' }],
    [WALLETS, { act: 'remove', asset: 'eth' }],
    [ADDRESS, { asset: 'eth', addresses: freshAddress() }],
    [`${WALLETS}/proof`, { asset: 'eth', address, text: 'x', signature: 'x' }],
    [`${WALLETS}/tokens`, { act: 'remove', code: 'tea' }],
  ] as const
  for (const [path, fields] of forms)
    t.is((await who.post(path, { ...fields, csrf })).location.split('?')[0], '/dashboard/confirm', path)
  for (const path of [`${ADDRESS}?asset=eth`, `${WALLETS}/tokens`])
    t.is((await who.open(path)).location, `/dashboard/confirm?next=${encodeURIComponent(path)}`)
  t.is((await who.open(WALLETS)).status, 200)
  t.deepEqual((await walletsOf(key)).wallets, { eth: address })
})

deepTest('N-82 a test payment of a wallet asks for its coin', async (t) => {
  const { who } = await signedInMember(app)
  for (const [asset, addresses] of [
    ['eth', freshAddress()],
    ['btc', freshBitcoin()],
  ] as const)
    await who.send(ADDRESS, { asset, addresses })
  const { location } = await who.send('/dashboard/first-steps', { act: 'test-sale', asset: 'eth' }, WALLETS)
  t.regex(location, /\.eth$/)
  t.regex((await who.open(location)).text, /class="money">[\d.]+ ETH/)
})

test('N-82 each wallet says what came to it and when, without tests and without what its chain has lost', async (t) => {
  const { who, key } = await signedInMember(app)
  await who.send(ADDRESS, { asset: 'eth', addresses: freshAddress() })
  t.regex((await who.open(WALLETS)).text, /Nothing has come here yet/)
  const { res_id: resId } = (
    await ok(app.call('POST', '/v1/resources', { key, body: { amount: 100, currency: 'USD' } }))
  ).json
  const { offer } = await sell(app, { key, resId })
  await transactionOf(app, key, offer.challengeId, 'C')
  const page = (await who.open(WALLETS)).text
  const amount = offer.amount.replace('.', String.raw`\.`)
  t.regex(page, new RegExp(`Received so far: <strong class="money">${amount} ETH</strong>`))
  t.regex(page, /href="\/dashboard\/payments\?asset=eth">in 1 payment<\/a>,\s+the last on <time/)
})
