import test from 'ava'
import { userRef } from '../../domain/balance/transfer-terms.ts'
import { eventually } from '../../src/demo/stage.ts'
import { startApp, type TestApp } from '../support/app.ts'
import {
  type Balances,
  type Clock,
  type Customer,
  openBalances,
  REDIRECT,
  type Shop,
  STATE,
} from '../support/balance-calls.ts'
import { enrolledMember, memberSignIn } from '../support/dashboard.ts'
import { letterTo, person, signIn } from '../support/people.ts'
import { daybook } from './daybook.ts'

/** What support does with people, beside a running service, and what the suspended one can still do. */

const clock: Clock = { shiftMs: 0 }
const BY = ['--by', 'Ada'] as const
let app: TestApp
let b: Balances
let eve: Customer
let shop: Shop
let token: string
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + clock.shiftMs) } })
  b = await openBalances(app, clock)
  ;[eve, shop] = [await b.customer({ usd: 50 }), await b.shop({ usd: 20 })]
  token = await b.token(eve, shop)
})
test.after.always(async () => {
  await b?.stop()
  await app?.stop()
})

const run = (...args: readonly string[]) => daybook(app.env, ...args, '--json')
const told = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await run(...args)
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}
const because = (reason: string) => [...BY, '--reason', reason] as const

/** The types of the events of a stream, in their order. */
const typesOf = async (stream: string): Promise<readonly string[]> => {
  const { stdout } = await daybook(app.env, 'events', 'show', stream, '--json')
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).type)
}

const asked = async (path: string) => (await eve.browser.open(path)).status

test.serial(
  'N-160 support finds a user by address, sub and name, and sees the address masked until it says --reveal',
  async (t) => {
    const masked = `${eve.email[0]}…@people.test`
    for (const text of [eve.email, eve.email.toUpperCase(), eve.sub])
      t.deepEqual(await told('users', 'find', text), [{ sub: eve.sub, status: 'verified', email: masked }])
    const named = await told('users', 'find', 'lovelace', '--reveal')
    t.deepEqual(named, [{ sub: eve.sub, status: 'verified', email: eve.email, name: 'Ada Lovelace' }])
    const shown = await told('users', 'show', eve.sub)
    t.like(shown, { sub: eve.sub, email: masked, name: null, second_factor: true, totp: true, sessions: 1 })
    for (const nobody of ['nobody@people.test', 'usr_nobody', 'Nobody At All']) {
      const { code, stdout } = await run('users', 'find', nobody)
      t.is(code, 1)
      t.regex(JSON.parse(stdout).error, /no user has the sub, the address or the name/)
    }
    t.is((await run('users', 'find', 'x')).code, 2)
  },
)

test.serial('N-161 every act of support needs a reason and a person who is there', async (t) => {
  for (const act of ['suspend', 'unsuspend', 'reset-mfa', 'end-sessions']) {
    t.is((await run('users', act, eve.sub)).code, 2, act)
    const { code, stdout } = await run('users', act, 'usr_nobody', ...because('A try.'))
    t.deepEqual([code, JSON.parse(stdout)], [1, { error: 'there is no user usr_nobody' }], act)
  }
  for (const act of ['reset-mfa', 'end-sessions']) {
    t.is((await run('accounts', act, 'acc_nobody')).code, 2, act)
    const { code, stdout } = await run('accounts', act, 'acc_nobody', ...because('A try.'))
    t.deepEqual([code, JSON.parse(stdout)], [1, { error: 'there is no account acc_nobody' }], act)
  }
})

const standing = async () => {
  const wish = { mode: 'adhoc', per_debit_cap: '5', lifetime_cap: '20', cooldown: 'none', description: 'Tea' }
  const { json } = await b.ask('mandate', 'create', { ...wish, redirect_uri: REDIRECT, state: STATE }, token)
  const { status, text } = await b.confirm(eve, json.confirm_url)
  if (status !== 303) throw new Error(text)
  return (key: string) =>
    b.ask('mandate', 'debit', {
      ...shop.named,
      mandate_id: json.mandate_id,
      amount: '1',
      description: 'Tea',
      idempotency_key: key,
    })
}

test.serial(
  'N-162 a suspended user is nobody: no session, token, second factor or standing order of theirs counts, and what comes in is kept',
  async (t) => {
    const debit = await standing()
    t.is((await debit('before')).status, 200)
    const scheduled = { mode: 'scheduled', sched_amount: '2', sched_interval: 'monthly', per_debit_cap: '2' }
    const wish = {
      ...scheduled,
      lifetime_cap: '24',
      auto: 'true',
      description: 'Paper',
      redirect_uri: REDIRECT,
      state: STATE,
    }
    const { json } = await b.ask('mandate', 'create', { ...wish, cooldown: 'none' }, token)
    t.is((await b.confirm(eve, json.confirm_url)).status, 303)
    const waiting = person(app)
    t.is((await signIn(waiting, eve)).location, '/sign-in/confirm')
    const reason = 'Paid with stolen cards'
    t.like(await told('users', 'suspend', eve.sub, ...because(reason)), { suspended: true, changed: true })
    t.like(await told('users', 'suspend', eve.sub, ...because('Again')), { changed: false })
    await eventually('the session is dead', async () => (await asked('/account/security')) === 303)
    const read = { headers: { authorization: `Bearer ${token}` } }
    t.is((await app.call('GET', '/oauth2?op=userinfo', read)).status, 401)
    t.is((await app.call('GET', '/oauth2?op=balance', read)).status, 401)
    t.is((await waiting.open('/sign-in/confirm')).location, '/sign-in')
    const again = await signIn(person(app), eve)
    t.is(again.status, 403)
    t.true(again.text.includes(reason))
    const wrong = await signIn(person(app), { ...eve, password: 'another horse' })
    t.false(wrong.text.includes(reason), 'who has not proven to be them is told nothing')
    const refused = await debit('after')
    t.deepEqual([refused.status, refused.json.error], [403, 'access_denied'])
    t.false(JSON.stringify(refused.json).includes(reason), 'no app reads why')
    t.is((await debit('before')).status, 200, 'a repeat of an old debit says the same')
    const balance = async () => (await b.operator.ledger.userBalance.read(eve.sub)).balance
    const held = await balance()
    await b.grant(userRef(eve.sub), 3)
    t.is(await balance(), held + 3_000_000n)
    await letterTo(app, eve.email, 'You are suspended')
    t.like(await told('users', 'show', eve.sub), { status: 'suspended', reason, sessions: 0, standing_orders: 2 })
    clock.shiftMs += 40 * 86_400_000
    await eventually('the debit that is due is missed', async () =>
      (await typesOf(`userBalance-${eve.sub}`)).includes('StandingOrderDebitMissed'),
    )
    t.is(await balance(), held + 3_000_000n)
  },
)

test.serial(
  'N-162 a user whose suspension is lifted signs in again, with new sessions and the old orders',
  async (t) => {
    t.like(await told('users', 'unsuspend', eve.sub, ...because('The bank cleared it')), {
      suspended: false,
      changed: true,
    })
    t.like(await told('users', 'reinstate', eve.sub, ...because('Again')), { changed: false })
    t.is(await asked('/account/security'), 303, 'a session that was ended stays ended')
    clock.shiftMs += 30_000
    const back = person(app)
    const code = () => eve.totp.generate({ timestamp: Date.now() + clock.shiftMs })
    await eventually('the sign-in is taken', async () => (await signIn(back, { ...eve, code })).status === 303)
    t.is((await back.open('/account/security')).status, 200)
    const types = await typesOf(`user-${eve.sub}`)
    t.deepEqual(
      types.filter((type) => /^User(Suspended|Reinstated)$/.test(type)),
      ['UserSuspended', 'UserReinstated'],
    )
  },
)

test.serial(
  'N-163 a reset of second factors leaves the password alone, is told by letter, and is quiet a second time',
  async (t) => {
    t.like(await told('users', 'reset-mfa', eve.sub, ...because('The phone is lost')), { reset: true, changed: true })
    t.like(await told('users', 'reset-mfa', eve.sub, ...because('Again')), { changed: false })
    t.regex(await letterTo(app, eve.email, 'Your second factors were taken away'), /The phone is lost/)
    const plain = person(app)
    await eventually('no code is asked for', async () => (await signIn(plain, eve)).location === '/account')
    t.is((await typesOf(`user-${eve.sub}`)).filter((type) => type === 'UserFactorsReset').length, 1)
  },
)

test.serial(
  'N-164 sessions that support ends are dead at once, and there is no event where nobody was signed in',
  async (t) => {
    const who = person(app)
    await signIn(who, eve)
    t.is((await who.open('/account/security')).status, 200)
    t.like(await told('users', 'end-sessions', eve.sub, ...because('A laptop was stolen')), { changed: true })
    t.is((await who.open('/account/security')).status, 303)
    t.like(await told('users', 'end-sessions', eve.sub, ...because('Again')), { ended: 0, changed: false })
    await letterTo(app, eve.email, 'You were signed out everywhere')
    t.is((await typesOf(`user-${eve.sub}`)).filter((type) => type === 'UserSessionsEnded').length, 1)
  },
)

test.serial(
  'N-163 N-164 N-165 the owner of an account loses the second factor and the sessions by support, in the account’s books',
  async (t) => {
    const member = await enrolledMember(app, clock)
    const [{ account_id: id }] = await told('accounts', 'find', member.email)
    t.deepEqual(await told('accounts', 'find', id), [
      {
        account_id: id,
        status: 'activated',
        email: `${member.email[0]}…${member.email.slice(member.email.indexOf('@'))}`,
        name: null,
      },
    ])
    t.is((await run('accounts', 'find', 'nobody@shop.test')).code, 1)
    t.is((await run('accounts', 'reset-mfa', id, '--member', 'mem_nobody', ...because('A try'))).code, 1)
    t.like(await told('accounts', 'reset-mfa', id, ...because('The phone is lost')), { reset: true, changed: true })
    t.like(await told('accounts', 'reset-mfa', id, ...because('Again')), { changed: false })
    t.regex(await letterTo(app, member.email, 'Your second factors were taken away'), /The phone is lost/)
    const plain = person(app)
    await eventually('no code is asked for', async () => (await memberSignIn(plain, member)).location === '/dashboard')
    t.like(await told('accounts', 'end-sessions', id, ...because('A laptop was stolen')), { changed: true })
    for (const who of [plain, member.who])
      await eventually('the session is dead', async () => (await who.open('/dashboard')).status === 303)
    t.like(await told('accounts', 'end-sessions', id, ...because('Again')), { ended: 0, changed: false })
    await letterTo(app, member.email, 'Everybody was signed out')
    const back = person(app)
    await memberSignIn(back, member)
    const activity = await back.open('/dashboard/activity')
    t.regex(activity.text, /Took a member’s second factors away/)
    t.regex(activity.text, /Signed everybody of the account out/)
  },
)
