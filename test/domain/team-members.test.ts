import test from 'ava'
import { slotsFree } from '../../domain/account/members/seats.ts'
import { team } from '../../domain/account/team.ts'
import { openInvitations, seatOf } from '../../domain/account/team-members.ts'
import { type EventsOf, fold } from '../../domain/kernel/decider.ts'
import { given, NOW } from '../support/given.ts'

/** Members of an account who are not its owner: invited by letter, on the seats that sub-keys have, too. */

type Event = EventsOf<typeof team>
type Invite = Parameters<typeof team.decide.invite>[1]

const later = (days: number) => new Date(Date.parse(NOW) + days * 86_400_000).toISOString()
const EXPIRY = later(7)
const clerk = { role: 'clerk', permissions: [], storeScope: [] } as const
const wish = (n: number, more: Partial<Invite> = {}): Invite => ({
  email: `v1.e${n}`,
  emailFingerprint: `f${n}`,
  tokenHash: `t${n}`,
  expiresAt: EXPIRY,
  letter: 'v1.l',
  by: 'mem_o',
  ...clerk,
  ...more,
})
const invited = (n: number, more: Partial<Invite> = {}, at = NOW): Event => ({
  type: 'MemberInvited',
  data: { ...wish(n, more), invitedAt: at },
})
const link = (n: number) => ({ memberId: `mem_${n}`, emailFingerprint: `f${n}`, tokenHash: `t${n}` })
const seated = (n: number, number = n, slot = n): Event => ({
  type: 'MemberSeated',
  data: {
    number,
    slot,
    memberId: `mem_${n}`,
    email: `v1.e${n}`,
    emailFingerprint: `f${n}`,
    ...clerk,
    invitedBy: 'mem_o',
    seatedAt: NOW,
  },
})
const subKey: Event = {
  type: 'SubagentCreated',
  data: {
    keyId: 'k',
    keyHash: 'h',
    hint: 'sa_',
    roleName: null,
    displayName: null,
    ...clerk,
    number: 1,
    slot: 1,
    createdAt: NOW,
  },
}
const paid = { number: 1, fee: '1000000' }

test('N-95 an invitation counts on a free seat, and one that finds none is to be paid', (t) => {
  given(t, team).when('invite', wish(1)).yields(invited(1))
  given(t, team, invited(1)).when('invite', wish(2)).isRefused('insufficient-credit')
  given(t, team, subKey).when('invite', wish(1)).isRefused('insufficient-credit')
  given(t, team, seated(1)).when('invite', wish(2)).isRefused('insufficient-credit')
  given(t, team, subKey)
    .when('invite', { ...wish(1), paid })
    .yields(invited(1, { paid }))
  given(t, team, subKey, invited(1, { paid }))
    .when('invite', { ...wish(1), paid })
    .yieldsNothing()
  // What was paid for is carried out once, also when it is carried out again long afterwards.
  const gone: Event = { type: 'InvitationWithdrawn', data: { emailFingerprint: 'f1', by: 'mem_o' } }
  given(t, team, subKey, invited(1, { paid }), gone)
    .when('invite', { ...wish(1), paid })
    .yieldsNothing()
  t.is(slotsFree(fold(team, [subKey, invited(1, { paid })])), 1)
  given(t, team, invited(1))
    .when('invite', wish(2), later(8))
    .yields(invited(2, {}, later(8)))
})

test('N-95 a second invitation of an address replaces the first, and each is accepted once, in time, by its own address', (t) => {
  const again = { tokenHash: 't1b' }
  given(t, team, invited(1)).when('invite', wish(1)).yieldsNothing()
  given(t, team, invited(1)).when('invite', wish(1, again)).yields(invited(1, again))
  const replaced = given(t, team, invited(1), invited(1, again))
  replaced.when('accept', link(1)).isRefused('verification-link-invalid')
  replaced.when('accept', { ...link(1), ...again }).yields(seated(1))
  const open = given(t, team, invited(1))
  open.when('accept', link(1)).yields(seated(1))
  open.when('accept', link(1), EXPIRY).yields({
    type: 'MemberSeated',
    data: { ...(seated(1).data as Extract<Event, { type: 'MemberSeated' }>['data']), seatedAt: EXPIRY },
  })
  open.when('accept', link(1), later(7.01)).isRefused('verification-link-invalid')
  open.when('accept', { ...link(1), emailFingerprint: 'f2' }).isRefused('verification-link-invalid')
  given(t, team, invited(1), seated(1)).when('accept', link(1)).yieldsNothing()
  given(t, team, invited(1), seated(1))
    .when('accept', { ...link(1), memberId: 'mem_9' })
    .isRefused('verification-link-invalid')
  const withdrawn = { type: 'InvitationWithdrawn', data: { emailFingerprint: 'f1', by: 'mem_o' } } as const
  open.when('withdraw', withdrawn.data).yields(withdrawn)
  given(t, team, invited(1), withdrawn).when('withdraw', withdrawn.data).yieldsNothing()
  given(t, team, invited(1), withdrawn).when('accept', link(1)).isRefused('verification-link-invalid')
})

test('N-95 accepting when the seat is gone is refused, and a seat that somebody left is free for the next', (t) => {
  given(t, team, invited(1), subKey).when('accept', link(1)).isRefused('state-forbids')
  const deleted = { type: 'SubagentDeleted', data: { number: 1, keyId: 'k' } } as const
  given(t, team, invited(1), subKey, deleted)
    .when('accept', link(1))
    .yields(seated(1, 2, 1))
  given(t, team, invited(1), seated(1)).when('create', subKeyWish).isRefused('insufficient-credit')
  const removed = {
    type: 'MemberRemoved',
    data: { number: 1, memberId: 'mem_1', by: 'mem_o', removedAt: NOW },
  } as const
  given(t, team, seated(1)).when('removeMember', { number: 1, by: 'mem_o' }).yields(removed)
  given(t, team, seated(1), removed).when('removeMember', { number: 1, by: 'mem_o' }).yieldsNothing()
  t.is(seatOf(fold(team, [seated(1), removed]), 'mem_1'), undefined)
  t.is(slotsFree(fold(team, [seated(1), removed])), 1)
})

const subKeyWish = { keyId: 'k2', keyHash: 'h', hint: 'sa_', roleName: null, displayName: null, ...clerk } as const

test('N-95 invitations that are open, letters of a day and people of an account are bounded', (t) => {
  const rich = Array.from({ length: 20 }, (_, i) => invited(i + 1, { paid: { ...paid, number: i + 1 } }, later(-2)))
  given(t, team, ...rich)
    .when('invite', wish(99))
    .isRefused('state-forbids')
  given(t, team, ...rich)
    .when('invite', wish(1, { tokenHash: 'new' }))
    .yields(invited(1, { tokenHash: 'new' }))
  const letters = Array.from({ length: 20 }, (_, i) => invited(1, { tokenHash: `x${i}` }))
  given(t, team, ...letters)
    .when('invite', wish(1))
    .isRefused('rate-limited')
  given(t, team, ...letters)
    .when('invite', wish(1), later(1))
    .yields(invited(1, {}, later(1)))
  given(t, team, seated(1)).when('invite', wish(1)).isRefused('invalid-request')
  const crowd = Array.from({ length: 200 }, (_, i) => seated(i + 1))
  given(t, team, ...crowd)
    .when('invite', wish(999))
    .isRefused('too-many-keys')
  given(t, team, ...crowd)
    .when('create', subKeyWish)
    .isRefused('too-many-keys')
  given(t, team, ...crowd.slice(1), invited(998))
    .when('invite', wish(999))
    .isRefused('too-many-keys')
  t.is(openInvitations(fold(team, [invited(1), invited(2, {}, later(8))]), later(1)).length, 1)
})

test('N-95 a dearer role costs what the seat was not paid for, once; a role without its rights is refused', (t) => {
  const change = (more: object) => ({ number: 1, by: 'mem_o', ...more })
  const changed = (more: object): Event => ({
    type: 'MemberChanged',
    data: { ...clerk, number: 1, memberId: 'mem_1', by: 'mem_o', ...more },
  })
  const one = given(t, team, seated(1))
  one.when('changeMember', change({ role: 'teller' })).isRefused('insufficient-credit')
  one.when('changeMember', change({ role: 'teller', paid })).yields(changed({ role: 'teller', paid }))
  one.when('changeMember', change({ storeScope: [2] })).yields(changed({ storeScope: [2] }))
  one.when('changeMember', change({})).yieldsNothing()
  one.when('changeMember', change({ role: 'custom' })).isRefused('invalid-request')
  one.when('changeMember', change({ permissions: ['wallets.edit'] })).isRefused('invalid-request')
  one.when('changeMember', { ...change({}), number: 7 }).isRefused('not-found')
  const own = { role: 'custom', permissions: ['wallets.view'] } as const
  given(t, team, seated(1), changed(own))
    .when('changeMember', change({ storeScope: [2] }))
    .yields(changed({ ...own, storeScope: [2] }))
  given(t, team, seated(1), changed(own))
    .when('changeMember', change({ role: 'clerk' }))
    .yields(changed({}))
  // Another call was quicker: the dearer role is there and paid for, so that this payment is given back.
  given(t, team, seated(1), changed({ role: 'teller' }))
    .when('changeMember', change({ role: 'teller', paid }))
    .yields(changed({ role: 'teller', paid }), { type: 'SeatPaymentUnused', data: { paid, unused: '1000000' } })
  const unused = { type: 'SeatPaymentUnused', data: { paid, unused: '1000000' } } as const
  one.when('changeMember', { ...change({ role: 'teller', paid }), number: 7 }).yields(unused)
  const dear = given(t, team, seated(1), changed({ role: 'teller', paid }))
  dear.when('changeMember', change({ role: 'teller', paid })).yieldsNothing()
  dear.when('changeMember', change({ role: 'clerk' })).yields(changed({}))
  given(t, team, seated(1), changed({ role: 'teller', paid }), changed({}))
    .when('changeMember', change({ role: 'teller' }))
    .yields(changed({ role: 'teller' }))
})

test('N-96 whether everybody needs a second factor is written down once, with who said it', (t) => {
  const rule = (required: boolean) => ({ type: 'SecondFactorRuleChanged', data: { required, by: 'mem_o' } }) as const
  given(t, team).when('requireFactor', rule(true).data).yields(rule(true))
  given(t, team).when('requireFactor', rule(false).data).yieldsNothing()
  given(t, team, rule(true)).when('requireFactor', rule(true).data).yieldsNothing()
  given(t, team, rule(true)).when('requireFactor', rule(false).data).yields(rule(false))
})
