import test from 'ava'
import { fixedRates } from '../../adapters/rates/quotes/fixed.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { openChallenge } from '../../domain/use-cases/selling/challenges/open-challenge.ts'
import { quote } from '../../domain/use-cases/selling/challenges/quote.ts'
import { everything, newStore } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { chain, codeOf, flow, sellerOn } from './flow-setup.ts'
import { ACCOUNT, created, PAY_TO, RES_ID, transferData } from './samples.ts'

/** What a set of challenges offers, and how its payments are kept apart. */

test('Q-55 fifty challenges opened at once, in two processes, ask for fifty amounts', async (t) => {
  const store = newStore(t)
  await sellerOn(store)
  const flows = ['one', 'two'].map((seed) => flow(store, fixedWorld(seed)))
  const sets = await Promise.all(
    Array.from({ length: 50 }, (_, n) => openChallenge(flows[n % 2] as UseCaseContext, RES_ID, { anonymous: false })),
  )
  const amounts = sets.flatMap(({ entries }) => entries.map(({ amount, payTo }) => `${amount} ${payTo}`))
  t.is(amounts.length, 50)
  t.is(new Set(amounts).size, 50)
  t.true(sets.every(({ entries }) => entries[0]?.match === 'amount'))
  t.is(new Set(sets.map(({ setId }) => setId)).size, 50)
})

test('an asset without a wallet, with a paused one, or without a connected chain is left out', async (t) => {
  const store = newStore(t)
  const ledger = await sellerOn(store, ['eth', 'usdc', 'usdt', 'btc', 'nothing'])
  await ledger.wallet.setAddress(ACCOUNT, { asset: 'usdt', addresses: [PAY_TO] })
  await ledger.wallet.pause(ACCOUNT, { asset: 'usdt' })
  await ledger.wallet.setAddress(ACCOUNT, { asset: 'btc', addresses: ['bc1q'] })
  const { entries } = await openChallenge(flow(store, fixedWorld('w')), RES_ID, { anonymous: false })
  t.deepEqual(
    entries.map(({ asset }) => asset),
    ['eth'],
  )
})

test('N-23 when the rates of all coins, the one of the currency, or all chains fail there is no challenge, only holds that end by themselves', async (t) => {
  const broken = () => Promise.reject(new Error('no answer'))
  for (const wrong of [
    { rates: { usdPer: (code: string) => (code === 'USD' ? fixedRates().usdPer(code) : broken()) } },
    { rates: { usdPer: broken } },
    { chains: new Map([['eth', { ...chain(), head: broken }]]) },
  ]) {
    const store = newStore(t)
    const ledger = await sellerOn(store, ['eth', 'usdc'])
    await ledger.wallet.setAddress(ACCOUNT, { asset: 'usdc', addresses: [PAY_TO] })
    const world = fixedWorld('w')
    t.is(await codeOf(openChallenge({ ...flow(store, world), ...wrong }, RES_ID, { anonymous: false })), 'unavailable')
    const types = (await everything(store)).map(({ type }) => type)
    t.false(types.includes('ChallengeOpened'))
    world.step(3_600_000)
    const { entries } = await openChallenge(flow(store, world), RES_ID, { anonymous: false })
    t.true(entries.some(({ asset }) => asset === 'eth'))
  }
})

test('N-23 a coin whose rate or chain fails is left out, and costs no other coin', async (t) => {
  const broken = () => Promise.reject(new Error('no answer'))
  for (const wrong of [
    { rates: { usdPer: (code: string) => (code === 'usdc' ? broken() : fixedRates().usdPer(code)) } },
    { chains: new Map([chain(), { ...chain(), network: 'base', head: broken }].map((each) => [each.network, each])) },
  ]) {
    const store = newStore(t)
    const ledger = await sellerOn(store, ['eth', 'usdc', 'usdc_base'])
    await ledger.addressClaim.claim(`base:${PAY_TO}`, { accountId: ACCOUNT, coin: 'usdc_base' })
    for (const asset of ['usdc', 'usdc_base']) await ledger.wallet.setAddress(ACCOUNT, { asset, addresses: [PAY_TO] })
    const one = { ...flow(store, fixedWorld('w')), ...wrong }
    const asked = { ...created, accountId: ACCOUNT, acceptedAssets: ['eth', 'usdc', 'usdc_base'], test: false }
    const { entries, incomplete } = await openChallenge(one, RES_ID, { anonymous: false })
    t.true(incomplete)
    const offered = entries.map(({ asset }) => asset)
    t.deepEqual(offered, 'rates' in wrong ? ['eth'] : ['eth', 'usdc'])
    t.true((await quote(one, asked)).some(({ asset }) => asset === 'eth'))
  }
})

test('a resource that is disabled, or unknown, opens nothing', async (t) => {
  const store = newStore(t)
  const ledger = await sellerOn(store)
  t.is(
    await codeOf(openChallenge(flow(store, fixedWorld('w')), 'res_none', { anonymous: false })),
    'resource-not-found',
  )
  await ledger.resource.disable(RES_ID, { accountId: ACCOUNT })
  t.is(await codeOf(openChallenge(flow(store, fixedWorld('w')), RES_ID, { anonymous: false })), 'resource-not-found')
})

test('N-21 Q-55 a coin without a free amount is left out; when no coin is left, it is told when the first comes free', async (t) => {
  const store = newStore(t)
  await sellerOn(store, ['eth', 'usdc'], SMALL)
  const world = fixedWorld('w')
  const one = flow(store, world)
  const open = () => openChallenge(one, RES_ID, { anonymous: false })
  const sets = await Promise.all(Array.from({ length: SMALL_AMOUNTS }, open))
  t.true(sets.every(({ entries }) => entries[0]?.match === 'amount'))
  const refusal = await t.throwsAsync(open, { instanceOf: Refusal })
  t.like(refusal, { code: 'no-free-amount', retryAfterS: 3 * 3_600 })
  await one.ledger.wallet.setAddress(ACCOUNT, { asset: 'usdc', addresses: [PAY_TO] })
  const { entries, incomplete } = await open()
  t.deepEqual(
    entries.map(({ asset }) => asset),
    ['usdc'],
  )
  t.true(incomplete)
  world.step(3 * 3_600_000)
  t.is((await open()).entries.length, 2)
})

test('N-21 a caller’s network that holds as many unpaid challenges as it may is refused, and others are served', async (t) => {
  const store = newStore(t)
  await sellerOn(store)
  const world = fixedWorld('w')
  const one = { ...flow(store, world), unpaidPerNetwork: 3 }
  const open = (network: string) => openChallenge(one, RES_ID, { anonymous: true, network })
  const [first] = await Promise.all(Array.from({ length: 3 }, () => open('n1')))
  world.step(600_000)
  const refusal = await t.throwsAsync(open('n1'), { instanceOf: Refusal })
  t.like(refusal, { code: 'rate-limited', retryAfterS: 50 * 60 })
  for (const { entries } of [await open('n2'), await openChallenge(one, RES_ID, { anonymous: false })])
    t.is(entries[0]?.match, 'amount')
  // Who has paid has room for one more, and no more than one.
  const [entry] = first?.entries ?? []
  await one.ledger.challenge.settle(first?.setId ?? '', {
    challengeId: `${first?.setId}.eth`,
    asset: 'eth',
    transfer: {
      ...transferData,
      to: PAY_TO,
      amount: entry?.amount ?? '',
      height: 10 ** 6,
      minedAt: world.now().toISOString(),
    },
  })
  t.is((await open('n1')).entries.length, 1)
  t.is(await codeOf(open('n1')), 'rate-limited')
  world.step(50 * 60_000)
  t.is((await open('n1')).entries.length, 1)
})

/** Forty cents and a little, and the amounts that such a low price is told apart by: a cent of Ether is 400 places. */
const SMALL = '400050'
const SMALL_AMOUNTS = 120

test('J-WAL-04 N-21 known buyers get addresses of the list to themselves, at the very price, before they share the main one', async (t) => {
  const store = newStore(t)
  const ledger = await sellerOn(store)
  const others = ['0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', '0x90F79bf6EB2c4f870365E785982E1f101E93b906']
  for (const address of others) await ledger.addressClaim.claim(`eth:${address}`, { accountId: ACCOUNT, coin: 'eth' })
  await ledger.wallet.setAddress(ACCOUNT, { asset: 'eth', addresses: [PAY_TO, ...others] })
  const world = fixedWorld('w')
  const one = flow(store, world)
  const entryOf = async (anonymous: boolean) => (await openChallenge(one, RES_ID, { anonymous })).entries[0]
  t.like(await entryOf(true), { payTo: PAY_TO, match: 'amount' })
  const own = [await entryOf(false), await entryOf(false)]
  t.deepEqual(own.map((entry) => entry?.payTo).sort(), [...others].sort())
  for (const entry of own) t.like(entry, { match: 'address', amount: '40000000000000000' })
  t.like(await entryOf(false), { payTo: PAY_TO, match: 'amount' })
  // An hour to pay, and two in which nobody else gets it.
  world.step(2.9 * 3_600_000)
  t.like(await entryOf(false), { payTo: PAY_TO })
  world.step(0.2 * 3_600_000)
  t.like(await entryOf(false), { match: 'address' })
})
