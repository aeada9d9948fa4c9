import test from 'ava'
import { ownerMemberId } from '../../../domain/account/members/member.ts'
import { Refusal } from '../../../domain/kernel/refusal.ts'
import { eraseMember } from '../../../domain/use-cases/account/team/change-members.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { enrolledMember, memberSignIn, PASSWORD, signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { accountOf, INVITATION, invitationTo, teamMember } from '../../support/members.ts'
import { openOperator } from '../../support/operator.ts'
import { lettersTo, linkTo, type Person, person } from '../../support/people.ts'
import { freshEmail, ok } from '../../support/seller.ts'
import { addStore } from '../../support/stores.ts'

/** Members are invited, join, act in one account or another, and are removed, over real HTTP. */

const clock = { shiftMs: 0 }
let app: TestApp
let operator: Awaited<ReturnType<typeof openOperator>>
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + clock.shiftMs) } })
  operator = await openOperator(app)
})
test.after.always(async () => {
  await operator?.stop()
  await app?.stop()
})

const TEAM = '/dashboard/team'
const INVITE = `${TEAM}/invite`
const inviting = () => ({ app, flow: operator.flow })

/** An owner with a second factor who has just proved it. */
const freshOwner = async () => {
  const owner = await enrolledMember(app, clock)
  const prove = async () => {
    await owner.who.send('/dashboard/confirm', { code: owner.code() }, '/dashboard/confirm?next=%2Fdashboard')
  }
  await prove()
  return { ...owner, prove, accountId: await accountOf(operator.flow, owner.email) }
}

const isIn = async (who: Person, path = '/dashboard') => (await who.open(path)).status === 200

test.serial('N-95 only an owner with a second factor that is fresh comes to invite, change or remove', async (t) => {
  const { who } = await signedInMember(app)
  t.is((await who.open(TEAM)).status, 200)
  t.is((await who.open(INVITE)).location, `/dashboard/security/enrol?next=${encodeURIComponent(INVITE)}`)
  const csrf = /name="csrf" value="([^"]+)"/.exec((await who.open(TEAM)).text)?.[1] ?? ''
  const forced = await who.post(INVITE, { csrf, email: freshEmail(), role: 'clerk', stores: 'all' })
  t.is(forced.location, `/dashboard/security/enrol?next=${encodeURIComponent(INVITE)}`)
  const owner = await freshOwner()
  t.is((await owner.who.open(INVITE)).status, 200)
  clock.shiftMs += 6 * 60_000
  t.is((await owner.who.open(INVITE)).location, `/dashboard/confirm?next=${encodeURIComponent(INVITE)}`)
})

test.serial('N-95 an owner invites a clerk, who chooses a password, does what clerks do, and is removed', async (t) => {
  const owner = await freshOwner()
  const email = freshEmail()
  const wrong = await owner.who.send(INVITE, { email: 'no address', role: 'clerk', stores: 'all' })
  t.is(wrong.status, 422)
  t.is((await owner.who.send(INVITE, { email, role: 'clerk', stores: 'some' })).status, 422)
  t.is((await owner.who.send(INVITE, { email: owner.email, role: 'clerk', stores: 'all' })).status, 422)
  const sent = await owner.who.send(INVITE, { email, role: 'clerk', stores: 'all' })
  t.is(sent.location, `${TEAM}?done=invited`)
  t.true((await owner.who.open(TEAM)).text.includes(email))
  const link = await linkTo(app, email, INVITATION)
  const who = person(app)
  const page = await who.open(link)
  t.true(page.text.includes(email) && page.text.includes('ask for payments'))
  t.is((await who.send(link, { act: 'password', new_password: 'short' })).status, 422)
  t.is((await who.send(link, { act: 'password', new_password: PASSWORD })).location, '/dashboard')
  t.true(await isIn(who))
  t.is((await who.open(link)).status, 404, 'a link works once')
  const rail = (await who.open('/dashboard/menu')).text
  t.true(rail.includes('/dashboard/payments') && !rail.includes('/dashboard/wallets') && !rail.includes(TEAM))
  const again = person(app)
  t.is((await memberSignIn(again, { email })).location, '/dashboard')
  const at = `${TEAM}/members/1`
  t.true((await owner.who.open(at)).text.includes(email))
  t.is((await owner.who.send(at, { act: 'remove' })).location, `${TEAM}?done=removed`)
  t.deepEqual([await isIn(who), await isIn(again)], [false, false])
  t.is((await memberSignIn(person(app), { email })).status, 403)
  t.is((await owner.who.open(at)).status, 404)
  const { json } = await ok(app.call('GET', '/v1/audit/events?type=MemberRemoved', { key: owner.key }))
  t.is(json.events?.[0]?.actor, `${owner.accountId}/member/${ownerMemberId(owner.accountId)}`)
})

deepTest.serial('N-95 what a seat costs is said before it is paid, as is a dearer role', async (t) => {
  const owner = await freshOwner()
  const credit = async () => (await operator.ledger.creditAccount.read(owner.accountId)).balance
  const first = freshEmail()
  await owner.who.send(INVITE, { email: first, role: 'clerk', stores: 'all' })
  const second = freshEmail()
  const before = await credit()
  const asked = await owner.who.send(INVITE, { email: second, role: 'teller', stores: 'all' })
  t.is(asked.status, 422)
  t.regex(asked.text, /No seat is free. One for this role costs US\$2/)
  t.is(await credit(), before)
  t.is((await lettersTo(app, second)).length, 0)
  const csrf = /name="csrf" value="([^"]+)"/.exec(asked.text)?.[1] ?? ''
  const fields = { csrf, email: second, stores: 'all' }
  const other = await owner.who.post(INVITE, { ...fields, role: 'lead', agreed: '2000000' })
  t.regex(other.text, /costs US\$3/, 'what was agreed to is one price')
  const paid = await owner.who.post(INVITE, { ...fields, role: 'teller', agreed: '2000000' })
  t.is(paid.location, `${TEAM}?done=invited`)
  t.is(await credit(), before - 2_000_000n)
  const dear = await owner.who.post(INVITE, { ...fields, email: freshEmail(), role: 'admin', agreed: '15000000' })
  t.is(dear.status, 422)
  t.regex(dear.text, /credit does not cover/)
  for (const email of [first, second]) {
    const joined = await person(app).send(await linkTo(app, email, INVITATION), {
      act: 'password',
      new_password: PASSWORD,
    })
    t.is(joined.location, '/dashboard')
  }
  await owner.prove()
  const at = `${TEAM}/members/1`
  const more = await owner.who.send(at, { act: 'change', role: 'teller', stores: 'all' })
  t.regex(more.text, /costs US\$1/)
  const change = { csrf: /name="csrf" value="([^"]+)"/.exec(more.text)?.[1] ?? '', act: 'change', stores: 'all' }
  t.is((await owner.who.post(at, { ...change, role: 'teller', agreed: '1000000' })).location, `${TEAM}?done=changed`)
  t.is(await credit(), before - 3_000_000n)
})

deepTest.serial(
  'N-95 an invitation is replaced by a newer one, withdrawn, and accepted by its own address alone',
  async (t) => {
    const owner = await freshOwner()
    const email = freshEmail()
    const old = await invitationTo(inviting(), owner.accountId, email)
    await owner.who.send(INVITE, { email, role: 'clerk', stores: 'all' })
    const links = async () => (await lettersTo(app, email)).flatMap((letter) => letter.links)
    await eventually('the second letter', async () => (await links()).length === 2)
    const link = new URL((await links()).find((each) => !each.endsWith(old)) ?? '').pathname
    t.is((await person(app).open(old)).status, 404)
    const stranger = await signedInMember(app)
    const shown = await stranger.who.open(link)
    t.regex(shown.text, /signed in as somebody else/)
    const csrf = /name="csrf" value="([^"]+)"/.exec((await stranger.who.open('/dashboard')).text)?.[1] ?? ''
    t.not((await stranger.who.post(link, { csrf, act: 'accept' })).location, '/dashboard')
    t.not((await stranger.who.post(link, { csrf, act: 'password', new_password: PASSWORD })).location, '/dashboard')
    t.is(Object.keys((await operator.ledger.team.read(owner.accountId)).members).length, 0)
    await owner.who.send(TEAM, { act: 'withdraw' })
    t.is((await person(app).open(link)).status, 404)
  },
)

deepTest.serial('N-95 accepting when the seat is gone is refused, and says what to do', async (t) => {
  const owner = await freshOwner()
  const link = await invitationTo(inviting(), owner.accountId, freshEmail())
  const who = person(app)
  const page = await who.open(link)
  await ok(app.call('POST', '/v1/subagents', { key: owner.key, body: { role: 'clerk' } }))
  t.regex((await who.open(link)).text, /No seat is free/)
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const refused = await who.post(link, { csrf, act: 'password', new_password: PASSWORD })
  t.regex(refused.text, /No seat is free/)
  t.false(await isIn(who))
})

test.serial('N-95 a person of several accounts chooses one, and a form of the other is not taken there', async (t) => {
  const { who, email, owner } = await teamMember(inviting(), { role: 'manager' })
  const other = await freshOwner()
  const { storeId } = await addStore(app, other.key)
  const link = await invitationTo(inviting(), other.accountId, email, { role: 'director', storeScope: [storeId] })
  const signedOut = person(app)
  t.regex((await signedOut.open(link)).text, /Sign in to accept/)
  const before = await who.open('/dashboard')
  t.true(before.text.includes(owner.email) && !before.text.includes('/dashboard/accounts'))
  const csrf = /name="csrf" value="([^"]+)"/.exec(before.text)?.[1] ?? ''
  t.is((await who.send(link, { act: 'accept' })).location, '/dashboard')
  const after = await who.open('/dashboard')
  t.true(after.text.includes(other.email) && after.text.includes('/dashboard/accounts'))
  t.is((await who.open('/dashboard/settings')).status, 403, 'a store alone')
  t.is((await who.post('/dashboard/sign-out', { csrf })).status, 403, 'a form of the account before')
  const accounts = await who.open('/dashboard/accounts')
  t.true(accounts.text.includes(owner.email) && accounts.text.includes(other.email))
  t.is(
    (await who.send('/dashboard/accounts', { account: await accountOf(operator.flow, owner.email) })).location,
    '/dashboard',
  )
  t.true((await who.open('/dashboard')).text.includes(owner.email))
  const foreign = await signedInMember(app)
  const strange = await accountOf(operator.flow, foreign.email)
  t.is((await who.send('/dashboard/accounts', { account: strange })).status, 403)
  // Removed from the one, they go on in the other.
  const elsewhere = person(app)
  await memberSignIn(elsewhere, { email })
  await elsewhere.send('/dashboard/accounts', { account: other.accountId })
  await other.prove()
  await other.who.send(`${TEAM}/members/1`, { act: 'remove' })
  t.deepEqual([await isIn(elsewhere), await isIn(who)], [false, true])
  t.is((await memberSignIn(elsewhere, { email })).location, '/dashboard')
})

test.serial(
  'N-95 an owner of an account joins another with the same sign-in, and what ends one’s sessions ends them',
  async (t) => {
    const own = await signedInMember(app)
    const other = await freshOwner()
    const link = await invitationTo(inviting(), other.accountId, own.email)
    t.is((await own.who.send(link, { act: 'accept' })).location, '/dashboard')
    t.is((await own.who.open('/dashboard/wallets')).status, 403)
    await ok(
      app.call('POST', '/v1/reset-password', {
        key: own.key,
        body: { new_password: 'battery staple', old_password: PASSWORD },
      }),
    )
    t.false(await isIn(own.who))
    const again = person(app)
    t.is((await memberSignIn(again, { email: own.email, password: 'battery staple' })).location, '/dashboard')
    t.is((await again.open('/dashboard/wallets')).status, 200, 'their own account comes first')
    await again.send('/dashboard/accounts', { account: other.accountId })
    t.true(await isIn(again))
    await ok(app.call('POST', '/v1/me?action=rotate-key', { key: other.key, body: { password: PASSWORD } }))
    t.false(await isIn(again))
  },
)

test.serial('N-95 a member changes the password of their own, and nobody else’s', async (t) => {
  const { who, email, owner } = await teamMember(inviting())
  const path = '/dashboard/security/password'
  const other = person(app)
  await memberSignIn(other, { email })
  t.is((await who.send(path, { password: 'guessed', new_password: 'battery staple' })).status, 422)
  t.is((await who.send(path, { password: PASSWORD, new_password: 'battery staple' })).status, 303)
  t.deepEqual([await isIn(who), await isIn(other)], [true, false])
  t.is((await memberSignIn(person(app), { email })).status, 422)
  t.is((await memberSignIn(person(app), { email, password: 'battery staple' })).location, '/dashboard')
  t.is((await memberSignIn(person(app), { email: owner.email })).location, '/dashboard')
})

test.serial(
  'N-96 where the owner asks a second factor of everybody, a member without one reaches nothing else',
  async (t) => {
    const owner = await freshOwner()
    const email = freshEmail()
    const who = person(app)
    const link = await invitationTo(inviting(), owner.accountId, email, { role: 'admin' })
    await who.send(link, { act: 'password', new_password: PASSWORD })
    t.is((await who.open('/dashboard/wallets')).status, 200)
    t.is((await owner.who.send(TEAM, { act: 'rule', required: '1' })).location, `${TEAM}?done=rule`)
    const enrol = (path: string) => `/dashboard/security/enrol?next=${encodeURIComponent(path)}`
    for (const path of ['/dashboard', '/dashboard/wallets', '/dashboard/menu', '/dashboard/security/devices'])
      t.is((await who.open(path)).location, enrol(path), path)
    t.is((await who.open('/dashboard/payments.csv')).status, 403)
    t.is((await who.open('/dashboard/security/enrol')).status, 200)
    t.true(await isIn(owner.who))
  },
)

deepTest.serial(
  'N-95 a member who is erased loses the seat and the sign-in, and may come again as another person',
  async (t) => {
    const { who, email, accountId } = await teamMember(inviting())
    const [id = ''] = Object.values((await operator.ledger.team.read(accountId)).members).map(
      ({ memberId }) => memberId,
    )
    await eraseMember(operator.flow, id)
    await eraseMember(operator.flow, id)
    t.false(await isIn(who))
    t.is((await memberSignIn(person(app), { email })).status, 422)
    t.is(Object.keys((await operator.ledger.team.read(accountId)).members).length, 0)
    const again = person(app)
    const link = await invitationTo(inviting(), accountId, email)
    t.is((await again.send(link, { act: 'password', new_password: PASSWORD })).location, '/dashboard')
    t.is((await memberSignIn(person(app), { email })).location, '/dashboard')
    const owner = await signedInMember(app)
    const ownerId = ownerMemberId(await accountOf(operator.flow, owner.email))
    t.is((await t.throwsAsync(eraseMember(operator.flow, ownerId), { instanceOf: Refusal }))?.code, 'state-forbids')
  },
)

// It comes last: the clock of the service goes a week ahead of the one by which others here invite.
deepTest.serial('N-95 an invitation that is older than seven days is not accepted', async (t) => {
  const owner = await freshOwner()
  const late = await invitationTo(inviting(), owner.accountId, freshEmail())
  t.is((await person(app).open(late)).status, 200)
  clock.shiftMs += 7 * 86_400_000 + 60_000
  t.is((await person(app).open(late)).status, 404)
})
