import test from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { createVault } from '../../adapters/postgres/vault/vault.ts'
import { isOwn } from '../../domain/account/account.ts'
import type { EventStore } from '../../domain/kernel/ports.ts'
import { changeEmail, resendVerification, verifyEmail } from '../../domain/use-cases/account/account-email.ts'
import { verificationLetter } from '../../domain/use-cases/account/email-address.ts'
import { type SignUp, signUp } from '../../domain/use-cases/account/sign-up.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { dyingAt, everything, newStore } from '../support/ledger.ts'
import { createDatabase } from '../support/postgres.ts'
import { fixedWorld } from '../support/world.ts'
import { codeOf, flow } from './flow-setup.ts'

/**
 * Whose an email address is, through the flows: sign-ups and changes that break off, strangers who come first, and logs
 * of before.
 */

const person: SignUp = {
  email: 'Ann@Example.test',
  password: 'correct horse',
  primaryWallet: null,
  termsAgreed: 'explicit',
  network: '203.0.113.7',
}
const stranger: SignUp = { ...person, email: 'ann@example.TEST', password: 'battery staple', network: '198.51.100.9' }

const database = await createDatabase()
const sql = connect(database.url)
const vault = await createVault({ sql, masterKey: Buffer.alloc(32, 7) })
test.after.always(async () => {
  await vault.close()
  await sql.end({ timeout: 1 })
  database.drop()
})

test('J-ACC-01 wherever a sign-up dies, the user can try again at once, and holds the address by no more than the link', async (t) => {
  const whole = newStore(t)
  await signUp(flowOn(whole, 'whole'), person)
  const streams = new Set((await everything(whole)).map(({ stream }) => stream)).size
  t.is(streams, 4, 'the address, the account, and its first store and member, which may as well follow later')
  const appends = streams - 2
  for (let k = 1; k <= appends; k++)
    for (const landed of [true, false]) {
      const store = newStore(t)
      const dying = flowOn(dyingAt(store, k, landed), `first-${k}-${landed}`)
      await t.throwsAsync(signUp(dying, person), { message: 'the process dies' })
      const mine = flowOn(store, `later-${k}-${landed}`)
      await signUp(mine, person)
      const link = await newestLink(store)
      t.is(await verifyEmail(mine, link, person.password), 'activated', `append ${k}, ${landed ? 'landed' : 'lost'}`)
      t.deepEqual(await holders(mine, store), [accountOf(link)])
    }
})

test('N-16 A7 who signs up first with a stranger’s address keeps nobody from it, and never gets it', async (t) => {
  const store = newStore(t)
  const [eve, ann] = [flowOn(store, 'eve'), flowOn(store, 'ann')]
  await signUp(eve, stranger)
  const foreign = await newestLink(store)
  await signUp(ann, person)
  const own = await newestLink(store)
  for (const link of [foreign, own]) t.is(await codeOf(verifyEmail(ann, link)), 'password-required')
  t.is(await codeOf(verifyEmail(ann, foreign, person.password)), 'credentials-wrong')
  t.deepEqual(await holders(ann, store), [])
  t.is(await verifyEmail(ann, own, person.password), 'activated')
  for (const password of [undefined, stranger.password])
    t.is(await codeOf(verifyEmail(eve, foreign, password)), 'email-taken')
  t.deepEqual(await holders(ann, store), [accountOf(own)])
})

test('N-15 a stranger’s sign-up of yesterday does not count, unless they have asked for a letter since', async (t) => {
  for (const asksAgain of [false, true]) {
    const store = newStore(t)
    const [eve, ann] = [flowOn(store, 'eve'), flowOn(store, 'ann')]
    await signUp(eve, stranger)
    if (asksAgain) {
      eve.world.step(3_600_000)
      await resendVerification(eve, accountOf(await newestLink(store)), stranger.network)
    }
    ann.world.step(24 * 3_600_000)
    await signUp(ann, person)
    const link = await newestLink(store)
    t.is(await codeOf(verifyEmail(ann, link)), asksAgain ? 'password-required' : 'done')
  }
})

test('N-15 N-16 the letter says when and from which network, and to an address that is taken it says so', async (t) => {
  const store = newStore(t)
  const [ann, eve] = [flowOn(store, 'ann'), flowOn(store, 'eve')]
  await signUp(ann, person)
  t.regex((await newest(store)).text, /made .* on 2026-03-02 at 10:00 UTC, from the network 203\.0\.113\.7\./)
  ann.world.step(3_600_000)
  await resendVerification(ann, accountOf(await newestLink(store)), '192.0.2.1')
  t.regex((await newest(store)).text, /made .* on 2026-03-02 at 10:00 UTC, from the network 203\.0\.113\.7\./)
  await verifyEmail(ann, await newestLink(store))
  eve.world.step(7_200_000)
  await signUp(eve, stranger)
  const told = await newest(store)
  t.is(told.to, stranger.email)
  t.regex(told.text, /Your Daybook account has this address, and keeps it/)
  t.regex(told.text, /made .* on 2026-03-02 at 12:00 UTC, from the network 198\.51\.100\.9\./)
  const other = flowOn(store, 'other')
  await signUp(other, { ...stranger, email: 'eve@example.test' })
  await verifyEmail(other, await newestLink(store))
  await changeEmail(other, accountOf(await newestLink(store)), person.email, '192.0.2.1')
  const asked = await newest(store)
  t.regex(asked.text, /Your Daybook account has this address, and keeps it/)
  t.regex(asked.text, /asked for on 2026-03-02 at 10:00 UTC, from the network 192\.0\.2\.1\./)
  const log = JSON.stringify((await everything(store)).map(({ data }) => data))
  for (const secret of [person.network, stranger.network, 'example.test']) t.false(log.includes(secret), secret)
})

test('J-ACC-13 wherever a change of address dies, the link finishes it, and an address that nobody came to use is free', async (t) => {
  for (const [k, landed] of [
    [1, false],
    [1, true],
    [2, false],
    [2, true],
  ] as const) {
    const store = newStore(t)
    const [mine, others] = [flowOn(store, `change-${k}-${landed}`), flowOn(store, 'others')]
    await signUp(mine, person)
    const accountId = accountOf(await newestLink(store))
    await verifyEmail(mine, await newestLink(store))
    await changeEmail(mine, accountId, 'new@example.test', person.network)
    const link = await newestLink(store)
    const dying = flowOn(dyingAt(store, k, landed), 'dying')
    await t.throwsAsync(verifyEmail(dying, link), { message: 'the process dies' })
    await signUp(others, { ...person, email: 'NEW@example.test' })
    const rival = await newestLink(store)
    if (k === 2 || landed) t.is(await codeOf(verifyEmail(others, rival, person.password)), 'email-taken')
    await verifyEmail(mine, link, person.password)
    const account = await mine.ledger.account.read(accountId)
    t.like(account, { status: 'activated', emailFingerprint: vault.fingerprint('email', 'new@example.test') })
    for (const world of [mine.world, others.world]) world.step(61_000)
    t.is(await codeOf(verifyEmail(others, rival, person.password)), 'email-taken')
    await signUp(others, person)
    const former = await newestLink(store)
    t.is(
      await verifyEmail(others, former, person.password),
      'activated',
      'the old one is free, though no policy has run',
    )
  }
})

test('N-16 a claim of an older log, made by a sign-up that nobody confirmed, gives way to who proves the address', async (t) => {
  const store = newStore(t)
  const [old, ann] = [flowOn(store, 'old'), flowOn(store, 'ann')]
  const link = await signUpAsBefore(old)
  ann.world.step(3_600_000)
  await signUp(ann, person)
  const own = await newestLink(store)
  t.is(await codeOf(verifyEmail(ann, link)), 'password-required', 'the older one, too, has a rival now')
  t.is(await codeOf(verifyEmail(ann, own)), 'password-required')
  t.is(await verifyEmail(ann, own, person.password), 'activated')
  t.is(await codeOf(verifyEmail(ann, link, stranger.password)), 'verification-link-invalid', 'its link has ended')
  t.deepEqual(await holders(ann, store), [accountOf(own)])

  const other = newStore(t)
  const alone = flowOn(other, 'alone')
  const first = await signUpAsBefore(alone)
  alone.world.step(3_600_000)
  t.is(await verifyEmail(alone, first), 'activated', 'who is alone follows the link as before')
  t.deepEqual(await holders(alone, other), [accountOf(first)])
})

/** Passwords that are told apart, and cost nothing. */
const passwords: UseCaseContext['passwords'] = {
  hash: async (password) => `hash of ${password}`,
  verify: async (hash, password) => hash === `hash of ${password}`,
  outdated: () => false,
}

const flowOn = (store: EventStore, seed: string) => {
  const world = fixedWorld(seed)
  return { ...flow(store, world, vault), world, passwords }
}

/**
 * The events of a sign-up as they were before: it claims the address, and nothing says that anybody asked for it.
 * Answers the link.
 */
const signUpAsBefore = async (on: ReturnType<typeof flowOn>): Promise<string> => {
  const { ledger, world } = on
  const accountId = world.id('acc')
  const emailFingerprint = vault.fingerprint('email', 'ann@example.test')
  const { email: to, network, password, primaryWallet, termsAgreed } = stranger
  const occasion = { about: 'welcome', what: 'made', at: world.now(), network } as const
  const verification = await verificationLetter(on, { accountId, to, occasion, taken: false })
  await ledger.email.claim(emailFingerprint, { accountId })
  await ledger.account.signUp(accountId, {
    email: await vault.seal(accountId, to),
    emailFingerprint,
    passwordHash: await passwords.hash(password),
    primaryWallet,
    termsAgreed,
    key: { keyId: 'k1', keyHash: 'h1', hint: 'sk_live_…abcd', kind: 'owner' },
    cloudToken: { token: await vault.seal(accountId, 'ct'), tokenHash: 'th' },
    verification,
  })
  return linkIn((await vault.open(verification.letter)) ?? '')
}

type Letter = { readonly to: string; readonly text: string }

const newest = async (store: EventStore): Promise<Letter> => {
  const letters = (await everything(store)).flatMap(({ data }) => ('letter' in data ? [String(data.letter)] : []))
  return JSON.parse((await vault.open(letters.at(-1) ?? '')) ?? '{}')
}

const newestLink = async (store: EventStore): Promise<string> => linkIn((await newest(store)).text)

const linkIn = (text: string): string => /token=(acc_\w+\.[0-9a-f]{64})/.exec(text)?.[1] as string

const accountOf = (link: string): string => link.split('.')[0] as string

/** The accounts that are activated with Ann's address. */
const holders = async ({ ledger }: UseCaseContext, store: EventStore): Promise<string[]> => {
  const fingerprint = vault.fingerprint('email', 'ann@example.test')
  const all = (await everything(store)).flatMap(({ type, stream }) =>
    type === 'AccountSignedUp' ? [stream.slice('account-'.length)] : [],
  )
  const found: string[] = []
  for (const id of all) if (isOwn(await ledger.account.read(id), fingerprint)) found.push(id)
  const { holder } = await ledger.email.read(fingerprint)
  if (found.length > 0 && found[0] !== holder) throw new Error(`${holder} holds the address of ${found}`)
  return found
}
