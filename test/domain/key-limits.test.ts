import test from 'ava'
import { sandboxKeys } from '../../domain/account/sandbox-keys.ts'
import { team } from '../../domain/account/team.ts'
import type { EventsOf } from '../../domain/kernel/decider.ts'
import { given, NOW } from '../support/given.ts'

/** Until when a key may call, and from where: what is kept of it, and what is refused. */

const LATER = '2026-03-02T11:00:00.000Z'
const LATEST = '2026-03-03T10:00:00.000Z'
const office = { text: 'v1.acc_1.iv.office', print: 'office' }
const home = { text: 'v1.acc_1.iv.home', print: 'home' }

const kept = { keyId: 'k1', keyHash: 'h1', hint: '…1' }
const fresh = { keyId: 'k2', keyHash: 'h2', hint: '…2' }
const wish = { ...kept, kind: 'secret', label: null } as const
type KeyEvent = EventsOf<typeof sandboxKeys>
const issued = (limits: object = {}): KeyEvent => ({
  type: 'SandboxKeyIssued',
  data: { ...wish, ...limits, number: 1, issuedAt: NOW },
})
const limited = (endsAt: string | null, networks: typeof office | null): KeyEvent => ({
  type: 'SandboxKeyLimitsSet',
  data: { number: 1, keyId: 'k1', endsAt, networks },
})

test('N-99 a sandbox key is made with an end and networks, or is given them later; null removes them', (t) => {
  const limits = { endsAt: LATER, networks: office }
  given(t, sandboxKeys)
    .when('issue', { ...wish, ...limits })
    .yields(issued(limits))
  const made = given(t, sandboxKeys, issued(limits))
  made.when('limit', { number: 1, endsAt: LATEST }).yields(limited(LATEST, office))
  made.when('limit', { number: 1, networks: null }).yields(limited(LATER, null))
  made.when('limit', { number: 1, endsAt: null, networks: home }).yields(limited(null, home))
  given(t, sandboxKeys, issued()).when('limit', { number: 1, networks: home }).yields(limited(null, home))
  given(t, sandboxKeys, issued(), limited(LATER, null))
    .when('limit', { number: 1, networks: home })
    .yields(limited(LATER, home))
})

test('N-99 the same limits again are no event, also when the end is over, and an end that is over is refused', (t) => {
  const made = given(t, sandboxKeys, issued({ endsAt: LATER, networks: office }))
  made.when('limit', { number: 1 }).yieldsNothing()
  made.when('limit', { number: 1, endsAt: LATER, networks: { ...office, text: 'sealed anew' } }).yieldsNothing()
  made.when('limit', { number: 1, endsAt: LATER }, LATEST).yieldsNothing()
  made.when('limit', { number: 1, endsAt: NOW }, LATER).isRefused('invalid-request')
  made.when('limit', { number: 1, endsAt: NOW }).isRefused('invalid-request')
  made.when('limit', { number: 2, endsAt: null }).isRefused('sandbox-key-not-found')
  given(t, sandboxKeys)
    .when('issue', { ...wish, endsAt: NOW })
    .isRefused('invalid-request')
})

test('N-99 a new secret of a sandbox key has the limits of the old one', (t) => {
  const data = { number: 1, ...fresh, replacedKeyId: 'k1' }
  given(t, sandboxKeys, issued(), limited(LATER, office))
    .when('rotate', { number: 1, ...fresh })
    .yields({ type: 'SandboxKeyRotated', data: { ...data, endsAt: LATER, networks: office } })
  given(t, sandboxKeys, issued({ endsAt: LATER }), limited(null, null))
    .when('rotate', { number: 1, ...fresh })
    .yields({ type: 'SandboxKeyRotated', data })
})

const clerk = { role: 'clerk', permissions: [], roleName: null, displayName: null, storeScope: [2] } as const
type TeamEvent = EventsOf<typeof team>
const created = (limits: object = {}): TeamEvent => ({
  type: 'SubagentCreated',
  data: { ...kept, ...clerk, ...limits, number: 1, slot: 1, createdAt: NOW },
})
const changed = (more: object): TeamEvent => ({
  type: 'SubagentChanged',
  data: { ...clerk, number: 1, keyId: 'k1', ...more },
})

test('N-99 a sub-key is made with limits, or is given them later; its scope and its other limits stay', (t) => {
  const limits = { endsAt: LATER, networks: office }
  given(t, team)
    .when('create', { ...kept, ...clerk, ...limits })
    .yields(created(limits))
  given(t, team, created())
    .when('change', { number: 1, endsAt: LATER })
    .yields(changed({ endsAt: LATER }))
  const made = given(t, team, created(limits))
  made.when('change', { number: 1, networks: home }).yields(changed({ endsAt: LATER, networks: home }))
  made.when('change', { number: 1, endsAt: null }).yields(changed({ networks: office }))
  made.when('change', { number: 1, storeScope: [] }).yields(changed({ ...limits, storeScope: [] }))
  given(t, team, created(limits), changed({ networks: office }), changed({}))
    .when('change', { number: 1, storeScope: [] })
    .yields(changed({ storeScope: [] }))
  made.when('rotate', { number: 1, ...fresh }).yields({
    type: 'SubagentKeyRotated',
    data: { number: 1, ...fresh, ...clerk, ...limits, replacedKeyId: 'k1', suspended: false },
  })
})

test('N-99 an end that is over is refused before a seat is paid for, and kept when it came to be over since', (t) => {
  const past = { ...kept, ...clerk, endsAt: NOW }
  given(t, team).when('create', past).isRefused('invalid-request')
  given(t, team, created())
    .when('create', { ...past, keyId: 'k9' })
    .isRefused('invalid-request')
  given(t, team, created()).when('change', { number: 1, endsAt: NOW }).isRefused('invalid-request')
  const made = given(t, team, created({ endsAt: LATER }))
  made.when('change', { number: 1, endsAt: LATER }, LATEST).yieldsNothing()
  made.when('change', { number: 1, storeScope: [] }, LATEST).yields(changed({ endsAt: LATER, storeScope: [] }))
  const paid = { number: 1, fee: '1000000' }
  given(t, team, created())
    .when('create', { ...fresh, ...clerk, endsAt: LATER, paid }, LATEST)
    .yields({
      type: 'SubagentCreated',
      data: { ...fresh, ...clerk, endsAt: LATER, paid, number: 2, slot: 2, createdAt: LATEST },
    })
})
