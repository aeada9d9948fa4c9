import test from 'ava'
import { fixedRates } from '../../adapters/rates/fixed.ts'
import type { Flow } from '../../domain/flows/flow.ts'
import { openChallenge } from '../../domain/flows/open-challenge.ts'
import { quote } from '../../domain/flows/quote.ts'
import { everything, newStore } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { chain, codeOf, flow, sellerOn } from './flow-setup.ts'
import { ACCOUNT, created, PAY_TO, RES_ID } from './samples.ts'

/** What a set of challenges offers, and how its payments are kept apart. */

test('Q-55 fifty challenges opened at once, in two processes, ask for fifty amounts', async (t) => {
  const store = newStore(t)
  await sellerOn(store)
  const flows = ['one', 'two'].map((seed) => flow(store, fixedWorld(seed)))
  const sets = await Promise.all(
    Array.from({ length: 50 }, (_, n) => openChallenge(flows[n % 2] as Flow, RES_ID, { anonymous: false })),
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
    world.step(25 * 3_600_000)
    const { entries } = await openChallenge(flow(store, world), RES_ID, { anonymous: false })
    t.is(entries.find(({ asset }) => asset === 'eth')?.amount, '40000020000000000', 'the lowest offset is free again')
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

test('when every amount is held, the buyer is asked for the price and told to post the hash', async (t) => {
  const store = newStore(t)
  await sellerOn(store, ['eth'], SMALL)
  const one = flow(store, fixedWorld('w'))
  const length = SMALL_AMOUNTS + 1
  const sets = await Promise.all(Array.from({ length }, () => openChallenge(one, RES_ID, { anonymous: false })))
  const entries = sets.flatMap((set) => set.entries)
  t.is(entries.filter(({ match }) => match === 'amount').length, SMALL_AMOUNTS)
  t.like(entries.find(({ match }) => match === 'hash') ?? {}, { amount: '160020000000000' })
})

test('Q-55 a price that cannot be told apart is not offered when another open challenge asks for just that amount', async (t) => {
  const store = newStore(t)
  await sellerOn(store, ['eth'], SMALL)
  const one = flow(store, fixedWorld('w'))
  for (let n = 0; n < SMALL_AMOUNTS; n++) await openChallenge(one, RES_ID, { anonymous: false })
  // A challenge of a lower price asks for what is the price of this resource.
  await one.ledger.receiveAddress.reserve(`eth:eth:${PAY_TO}`, {
    challengeId: 'ch_other.eth',
    accountId: 'acc_other',
    anonymous: false,
    price: '160010000000000',
    step: '10000000000',
    endsAt: '2026-12-31T22:00:00.000Z',
    heldUntil: '2027-01-01T00:00:00.000Z',
  })
  t.deepEqual((await openChallenge(one, RES_ID, { anonymous: false })).entries, [])
})

/** Forty cents and a little, whose price in coin is 16,002 places, and the amounts that such a low price is told apart by. */
const SMALL = '400050'
const SMALL_AMOUNTS = 29

test('J-WAL-04 N-21 known buyers get addresses of the list to themselves, at the very price, before they share the main one', async (t) => {
  const store = newStore(t)
  const ledger = await sellerOn(store)
  const others = ['0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', '0x90F79bf6EB2c4f870365E785982E1f101E93b906']
  await ledger.wallet.setAddress(ACCOUNT, { asset: 'eth', addresses: [PAY_TO, ...others] })
  const world = fixedWorld('w')
  const one = flow(store, world)
  const entryOf = async (anonymous: boolean) => (await openChallenge(one, RES_ID, { anonymous })).entries[0]
  t.like(await entryOf(true), { payTo: PAY_TO, match: 'amount' })
  const own = [await entryOf(false), await entryOf(false)]
  t.deepEqual(own.map((entry) => entry?.payTo).sort(), [...others].sort())
  for (const entry of own) t.like(entry, { match: 'address', amount: '40000000000000000' })
  t.like(await entryOf(false), { payTo: PAY_TO, match: 'amount' })
  // An hour to pay, and a day in which what comes late is still told whose it is.
  world.step(24.9 * 3_600_000)
  t.like(await entryOf(false), { payTo: PAY_TO })
  world.step(0.2 * 3_600_000)
  t.like(await entryOf(false), { match: 'address' })
})
