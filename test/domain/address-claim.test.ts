import test from 'ava'
import {
  ABANDONED_MS,
  type AddressClaimEvents,
  addressClaim,
  claimantOf,
  isContested,
  isHeldBy,
  lostAt,
} from '../../domain/account/address-claim.ts'
import { fold } from '../../domain/kernel/decider.ts'
import { pauseLostWallets } from '../../domain/reactions/policies/account.ts'
import { onOwnAddresses } from '../../domain/use-cases/account/address-claims.ts'
import { askProof, checkProof, resumeWallet, setWallet } from '../../domain/use-cases/account/set-wallet.ts'
import { openChallenge } from '../../domain/use-cases/selling/challenges/open-challenge.ts'
import { given, NOW } from '../support/given.ts'
import { everything, ledgerOn, newStore, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { chain, codeOf, flow } from './flow-setup.ts'
import { created, PAY_TO, RES_ID } from './samples.ts'

/** Whose a receive address is. */

const time = (minutes: number) => new Date(Date.parse(NOW) + minutes * 60_000).toISOString()
const claimed = (accountId: string, more: Partial<AddressClaimEvents['AddressClaimed']> = {}) =>
  ({
    type: 'AddressClaimed',
    data: { accountId, how: 'first', from: [], coins: ['eth'], claimedAt: NOW, ...more },
  }) as const
const released = (accountId: string, at = NOW) =>
  ({ type: 'AddressReleased', data: { accountId, releasedAt: at } }) as const
const contested = { type: 'AddressContested', data: { accountIds: ['a', 'b'], contestedAt: NOW } } as const

test('the first to set an address has it, another coin is noted, and a stranger is refused', (t) => {
  given(t, addressClaim).when('claim', { accountId: 'a', coin: 'eth' }).yields(claimed('a'))
  given(t, addressClaim, claimed('a')).when('claim', { accountId: 'a', coin: 'eth' }).yieldsNothing()
  const usdc = { type: 'AddressClaimRenewed', data: { accountId: 'a', coin: 'usdc', renewedAt: NOW } } as const
  given(t, addressClaim, claimed('a')).when('claim', { accountId: 'a', coin: 'usdc' }).yields(usdc)
  given(t, addressClaim, claimed('a')).when('claim', { accountId: 'b', coin: 'eth' }).isRefused('address-taken')
  given(t, addressClaim, contested).when('claim', { accountId: 'a', coin: 'eth' }).isRefused('address-taken')
})

test('what is given up goes to the next, unless its holder set it again meanwhile', (t) => {
  const seen = { accountId: 'a', renewedAt: NOW }
  const wish = { accountId: 'b', coin: 'eth', vacant: seen }
  given(t, addressClaim, claimed('a'))
    .when('claim', wish, time(2))
    .yields(released('a', time(2)), claimed('b', { claimedAt: time(2) }))
  const again = { type: 'AddressClaimRenewed', data: { accountId: 'a', coin: 'eth', renewedAt: time(1) } } as const
  given(t, addressClaim, claimed('a'), again).when('claim', wish, time(2)).isRefused('address-taken')
  given(t, addressClaim, claimed('a')).when('release', seen).yields(released('a'))
  given(t, addressClaim, claimed('a'), again).when('release', seen).yieldsNothing()
})

test('the later proof wins, each is good once, and none takes what is the platform’s', (t) => {
  const proof = (accountId: string, minutes: number) => ({ accountId, coin: 'eth', provedAt: time(minutes) })
  const proven = claimed('b', { how: 'proof', from: ['a'], provedAt: time(-3) })
  given(t, addressClaim, claimed('a')).when('prove', proof('b', -3)).yields(proven)
  given(t, addressClaim, claimed('a'), proven).when('prove', proof('b', -3)).yieldsNothing()
  given(t, addressClaim, claimed('a'), proven).when('prove', proof('a', -3)).isRefused('proof-invalid')
  given(t, addressClaim, claimed('a'), proven).when('prove', proof('a', -4)).isRefused('proof-invalid')
  const back = claimed('a', { how: 'proof', from: ['b'], provedAt: time(-2) })
  given(t, addressClaim, claimed('a'), proven).when('prove', proof('a', -2)).yields(back)
  given(t, addressClaim, claimed('a'), proven, back).when('prove', proof('b', -3)).isRefused('proof-invalid')
  given(t, addressClaim, proven, released('b')).when('prove', proof('b', -3)).isRefused('proof-invalid')
  given(t, addressClaim, claimed('p', { how: 'platform' }))
    .when('prove', proof('b', -1))
    .isRefused('address-taken')
  given(t, addressClaim, contested)
    .when('prove', proof('b', -1))
    .yields(claimed('b', { how: 'proof', from: ['a'], provedAt: time(-1) }))
})

test('the platform takes its own addresses from whoever has them, and the operator moves any', (t) => {
  const take = { accountId: 'platform', coin: 'eth' }
  given(t, addressClaim, claimed('a'))
    .when('take', take)
    .yields(claimed('platform', { how: 'platform', from: ['a'] }))
  given(t, addressClaim, claimed('platform', { how: 'platform' }))
    .when('take', take)
    .yieldsNothing()
  const move = { accountId: 'b', coins: ['eth'], reason: 'the contract of May' }
  const moved = claimed('b', { how: 'operator', from: ['a'], reason: move.reason })
  given(t, addressClaim, claimed('a')).when('move', move).yields(moved)
  given(t, addressClaim, contested).when('move', move).yields(moved)
  given(t, addressClaim, moved).when('move', move).yieldsNothing()
})

test('wallets from before claims are adopted once; what several have is contested', (t) => {
  const holders = [
    { accountId: 'a', coins: ['eth'] },
    { accountId: 'b', coins: ['usdc'] },
  ]
  given(t, addressClaim)
    .when('adopt', { holders: holders.slice(0, 1) })
    .yields(claimed('a'))
  given(t, addressClaim).when('adopt', { holders }).yields(contested)
  for (const before of [claimed('c'), contested])
    given(t, addressClaim, before).when('adopt', { holders }).yieldsNothing()
})

test('the state tells whose an address was at any time, and when one lost it', (t) => {
  const state = fold(addressClaim, [
    claimed('a'),
    claimed('b', { how: 'proof', from: ['a'], claimedAt: time(10) }),
    released('b', time(20)),
    claimed('c', { claimedAt: time(30) }),
  ])
  const at = (minutes: number) => claimantOf(state, time(minutes))
  t.deepEqual(
    [at(-5), at(5), at(10), at(25), at(31)].map((who) => who && Object.values(who)[0]),
    ['a', 'a', 'b', undefined, 'c'],
  )
  t.is(lostAt(state, 'a', time(5)), time(10))
  t.is(lostAt(state, 'c', time(30)), undefined)
  const shared = fold(addressClaim, [contested])
  t.deepEqual(claimantOf(shared, time(1)), { contestants: ['a', 'b'] })
  t.true(isContested(shared) && !isHeldBy(shared, 'a'))
  t.is(lostAt(shared, 'a', time(-1)), undefined)
  const settled = fold(addressClaim, [contested, claimed('b', { how: 'operator', from: ['a'], claimedAt: time(3) })])
  t.deepEqual([lostAt(settled, 'a', time(-1)), lostAt(settled, 'b', time(-1))], [time(3), undefined])
})

const [SECOND, THIRD] = ['0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', '0x90F79bf6EB2c4f870365E785982E1f101E93b906']
const HOURS_MS = 3_600_000

test('a list of which one address is taken changes nothing', async (t) => {
  const store = newStore(t)
  const on = flow(store, fixedWorld())
  await setWallet(on, 'acc_1', { asset: 'eth', addresses: [PAY_TO] })
  const before = (await everything(store)).length
  const refusal = setWallet(on, 'acc_2', { asset: 'usdc', addresses: [SECOND, PAY_TO, THIRD] })
  t.is(await codeOf(refusal), 'address-taken')
  t.is((await everything(store)).length, before)
  t.is(await codeOf(setWallet(on, 'acc_2', { asset: 'eth_base', addresses: [PAY_TO] })), 'done', 'another network')
})

test('an address is given back when its wallet is gone and nothing is expected on it', async (t) => {
  const store = newStore(t)
  const world = fixedWorld()
  const on = flow(store, world)
  const { ledger } = on
  const other = () => codeOf(setWallet(on, 'acc_2', { asset: 'eth', addresses: [PAY_TO] }))
  await setWallet(on, 'acc_1', { asset: 'eth', addresses: [PAY_TO] })
  await ledger.resource.create(RES_ID, { ...created, accountId: 'acc_1' })
  const { entries } = await openChallenge(on, RES_ID, { anonymous: false })
  t.is(entries[0]?.payTo, PAY_TO)
  world.step(2 * ABANDONED_MS)
  t.is(await other(), 'address-taken')
  await ledger.wallet.remove('acc_1', { asset: 'eth' })
  t.is(await other(), 'address-taken', 'a payment is still expected')
  world.step(26 * HOURS_MS)
  t.is(await other(), 'done')
  t.is(await codeOf(setWallet(on, 'acc_1', { asset: 'eth', addresses: [PAY_TO] })), 'address-taken')
})

test('a claim without a wallet is kept for a minute, for the request that made it', async (t) => {
  const world = fixedWorld()
  const on = flow(newStore(t), world)
  await on.ledger.addressClaim.claim(`eth:${PAY_TO}`, { accountId: 'acc_1', coin: 'eth' })
  const other = () => codeOf(setWallet(on, 'acc_2', { asset: 'eth', addresses: [PAY_TO] }))
  world.step(ABANDONED_MS - 1)
  t.is(await other(), 'address-taken')
  world.step(1)
  t.is(await other(), 'done')
})

test('only addresses that are held are offered; a contested one is not, and the rest of the list goes on', async (t) => {
  const store = newStore(t)
  const on = flow(store, fixedWorld())
  const { ledger } = on
  await setWallet(on, 'acc_1', { asset: 'eth', addresses: [PAY_TO, SECOND] })
  await ledger.resource.create(RES_ID, { ...created, accountId: 'acc_1' })
  const offered = async () =>
    (await onOwnAddresses(ledger, 'acc_1', [{ chain: chain(), addresses: [PAY_TO, SECOND] }]))[0]?.addresses
  t.deepEqual(await offered(), [PAY_TO, SECOND])
  await ledger.addressClaim.move(`eth:${PAY_TO}`, { accountId: 'acc_2', coins: [], reason: 'why' })
  t.deepEqual(await offered(), [SECOND])
  const { entries } = await openChallenge(on, RES_ID, { anonymous: false })
  t.deepEqual(
    entries.map(({ payTo }) => payTo),
    [SECOND],
  )
  t.is(await codeOf(setWallet(on, 'acc_1', { asset: 'eth', addresses: [PAY_TO, SECOND] })), 'address-taken')
})

test('who lost an address is paused, however often it is told, and resumes once it is back', async (t) => {
  const store = newStore(t)
  const world = fixedWorld()
  const on = flow(store, world)
  const { ledger } = on
  await setWallet(on, 'acc_1', { asset: 'eth', addresses: [PAY_TO] })
  await setWallet(on, 'acc_1', { asset: 'usdc', addresses: [PAY_TO] })
  await setWallet(on, 'acc_1', { asset: 'eth_base', addresses: [PAY_TO] })
  const move = (accountId: string) =>
    ledger.addressClaim.move(`eth:${PAY_TO}`, { accountId, coins: ['eth'], reason: 'why' })
  const active = async () =>
    Object.entries(await ledger.wallet.read('acc_1')).flatMap(([code, { active }]) => (active ? [code] : []))
  await move('acc_2')
  for (let n = 0; n < 2; n++) await runPolicies(store, ledgerOn(store, world), world, [pauseLostWallets])
  t.deepEqual(await active(), ['eth_base'])
  t.is(await codeOf(resumeWallet(on, 'acc_1', 'eth')), 'address-taken')
  await move('acc_1')
  await resumeWallet(on, 'acc_1', 'eth')
  await runPolicies(store, ledgerOn(store, world), world, [pauseLostWallets])
  t.deepEqual(await active(), ['eth', 'eth_base'])
})

test('a text is good for one account, network and address, for fifteen minutes, and only as this service wrote it', async (t) => {
  const world = fixedWorld()
  const vault = { fingerprint: (purpose: string, value: string) => world.digest(`key ${purpose} ${value}`) }
  const proofs = { isSigned: async () => true }
  const here = { ...flow(newStore(t), world), vault: vault as never, proofs }
  const place = { accountId: 'acc_1', network: 'eth', address: PAY_TO }
  const { text } = askProof(here, place)
  const check = (given = text, more: object = {}, on = here) =>
    codeOf(
      checkProof(
        on,
        { accountId: 'acc_1', network: 'eth', addresses: [PAY_TO], ...more },
        { text: given, signature: '' },
      ),
    )
  t.is(await check(), 'done')
  t.is(await check(text, { accountId: 'acc_2' }), 'proof-invalid')
  t.is(await check(text, { network: 'base' }), 'proof-invalid')
  t.is(await check(text, { addresses: [SECOND] }), 'proof-invalid')
  const elsewhere = { ...here, origins: { ...here.origins, base: 'https://evil.test' } }
  t.is(await check(text, {}, elsewhere), 'proof-invalid')
  t.is(await check(text.replace(/Time: .*/, `Time: ${time(1)}`)), 'proof-invalid', 'a time of one’s own')
  t.is(await check(`${text}\n`), 'proof-invalid')
  t.is(await check('Address: x'), 'proof-invalid')
  t.is(await check(text, {}, { ...here, proofs: { isSigned: async () => false } }), 'proof-invalid')
  world.step(15 * 60_000 - 1)
  t.is(await check(), 'done')
  world.step(1)
  t.is(await check(), 'proof-invalid')
})
