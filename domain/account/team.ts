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
import {
  dearestOf,
  freeSlot,
  isUsed,
  SEATED_MAX,
  type SeatPayment,
  type Seats,
  seatedCount,
  slotsFree,
  unusedPayment,
  upgradeFee,
  using,
} from './members/seats.ts'
import type { SealedName } from './named.ts'
import { mustFit, type Role, SEAT_PRICES } from './roles.ts'
import {
  decideMembers,
  evolveMembers,
  type Invitation,
  type MemberGrants,
  type MembersState,
  NO_MEMBERS,
  type TeamMemberCommands,
  type TeamMemberEvents,
} from './team-members.ts'

/**
 * The sub-keys of an account ("subagents" in document 1): what each may do. They and the members of the team
 * (team-members.ts) sit on the same seats, which is why they are decided together.
 */

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

type TeamEvents = TeamMemberEvents & {
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

type TeamCommands = TeamMemberCommands & {
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

/** `last`: the newest number of a sub-key or a member. */
type State = Omit<Seats, 'members'> &
  MembersState & { readonly last: number; readonly agents: { readonly [number: number]: Agent } }

export const team = decider<TeamEvents, TeamCommands, State>({
  category: 'team',
  stateVersion: 2,
  initial: { last: 0, bought: 0, agents: {}, used: { upTo: 0, beyond: [] }, ...NO_MEMBERS },
  decide: {
    ...decideMembers,
    create: (state, { paid, ...data }, now) => {
      if (isUsed(state, paid) || agentOfKey(state, data.keyId)) return []
      if (!paid) {
        mustFit(data)
        mustEndLater(data, now)
        if (seatedCount(state) >= SEATED_MAX)
          return refuse('too-many-keys', `${SEATED_MAX} sub-keys and members are there: delete one first`)
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
      if (!agent) return paid ? [unusedPayment(paid, paid.fee)] : []
      const grants = grantsAfter(agent, wish)
      if (!paid) mustEndLater(wish, now, agent)
      const fee = upgradeFee(agent, SEAT_PRICES[grants.role])
      if (!paid && fee > 0n) return refuse('insufficient-credit', 'the seat of this role costs more')
      const { keyId } = agent
      const events: Of<TeamEvents>[] = []
      if (paid || !sameGrants(agent, grants))
        events.push({ type: 'SubagentChanged', data: { ...grants, number, keyId, ...(paid && { paid }) } })
      if (paid && BigInt(paid.fee) > fee) events.push(unusedPayment(paid, String(BigInt(paid.fee) - fee)))
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
    ...evolveMembers,
    SubagentCreated: (state, { number, slot, keyId, paid, createdAt, ...data }) => ({
      ...state,
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
          paidFor: dearestOf('0', SEAT_PRICES[data.role]),
        },
      },
      used: using(state, paid),
    }),
    SubagentKeyRotated: (state, { number, keyId }) => changed(state, number, { keyId }),
    SubagentChanged: (state, { number, paid, ...data }) => {
      const paidFor = dearestOf(state.agents[number]?.paidFor ?? '0', SEAT_PRICES[data.role])
      const { endsAt = null, networks = null } = data
      return { ...changed(state, number, { ...grantsOf(data), endsAt, networks, paidFor }), used: using(state, paid) }
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
  return mustFit({
    role,
    permissions: wish.permissions ?? (keeps ? agent.permissions : []),
    roleName: wish.roleName === undefined ? agent.roleName : wish.roleName,
    displayName: wish.displayName === undefined ? agent.displayName : wish.displayName,
    storeScope: wish.storeScope ?? agent.storeScope,
    ...keyLimitsAfter(agent, wish),
  })
}

const agentMissing = (): never => refuse('subagent-not-found')

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

const changed = (state: State, number: number, part: Partial<Agent>): State => {
  const agent = state.agents[number]
  return agent ? { ...state, agents: { ...state.agents, [number]: { ...agent, ...part } } } : state
}

/**
 * The order that a seat payment is for: a new sub-key or an invitation, or a dearer role for one who is there. It
 * stands in the payment, so that a crash between the two loses nothing.
 */
export type SeatOrder =
  | ({ readonly id: string; readonly kind: 'create' } & KeptKey & SubagentGrants)
  | ({ readonly id: string; readonly kind: 'change'; readonly number: number } & GrantsChange)
  | ({ readonly id: string; readonly kind: 'invite' } & Invitation)
  | ({
      readonly id: string
      readonly kind: 'change-member'
      readonly number: number
      readonly by: string
    } & MemberGrants)
