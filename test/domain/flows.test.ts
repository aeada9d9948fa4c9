import test, { type ExecutionContext } from 'ava'
import { createVault } from '../../adapters/postgres/vault.ts'
import { changeEmail, verifyEmail } from '../../domain/flows/account-email.ts'
import { ownBalances } from '../../domain/flows/own-balances.ts'
import { type SignUp, signUp } from '../../domain/flows/sign-up.ts'
import type { Chain, EventStore, Vault } from '../../domain/ports.ts'
import { dyingAt, everything, newStore } from '../support/ledger.ts'
import { testDatabase } from '../support/postgres.ts'
import { fixedWorld } from '../support/world.ts'
import { codeOf, flow } from './flow-setup.ts'

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
  const streams = new Set((await everything(whole)).map(({ stream }) => stream)).size
  t.is(streams, 3, 'the address, the account, and its first store, which may as well follow later')
  const appends = streams - 1
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

test('M-SET-06 a balance without a rate, and a part of one, is null and never a guess', async (t) => {
  const store = newStore(t)
  const world = fixedWorld()
  const { ledger } = flow(store, world)
  await ledger.wallet.setAddress('acc_1', { asset: 'eth', addresses: ['0xa', '0xb'] })
  await ledger.settings.change('acc_1', { currency: 'EUR' })
  const told = async (held: Readonly<Record<string, bigint>>, rates: Readonly<Record<string, string>>) => {
    const usdPer = async (code: string) => rates[code] ?? Promise.reject(new Error('no rate right now'))
    const balanceNow = async (_: Chain, address: string) => held[address]
    return ownBalances({ ...flow(store, world), rates: { usdPer }, balanceNow }, 'acc_1')
  }
  const [whole, rates] = [
    { '0xa': 10n ** 18n, '0xb': 1n },
    { eth: '3000', EUR: '1.2' },
  ]
  const eth = { amount: '1.000000000000000001', fiat: '2500', currency: 'EUR', addresses: 2 }
  t.deepEqual(await told(whole, rates), { balances: { eth }, total_fiat: '2500', currency: 'EUR' })
  for (const [held, known, amount] of [
    [{ '0xa': 10n ** 18n }, rates, null],
    [whole, { eth: '3000' }, eth.amount],
    [whole, { EUR: '1.2' }, eth.amount],
  ] as const) {
    const balances = { eth: { ...eth, amount, fiat: null } }
    t.deepEqual(await told(held, known), { balances, total_fiat: null, currency: 'EUR' })
  }
})

const newVault = async (t: ExecutionContext): Promise<Vault> => {
  const { sql } = await testDatabase(t)
  const vault = await createVault({ sql, masterKey: Buffer.alloc(32, 7) })
  t.teardown(() => vault.close())
  return vault
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
