import test, { type ExecutionContext } from 'ava'
import { createVault } from '../../adapters/postgres/vault.ts'
import { fixedRates } from '../../adapters/rates/fixed.ts'
import { changeEmail, verifyEmail } from '../../domain/flows/account-email.ts'
import type { Flow } from '../../domain/flows/flow.ts'
import { openChallenge } from '../../domain/flows/open-challenge.ts'
import { type SignUp, signUp } from '../../domain/flows/sign-up.ts'
import type { Chain, EventStore, Vault } from '../../domain/ports.ts'
import { Refusal } from '../../domain/refusal.ts'
import { dyingAt, everything, ledgerOn, newStore } from '../support/ledger.ts'
import { testDatabase } from '../support/postgres.ts'
import { type FixedWorld, fixedWorld } from '../support/world.ts'
import { ACCOUNT, created, PAY_TO, RES_ID } from './samples.ts'

const person: SignUp = {
  email: 'Ann@Example.test',
  password: 'correct horse',
  primaryWallet: null,
  termsAgreed: 'explicit',
}

test('wherever a sign-up dies, the user can try again after a minute and has one account', async (t) => {
  const vault = await newVault(t)
  const whole = newStore(t)
  await signUp(flow(whole, fixedWorld('whole'), vault), person)
  const appends = new Set((await everything(whole)).map(({ stream }) => stream)).size
  t.is(appends, 2)
  for (let k = 1; k <= appends; k++)
    for (const landed of [true, false]) {
      const store = newStore(t)
      const [first, later] = [fixedWorld(`first-${k}-${landed}`), fixedWorld(`later-${k}-${landed}`)]
      await t.throwsAsync(signUp(flow(dyingAt(store, k, landed), first, vault), person), {
        message: 'the process dies',
      })
      const complete = k === appends && landed
      const begun = complete || k === appends || landed
      later.step(59_000)
      if (begun) t.is(await codeOf(signUp(flow(store, later, vault), person)), 'email-taken')
      later.step(2_000)
      const again = await codeOf(signUp(flow(store, later, vault), { ...person, email: 'ann@example.TEST' }))
      t.is(again, complete ? 'email-taken' : 'done', `append ${k}, ${landed ? 'landed' : 'lost'}`)
      await oneAccount(t, store)
      later.step(3_600_000)
      t.is(await codeOf(signUp(flow(store, later, vault), person)), 'email-taken')
    }
})

test('twenty people with one address who sign up at once end with one account', async (t) => {
  const vault = await newVault(t)
  const store = newStore(t)
  const codes = await Promise.all(
    Array.from({ length: 20 }, (_, n) => codeOf(signUp(flow(store, fixedWorld(`p${n}`), vault), person))),
  )
  t.is(codes.filter((code) => code === 'done').length, 1)
  t.is(codes.filter((code) => code === 'email-taken').length, 19)
  await oneAccount(t, store)
})

test('twenty who take over an abandoned address at once end with one account', async (t) => {
  const vault = await newVault(t)
  const store = newStore(t)
  await t.throwsAsync(signUp(flow(dyingAt(store, 1, true), fixedWorld('gone'), vault), person))
  const codes = await Promise.all(
    Array.from({ length: 20 }, (_, n) => {
      const world = fixedWorld(`p${n}`)
      world.step(61_000)
      return codeOf(signUp(flow(store, world, vault), person))
    }),
  )
  t.is(codes.filter((code) => code === 'done').length, 1, codes.join())
  await oneAccount(t, store)
})

test('J-ACC-13 wherever a change of address dies, the link finishes it, and an address that nobody came to use is free', async (t) => {
  const vault = await newVault(t)
  for (const [k, landed] of [
    [1, false],
    [1, true],
    [2, false],
    [2, true],
  ] as const) {
    const store = newStore(t)
    const world = fixedWorld(`change-${k}-${landed}`)
    const mine = flow(store, world, vault)
    await signUp(mine, person)
    const accountId = (await accountsOf(store))[0] as string
    await changeEmail(mine, accountId, 'new@example.test')
    const token = await tokenOf(store, vault)
    const dying = flow(dyingAt(store, k, landed), fixedWorld('dying'), vault)
    await t.throwsAsync(verifyEmail(dying, token), { message: 'the process dies' })
    if (k === 1 && landed) t.is(await codeOf(signUp(mine, { ...person, email: 'NEW@example.test' })), 'email-taken')
    await verifyEmail(mine, token)
    const account = await mine.ledger.account.read(accountId)
    t.like(account, { status: 'activated', emailFingerprint: vault.fingerprint('email', 'new@example.test') })
    world.step(61_000)
    t.is(await codeOf(signUp(mine, { ...person, email: 'new@example.test' })), 'email-taken')
    t.is(await codeOf(signUp(mine, person)), 'done', 'the old one is free, though no policy has run')
  }
})

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

test('a rate or a chain that fails leaves no challenge, only holds that end by themselves', async (t) => {
  const broken = () => Promise.reject(new Error('no answer'))
  for (const wrong of [
    { rates: { usdPer: (code: string) => (code === 'usdc' ? broken() : fixedRates().usdPer(code)) } },
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

const chain = (): Chain => ({
  network: 'eth',
  caip2: 'eip155:1',
  head: async () => ({ height: 100, hash: '0x100' }),
  hashAt: async () => undefined,
  transfersOf: async () => undefined,
  transfersIn: async () => [],
  close: async () => {},
})

/** The flows with the real ledger and vault; what lies outside is still. */
const flow = (store: EventStore, world: FixedWorld, vault?: Vault): Flow => ({
  ledger: ledgerOn(store, world),
  world,
  vault: vault as Vault,
  passwords: { hash: async () => '$argon2id$x', verify: async () => true },
  addresses: { canonical: (_, address) => address, canonicalOn: (_, address) => address },
  rates: fixedRates(),
  prices: { refusal: () => undefined, usdFrom: async () => undefined },
  tokenTypes: new Map(),
  outbound: { refusal: () => undefined, post: outside, get: outside, sign: () => '' },
  chains: new Map([['eth', chain()]]),
  headNow: (chain) => chain.head(),
  origins: { base: 'https://b.test', pay: 'https://p.test', auth: 'https://a.test' },
})

const outside = () => Promise.reject(new Error('nothing goes out'))

const newVault = async (t: ExecutionContext): Promise<Vault> => {
  const { sql } = await testDatabase(t)
  const vault = await createVault({ sql, masterKey: Buffer.alloc(32, 7) })
  t.teardown(() => vault.close())
  return vault
}

const sellerOn = async (store: EventStore, acceptedAssets = ['eth'], amount = created.amount) => {
  const ledger = ledgerOn(store, fixedWorld('seller'))
  await ledger.wallet.setAddress(ACCOUNT, { asset: 'eth', addresses: [PAY_TO] })
  await ledger.resource.create(RES_ID, { ...created, acceptedAssets, amount })
  return ledger
}

const oneAccount = async (t: ExecutionContext, store: EventStore) => {
  const holder = (await everything(store)).filter(({ type }) => type === 'EmailClaimed').at(-1)?.data
  t.deepEqual(await accountsOf(store), [(holder as { accountId: string }).accountId])
}

const accountsOf = async (store: EventStore): Promise<string[]> =>
  (await everything(store)).flatMap(({ type, stream }) =>
    type === 'AccountSignedUp' ? [stream.slice('account-'.length)] : [],
  )

/** Of the newest letter. */
const tokenOf = async (store: EventStore, vault: Vault): Promise<string> => {
  const letters = (await everything(store)).flatMap(({ data }) => ('letter' in data ? [String(data.letter)] : []))
  const text = await vault.open(letters.at(-1) ?? '')
  return /token=(acc_\w+\.[0-9a-f]{64})/.exec(text ?? '')?.[1] as string
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof Refusal) return error.code
      throw error
    },
  )
