import test from 'ava'
import { account, mayAskLetter } from '../../domain/account/account.ts'
import { type AddressClaimEvents, addressClaim, claimantOf, lostAt } from '../../domain/account/address-claim.ts'
import { creditAccount } from '../../domain/account/credit-account.ts'
import { assetOfToken } from '../../domain/account/custom-tokens.ts'
import { upgradeFee } from '../../domain/account/members/seats.ts'
import { nameOf, sealedName } from '../../domain/account/named.ts'
import { suspendedText } from '../../domain/account/owner-keys.ts'
import { capabilitiesOf, ROLES, SEAT_PRICES } from '../../domain/account/roles.ts'
import { chainCoinOf, networkOfWallet } from '../../domain/account/wallet.ts'
import { fold } from '../../domain/kernel/decider.ts'
import { LimitReached } from '../../domain/kernel/refusals/limits.ts'
import { given, NOW } from '../support/given.ts'

/** Where the rules of an account have their bounds: coins, turns, letters, seats, names. */

const after = (ms: number) => new Date(Date.parse(NOW) + ms).toISOString()
const claimed = (accountId: string, more: Partial<AddressClaimEvents['AddressClaimed']> = {}) =>
  ({
    type: 'AddressClaimed',
    data: { accountId, how: 'first', from: [], coins: ['eth'], claimedAt: NOW, ...more },
  }) as const
const renewed = (coin: string, renewedAt: string) =>
  ({ type: 'AddressClaimRenewed', data: { accountId: 'a', coin, renewedAt } }) as const

test('a claim that is asked for again is written again after half a minute, and once for a further coin', (t) => {
  const holder = given(t, addressClaim, claimed('a'))
  holder.when('claim', { accountId: 'a', coin: 'eth' }, after(29_999)).yieldsNothing()
  holder.when('claim', { accountId: 'a', coin: 'eth' }, after(30_000)).yields(renewed('eth', after(30_000)))
  holder.when('claim', { accountId: 'a', coin: 'usdc' }, after(1)).yields(renewed('usdc', after(1)))
  const state = fold(addressClaim, [claimed('a'), renewed('usdc', after(1)), renewed('eth', after(2))])
  t.deepEqual(state.holder?.coins, ['usdc', 'eth'])
  t.is(state.holder?.renewedAt, after(2))
  const many = Array.from({ length: 256 }, (_, n) => renewed(`c${n}`, after(n)))
  const coins = fold(addressClaim, [claimed('a'), ...many]).holder?.coins
  t.deepEqual([coins?.length, coins?.[0], coins?.at(-1)], [256, 'c0', 'c255'])
})

test('whoever has an address again has it since the first time, and the last 16 turns are known', (t) => {
  const again = claimed('a', { how: 'proof', claimedAt: after(10), provedAt: after(5) })
  const state = fold(addressClaim, [claimed('a'), again])
  t.deepEqual(state.turns, [{ since: NOW, accountIds: ['a'] }])
  const both = { accountIds: ['a', 'b'], contestedAt: after(20) }
  const shared = fold(addressClaim, [{ type: 'AddressContested', data: both }], state)
  t.is(shared.turns.length, 2)
  t.deepEqual(claimantOf(shared, after(19)), { accountId: 'a' })
  t.deepEqual(claimantOf(shared, after(20)), { contestants: ['a', 'b'] })
  t.is(lostAt(shared, 'a', NOW), undefined)
  t.is(lostAt(shared, 'c', NOW), after(20))
  const turns = Array.from({ length: 17 }, (_, n) => claimed(n % 2 ? 'a' : 'b', { claimedAt: after(n) }))
  const long = fold(addressClaim, turns)
  t.deepEqual([long.turns.length, long.turns[0]?.since], [16, after(1)])
})

test('an address that many accounts shared names the first 32 of them', (t) => {
  const holders = Array.from({ length: 33 }, (_, n) => ({ accountId: `a${n}`, coins: ['eth'] }))
  const accountIds = holders.slice(0, 32).map(({ accountId }) => accountId)
  given(t, addressClaim)
    .when('adopt', { holders })
    .yields({ type: 'AddressContested', data: { accountIds, contestedAt: NOW } })
  given(t, addressClaim).when('adopt', { holders: [] }).yieldsNothing()
  given(t, addressClaim, claimed('a')).when('adopt', { holders }).yieldsNothing()
})

test('J-ACC-13 J-ACC-17 an account asks for five letters in an hour, and is told when the next one goes', (t) => {
  const at = (asked: readonly string[]) => ({ status: 'activated', erased: false, asked }) as never
  const four = [after(0), after(60_000), after(120_000), after(180_000)]
  const now = after(600_000)
  t.notThrows(() => mayAskLetter(at(four), now))
  const refused = t.throws(() => mayAskLetter(at([...four, after(240_000)]), now), { instanceOf: LimitReached })
  t.is(refused?.retryAfterS, 50 * 60)
  t.notThrows(() => mayAskLetter(at([...four, after(240_000)]), after(3_600_001)))
})

test('I-CRD-04 each role has its price, and what it may do grows with it', (t) => {
  const dollars = ROLES.map((role) => Number(SEAT_PRICES[role]) / 1_000_000)
  t.deepEqual(dollars, [1, 2, 3, 4, 5, 8, 10, 15, 20, 5, 5, 5, 10])
  const ladder = ROLES.slice(0, 9).map((role) => new Set(capabilitiesOf(role, [])))
  for (const [n, fewer] of ladder.slice(0, -1).entries()) {
    const more = ladder[n + 1] ?? new Set()
    t.true(fewer.size < more.size && [...fewer].every((slug) => more.has(slug)), ROLES[n])
  }
  t.deepEqual(capabilitiesOf('custom', ['stores.view']), ['stores.view'])
  t.deepEqual(capabilitiesOf('clerk', ['stores.view']), [
    'transactions.view',
    'payment-links.view',
    'payment-links.create',
  ])
  const [accountant, auditor] = [capabilitiesOf('accountant', []), capabilitiesOf('auditor', [])]
  t.deepEqual([accountant.includes('audit.view'), auditor.includes('audit.view')], [false, true])
  t.true([...accountant, ...auditor].every((slug) => slug.endsWith('.view') || slug === 'transactions.export'))
  t.true(accountant.includes('billing.view') && auditor.includes('billing.view'))
})

test('a name that somebody gave is sealed with a hash of its own account, and the empty one is none', async (t) => {
  const vault = {
    seal: async (subject: string, text: string) => `${subject}|${text}`,
    open: async (sealed: string) => (sealed.endsWith('gone') ? undefined : (sealed.split('|')[1] ?? '')),
    fingerprint: (purpose: string, text: string) => `${purpose}#${text}`,
  } as unknown as Parameters<typeof sealedName>[0]
  t.deepEqual(await sealedName(vault, 'acc_1', 'Till'), { text: 'acc_1|Till', print: 'name#acc_1 Till' })
  t.is(await sealedName(vault, 'acc_1', ''), null)
  t.is(await nameOf(vault, null), '')
  t.is(await nameOf(vault, { text: 'acc_1|Till', print: 'p' }), 'Till')
  t.is(await nameOf(vault, { text: 'acc_1|gone', print: 'p' }), '(erased)')
})

test('an account has the address that it changed to, for letters and for its hash', (t) => {
  const signedUp = { email: 'v1.old', emailFingerprint: 'old', passwordHash: 'h', origin: { kind: 'console' } }
  const moved = { email: 'v1.new', emailFingerprint: 'new', former: 'old' }
  const state = fold(account, [
    { type: 'AccountSignedUp', data: signedUp },
    { type: 'EmailChanged', data: moved },
  ])
  t.like(state, { email: 'v1.new', emailFingerprint: 'new', recovery: undefined, passwordHash: 'h' })
})

test('a suspended account reads why in one sentence', (t) => {
  const end = 'Write to whoever runs this service.'
  t.is(suspendedText('Nothing is delivered.'), `This account is suspended: Nothing is delivered. ${end}`)
  t.is(suspendedText('Nothing is delivered'), `This account is suspended: Nothing is delivered. ${end}`)
})

test('a purchase is kept with the digest of its request, where it had one', (t) => {
  const bought = { purchaseId: 'a', qty: 1, amount: '2000000', slots: 5 }
  const purchases = (data: object) => fold(creditAccount, [{ type: 'LanderPackBought', data }]).purchases
  t.deepEqual(purchases(bought), [{ id: 'a' }])
  t.deepEqual(purchases({ ...bought, request: 'r' }), [{ id: 'a', request: 'r' }])
})

test('I-CRD-04 another role costs what it is dearer than the one that is paid for', (t) => {
  const paidFor = (usd: number) => ({ paidFor: String(usd * 1_000_000) }) as Parameters<typeof upgradeFee>[0]
  t.is(upgradeFee(paidFor(1), SEAT_PRICES.teller), 1_000_000n)
  t.is(upgradeFee(paidFor(2), SEAT_PRICES.teller), 0n)
  t.is(upgradeFee(paidFor(5), SEAT_PRICES.clerk), 0n)
})

test('a custom token is a coin of its network, with its own confirmations where it has them', (t) => {
  const token = { type: 'erc-20', code: 'shop', network: 'eth', contract: '0xabc', decimals: 18, name: 'Shop' }
  const rest = { rate: '1', rateUrl: null, img: null }
  const coin = { code: 'shop', name: 'Shop', network: 'eth', decimals: 18, displayDecimals: 6, contract: '0xabc' }
  t.deepEqual(assetOfToken({ ...token, ...rest, confirmations: null }), coin)
  t.deepEqual(assetOfToken({ ...token, ...rest, confirmations: 3 }), { ...coin, confirmations: 3 })
  t.is(assetOfToken({ ...token, ...rest, decimals: 2, confirmations: null }).displayDecimals, 2)
  const wallet = { coin: 'eth:0xabc' }
  t.deepEqual([networkOfWallet('shop', wallet), chainCoinOf('shop', wallet)], ['eth', '0xabc'])
  t.deepEqual(
    [networkOfWallet('usdc_base', { coin: undefined }), chainCoinOf('eth', { coin: undefined })],
    ['base', 'eth'],
  )
  t.is(networkOfWallet('nothing', { coin: undefined }), undefined)
})
