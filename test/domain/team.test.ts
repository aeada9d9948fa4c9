import test from 'ava'
import type { Capability } from '../../domain/account/capabilities.ts'
import { slotsFree } from '../../domain/account/members/seats.ts'
import { ROLES, SEAT_PRICES } from '../../domain/account/roles.ts'
import { team } from '../../domain/account/team.ts'
import { type EventsOf, fold } from '../../domain/kernel/decider.ts'
import { given, NOW } from '../support/given.ts'

type Event = EventsOf<typeof team>
type Grants = Parameters<typeof team.decide.create>[1]

const kept = (n: number | string) => ({ keyId: `k${n}`, keyHash: `h${n}`, hint: `sa_…${n}` })
const plain = { permissions: [], roleName: null, displayName: null, storeScope: [] } as const
const clerk = { role: 'clerk', ...plain } as const
const wish = (n: number, more: Partial<Grants> = {}) => ({ ...kept(n), ...clerk, ...more })
const paid = (number: number, fee = '1000000') => ({ number, fee })
const created = (n: number, more: Partial<Grants> = {}, slot = n): Event => ({
  type: 'SubagentCreated',
  data: { ...wish(n, more), number: n, slot, createdAt: NOW },
})
const deleted = (number: number): Event => ({ type: 'SubagentDeleted', data: { number, keyId: `k${number}` } })
const changed = (
  number: number,
  more: Partial<Omit<Extract<Event, { type: 'SubagentChanged' }>['data'], 'number'>>,
): Event => ({
  type: 'SubagentChanged',
  data: { ...clerk, number, keyId: `k${number}`, ...more },
})
const suspended: Event = { type: 'SubagentSuspended', data: { number: 1, keyId: 'k1' } }
const activated: Event = { type: 'SubagentActivated', data: { number: 1, keyId: 'k1' } }
const unused = (payment: { number: number; fee: string }, amount = payment.fee): Event => ({
  type: 'SeatPaymentUnused',
  data: { paid: payment, unused: amount },
})
const free = (...history: Event[]) => slotsFree(fold(team, history))

test('K-SUB-02 I-CRD-04 the first sub-key takes the seat that is included, the next one needs a payment', (t) => {
  given(t, team).when('create', wish(1)).yields(created(1))
  given(t, team, created(1)).when('create', wish(1)).yieldsNothing()
  given(t, team, created(1)).when('create', wish(2)).isRefused('insufficient-credit')
  given(t, team, created(1))
    .when('create', wish(2, { paid: paid(1) }))
    .yields(created(2, { paid: paid(1) }))
  t.deepEqual([free(), free(created(1)), free(created(1), created(2, { paid: paid(1) }))], [1, 0, 0])
})

test('I-CRD-04 one payment makes one sub-key, however often it is brought, in whatever order, and also when that is deleted', (t) => {
  const second = created(2, { paid: paid(1) })
  given(t, team, created(1), second)
    .when('create', wish(2, { paid: paid(1) }))
    .yieldsNothing()
  given(t, team, created(1), second, deleted(2))
    .when('create', wish(2, { paid: paid(1) }))
    .yieldsNothing()
  const early = created(2, { paid: paid(2) })
  given(t, team, created(1), early)
    .when('create', wish(2, { paid: paid(2) }))
    .yieldsNothing()
  given(t, team, created(1), early)
    .when('create', wish(3, { paid: paid(1) }))
    .yields(created(3, { paid: paid(1) }))
  const both = fold(team, [created(1), early, created(3, { paid: paid(1) })])
  t.deepEqual(both.used, { upTo: 2, beyond: [] })
})

test('K-SUB-07 I-CRD-04 who leaves makes room for the next, on the lowest seat and under a new number', (t) => {
  const two = [created(1), created(2, { paid: paid(1) })]
  given(t, team, ...two)
    .when('delete', { number: 1 })
    .yields(deleted(1))
  given(t, team, ...two, deleted(1))
    .when('delete', { number: 1 })
    .yieldsNothing()
  for (const number of [0, 3, -1])
    given(t, team, ...two)
      .when('delete', { number })
      .isRefused('subagent-not-found')
  t.is(free(...two, deleted(1)), 1)
  given(t, team, ...two, deleted(1))
    .when('create', wish(3))
    .yields(created(3, {}, 1))
  t.is(free(...two, deleted(1), deleted(2)), 2)
})

test('no more than 200 sub-keys are there at once, and that is found before a payment is asked for', (t) => {
  const many = Array.from({ length: 200 }, (_, i) => created(i + 1, i > 0 ? { paid: paid(i) } : {}))
  given(t, team, ...many)
    .when('create', wish(201))
    .isRefused('too-many-keys')
  given(t, team, ...many, deleted(7))
    .when('create', wish(201))
    .yields(created(201, {}, 7))
})

test('K-SUB-04 X-ROT-01 a rotated key keeps its number, what it may do and whether it may', (t) => {
  const command = { number: 1, ...kept('new') }
  const rotated = (isSuspended: boolean): Event => ({
    type: 'SubagentKeyRotated',
    data: { ...command, ...clerk, replacedKeyId: 'k1', suspended: isSuspended },
  })
  given(t, team, created(1)).when('rotate', command).yields(rotated(false))
  given(t, team, created(1), suspended).when('rotate', command).yields(rotated(true))
  given(t, team, created(1), rotated(false)).when('rotate', command).yieldsNothing()
  given(t, team).when('rotate', command).isRefused('subagent-not-found')
  given(t, team, created(1), deleted(1)).when('rotate', command).isRefused('subagent-not-found')
})

test('T-SUB-01 K-SUB-06 a sub-key is active or suspended, and quietly so again', (t) => {
  given(t, team, created(1)).when('change', { number: 1, status: 'suspended' }).yields(suspended)
  given(t, team, created(1)).when('change', { number: 1, status: 'active' }).yieldsNothing()
  given(t, team, created(1), suspended).when('change', { number: 1, status: 'suspended' }).yieldsNothing()
  given(t, team, created(1), suspended).when('change', { number: 1, status: 'active' }).yields(activated)
  given(t, team).when('change', { number: 1, status: 'active' }).isRefused('subagent-not-found')
})

test('K-SUB-05 what is not given stays, so that two changes at once do not undo each other', (t) => {
  const name = (text: string) => ({ text: `v1.${text}`, print: text })
  const [renamed, scoped] = [
    changed(1, { displayName: name('a') }),
    changed(1, { displayName: name('a'), storeScope: [2] }),
  ]
  given(t, team, created(1))
    .when('change', { number: 1, displayName: name('a') })
    .yields(renamed)
  given(t, team, created(1), renamed)
    .when('change', { number: 1, storeScope: [2] })
    .yields(scoped)
  given(t, team, created(1), scoped)
    .when('change', { number: 1, displayName: null, storeScope: [], status: 'suspended' })
    .yields(changed(1, {}), suspended)
  // Sealed again it reads otherwise, and is the same name.
  given(t, team, created(1), renamed)
    .when('change', { number: 1, displayName: { text: 'v1.b', print: 'a' } })
    .yieldsNothing()
  given(t, team, created(1)).when('change', { number: 1 }).yieldsNothing()
})

test('K-SUB-09 only custom has a list, it needs one, and another role drops it', (t) => {
  const custom = { role: 'custom', permissions: ['audit.view'] as Capability[] } as const
  const history = [created(1, custom)]
  given(t, team)
    .when('create', wish(1, custom))
    .yields(...history)
  given(t, team)
    .when('create', wish(1, { role: 'custom' }))
    .isRefused('invalid-request')
  given(t, team)
    .when('create', wish(1, { permissions: ['audit.view'] }))
    .isRefused('invalid-request')
  given(t, team, ...history)
    .when('change', { number: 1, role: 'clerk' })
    .yields(changed(1, {}))
  given(t, team, ...history)
    .when('change', { number: 1, role: 'custom' })
    .yieldsNothing()
  given(t, team, ...history)
    .when('change', { number: 1, permissions: [] })
    .isRefused('invalid-request')
  given(t, team, ...history, changed(1, {}))
    .when('change', { number: 1, role: 'custom' })
    .isRefused('invalid-request')
  given(t, team, created(1))
    .when('change', { number: 1, permissions: ['audit.view'] })
    .isRefused('invalid-request')
})

test('K-SUB-05 I-CRD-04 a dearer role is paid once, and going back to it costs nothing', (t) => {
  const raised = changed(1, { role: 'admin', paid: paid(1, '14000000') })
  given(t, team, created(1)).when('change', { number: 1, role: 'admin' }).isRefused('insufficient-credit')
  given(t, team, created(1))
    .when('change', { number: 1, role: 'admin', paid: paid(1, '14000000') })
    .yields(raised)
  given(t, team, created(1), raised)
    .when('change', { number: 1, role: 'admin', paid: paid(1, '14000000') })
    .yieldsNothing()
  given(t, team, created(1), raised).when('change', { number: 1, role: 'clerk' }).yields(changed(1, {}))
  given(t, team, created(1), raised, changed(1, {}))
    .when('change', { number: 1, role: 'admin' })
    .yields(changed(1, { role: 'admin' }))
})

test('I-CRD-04 what was paid for a role and is not needed any more is told once, in full or in part', (t) => {
  const payment = paid(1, '4000000')
  given(t, team, created(1), deleted(1))
    .when('change', { number: 1, role: 'manager', paid: payment })
    .yields(unused(payment))
  given(t, team, created(1), deleted(1), unused(payment))
    .when('change', { number: 1, role: 'manager', paid: payment })
    .yieldsNothing()
  const admin = changed(1, { role: 'admin', paid: paid(2, '14000000') })
  given(t, team, created(1), admin)
    .when('change', { number: 1, role: 'manager', paid: payment })
    .yields(changed(1, { role: 'manager', paid: payment }), unused(payment))
  const manager = changed(1, { role: 'manager', paid: payment })
  given(t, team, created(1), manager)
    .when('change', { number: 1, role: 'admin', paid: paid(2, '14000000') })
    .yields(admin, unused(paid(2, '14000000'), '4000000'))
  t.deepEqual(fold(team, [created(1), manager, admin, unused(paid(2, '14000000'), '4000000')]).used, {
    upTo: 2,
    beyond: [],
  })
})

test('every role has a seat price of at least a dollar', (t) => {
  for (const role of ROLES) t.true(SEAT_PRICES[role] >= 1_000_000n, role)
})
