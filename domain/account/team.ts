import { decider, type Of } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'
import type { Capability } from './capabilities.ts'
import type { KeptKey } from './keys/api-key.ts'
import {
  type KeyLimits,
  type KeyLimitsChange,
  keyLimits,
  keyLimitsAfter,
  mustEndLater,
  sameKeyLimits,
} from './keys/key-limits.ts'
import type { SealedName } from './named.ts'
import { type Role, SEAT_PRICES, SEATS_INCLUDED } from './roles.ts'

/**
 * The sub-keys of an account ("subagents" in document 1): what each may do, and the seats that they sit on. A seat that
 * was paid for stays the account's; whoever leaves it makes room for the next (I-CRD-04).
 */

/** Sub-keys that one account may have at once. */
const SUBAGENTS_MAX = 200

/** What a sub-key is: its role, where that counts, and until when and from where it may call. */
export type SubagentGrants = KeyLimits & {
  role: Role
  /** What a `custom` role may do; empty for all others. */
  permissions: readonly Capability[]
  roleName: SealedName | null
  displayName: SealedName | null
  /** The stores that the sub-key may act in; empty: all. */
  storeScope: readonly number[]
}

type Status = 'active' | 'suspended'

/** The grants that change; what is not given stays as it is by then. */
export type GrantsChange = KeyLimitsChange & {
  readonly [K in Exclude<keyof SubagentGrants, keyof KeyLimits>]?: SubagentGrants[K] | undefined
} & { readonly status?: Status | undefined }

/**
 * A payment from the account's credit, by its number there: each is used once, whoever brings it, and however often.
 */
type SeatPayment = { number: number; fee: Units }

type TeamEvents = {
  SubagentCreated: KeptKey & SubagentGrants & { number: number; slot: number; createdAt: string; paid?: SeatPayment }
  /** The sub-key has a new secret, and may do what it could before; the old secret stopped at once (K-SUB-04). */
  SubagentKeyRotated: KeptKey & SubagentGrants & { number: number; replacedKeyId: string; suspended: boolean }
  /** All that the sub-key may do from now on. */
  SubagentChanged: SubagentGrants & { number: number; keyId: string; paid?: SeatPayment }
  /** Its key is refused until it is active again (T-SUB-01). */
  SubagentSuspended: { number: number; keyId: string }
  SubagentActivated: { number: number; keyId: string }
  /** Its key stopped for good, and its seat is free (K-SUB-07). */
  SubagentDeleted: { number: number; keyId: string }
  /**
   * So much of a payment was not needed by then: the sub-key was gone, or its seat had been paid for by another call.
   * It is given back.
   */
  SeatPaymentUnused: { paid: SeatPayment; unused: Units }
}

type TeamCommands = {
  /**
   * Takes a free seat, or the one that `paid` bought. Refuses `insufficient-credit` when there is neither, and before
   * that `too-many-keys`, an end that is over, and grants that do not go together.
   */
  create: KeptKey & SubagentGrants & { paid?: SeatPayment }
  rotate: KeptKey & { number: number }
  /**
   * Refuses `insufficient-credit` for a role that its seat was not paid for. A change that was paid for is made, or its
   * payment is noted as unused.
   */
  change: GrantsChange & { number: number; paid?: SeatPayment }
  delete: { number: number }
}

export type Agent = SubagentGrants & {
  readonly keyId: string
  readonly slot: number
  readonly createdAt: string
  readonly status: Status
  /** The price of the dearest role that its seat was taken for: going back there costs nothing. */
  readonly paidFor: Units
}

/** `bought`: seats beyond those included. `used`: payments up to this number, and further ones that came early. */
type State = {
  last: number
  bought: number
  agents: { readonly [number: number]: Agent }
  used: { upTo: number; beyond: readonly number[] }
}

export const team = decider<TeamEvents, TeamCommands, State>({
  category: 'team',
  stateVersion: 2,
  initial: { last: 0, bought: 0, agents: {}, used: { upTo: 0, beyond: [] } },
  decide: {
    create: (state, { paid, ...data }, now) => {
      if (isUsed(state, paid) || agentOfKey(state, data.keyId)) return []
      if (!paid) {
        fitting(data)
        mustEndLater(data, now)
        if (Object.keys(state.agents).length >= SUBAGENTS_MAX)
          return refuse('too-many-keys', `${SUBAGENTS_MAX} sub-keys are there: delete one first`)
        if (slotsFree(state) === 0) return refuse('insufficient-credit', 'no seat is free')
      }
      const at = { number: state.last + 1, slot: freeSlot(state), createdAt: now }
      return [{ type: 'SubagentCreated', data: { ...data, ...at, ...(paid && { paid }) } }]
    },
    rotate: (state, { number, ...kept }) => {
      const agent = agentOf(state, number)
      const { keyId: replacedKeyId, status } = agent
      if (replacedKeyId === kept.keyId) return []
      const data = { number, ...kept, ...grantsOf(agent), replacedKeyId, suspended: status === 'suspended' }
      return [{ type: 'SubagentKeyRotated', data }]
    },
    change: (state, { number, paid, ...wish }, now) => {
      if (isUsed(state, paid)) return []
      const agent = paid ? state.agents[number] : agentOf(state, number)
      if (!agent) return paid ? unused(paid, paid.fee) : []
      const grants = grantsAfter(agent, wish)
      if (!paid) mustEndLater(wish, now, agent)
      const fee = upgradeFee(agent, grants.role)
      if (!paid && fee > 0n) return refuse('insufficient-credit', 'the seat of this role costs more')
      const { keyId } = agent
      const events: Of<TeamEvents>[] = []
      if (paid || !sameGrants(agent, grants))
        events.push({ type: 'SubagentChanged', data: { ...grants, number, keyId, ...(paid && { paid }) } })
      if (paid && BigInt(paid.fee) > fee) events.push(...unused(paid, String(BigInt(paid.fee) - fee)))
      if (wish.status !== undefined && wish.status !== agent.status)
        events.push({ type: STATUS_EVENTS[wish.status], data: { number, keyId } })
      return events
    },
    delete: (state, { number }) => {
      const agent = state.agents[number]
      if (agent) return [{ type: 'SubagentDeleted', data: { number, keyId: agent.keyId } }]
      return number >= 1 && number <= state.last ? [] : agentMissing()
    },
  },
  evolve: {
    SubagentCreated: (state, { number, slot, keyId, paid, createdAt, ...data }) => ({
      last: number,
      bought: state.bought + (paid ? 1 : 0),
      agents: {
        ...state.agents,
        [number]: {
          ...grantsOf(data),
          keyId,
          slot,
          createdAt,
          status: 'active' as const,
          paidFor: String(SEAT_PRICES[data.role]),
        },
      },
      used: using(state, paid),
    }),
    SubagentKeyRotated: (state, { number, keyId }) => changed(state, number, { keyId }),
    SubagentChanged: (state, { number, paid, ...data }) => {
      const { paidFor = '0' } = state.agents[number] ?? {}
      const price = SEAT_PRICES[data.role]
      const dearest = price > BigInt(paidFor) ? String(price) : paidFor
      const { endsAt = null, networks = null } = data
      const agent = { ...grantsOf(data), endsAt, networks, paidFor: dearest }
      return { ...changed(state, number, agent), used: using(state, paid) }
    },
    SubagentSuspended: (state, { number }) => changed(state, number, { status: 'suspended' }),
    SubagentActivated: (state, { number }) => changed(state, number, { status: 'active' }),
    SubagentDeleted: (state, { number }) => {
      const { [number]: _, ...agents } = state.agents
      return { ...state, agents }
    },
    SeatPaymentUnused: (state, { paid }) => ({ ...state, used: using(state, paid) }),
  },
})

const STATUS_EVENTS = { active: 'SubagentActivated', suspended: 'SubagentSuspended' } as const

/** Seats that nobody sits on. */
export const slotsFree = ({ bought, agents }: State): number =>
  Math.max(0, SEATS_INCLUDED + bought - Object.keys(agents).length)

/** What the seat costs more for another role, in millionths of a US dollar; nothing for a cheaper one. */
export const upgradeFee = ({ paidFor }: Agent, role: Role): bigint => {
  const more = SEAT_PRICES[role] - BigInt(paidFor)
  return more > 0n ? more : 0n
}

/** Refuses `subagent-not-found`. */
export const agentOf = ({ agents }: State, number: number): Agent => agents[number] ?? agentMissing()

/** The sub-key that has this key, with its number. */
export const agentOfKey = ({ agents }: State, keyId: string): (Agent & { number: number }) | undefined => {
  const [number, agent] = Object.entries(agents).find(([, each]) => each.keyId === keyId) ?? []
  return agent && { ...agent, number: Number(number) }
}

/**
 * The grants of a sub-key after a change. A role other than `custom` drops the permissions of the role before. Refuses
 * `invalid-request` for grants that do not go together.
 */
export const grantsAfter = (agent: Agent, wish: GrantsChange): SubagentGrants => {
  const role = wish.role ?? agent.role
  const keeps = role === 'custom' && agent.role === 'custom'
  return fitting({
    role,
    permissions: wish.permissions ?? (keeps ? agent.permissions : []),
    roleName: wish.roleName === undefined ? agent.roleName : wish.roleName,
    displayName: wish.displayName === undefined ? agent.displayName : wish.displayName,
    storeScope: wish.storeScope ?? agent.storeScope,
    ...keyLimitsAfter(agent, wish),
  })
}

/** Refuses `invalid-request` unless `custom`, and no other role, comes with permissions of its own (K-SUB-09). */
const fitting = <G extends Pick<SubagentGrants, 'role' | 'permissions'>>(grants: G): G => {
  const { role, permissions } = grants
  if (role !== 'custom' && permissions.length > 0)
    return refuse('invalid-request', 'permissions: only the role custom has a list of its own, so leave it out')
  if (role === 'custom' && permissions.length === 0)
    return refuse('invalid-request', 'permissions: has to name one at least for the role custom')
  return grants
}

const unused = (paid: SeatPayment, amount: Units): Of<TeamEvents>[] => [
  { type: 'SeatPaymentUnused', data: { paid, unused: amount } },
]

const agentMissing = (): never => refuse('subagent-not-found')

const freeSlot = ({ agents }: State): number => {
  const taken = new Set(Object.values(agents).map(({ slot }) => slot))
  let slot = 1
  while (taken.has(slot)) slot++
  return slot
}

const grantsOf = (grants: SubagentGrants): SubagentGrants => ({
  role: grants.role,
  permissions: grants.permissions,
  roleName: grants.roleName,
  displayName: grants.displayName,
  storeScope: grants.storeScope,
  ...keyLimits(grants),
})

const sameGrants = (a: SubagentGrants, b: SubagentGrants): boolean =>
  a.role === b.role &&
  a.roleName?.print === b.roleName?.print &&
  a.displayName?.print === b.displayName?.print &&
  a.permissions.join() === b.permissions.join() &&
  a.storeScope.join() === b.storeScope.join() &&
  sameKeyLimits(a, b)

const isUsed = ({ used: { upTo, beyond } }: Pick<State, 'used'>, paid: SeatPayment | undefined): boolean =>
  paid !== undefined && (paid.number <= upTo || beyond.includes(paid.number))

const using = ({ used }: Pick<State, 'used'>, paid: SeatPayment | undefined): State['used'] => {
  if (!paid || isUsed({ used }, paid)) return used
  let { upTo } = used
  const beyond = new Set([...used.beyond, paid.number])
  while (beyond.delete(upTo + 1)) upTo++
  return { upTo, beyond: [...beyond] }
}

const changed = (state: State, number: number, part: Partial<Agent>): State => {
  const agent = state.agents[number]
  return agent ? { ...state, agents: { ...state.agents, [number]: { ...agent, ...part } } } : state
}

/**
 * The order that a seat payment is for: a new sub-key, or a dearer role for one. It stands in the payment, so that a
 * crash between the two loses nothing.
 */
export type SeatOrder =
  | ({ readonly id: string; readonly kind: 'create' } & KeptKey & SubagentGrants)
  | ({ readonly id: string; readonly kind: 'change'; readonly number: number } & GrantsChange)
