import { z } from 'zod'
import { CAPABILITIES } from '../../../../domain/account/capabilities.ts'
import { keyLimits } from '../../../../domain/account/keys/key-limits.ts'
import { slotsFree } from '../../../../domain/account/members/seats.ts'
import { nameOf, sealedName } from '../../../../domain/account/named.ts'
import { ROLES, SEAT_PRICES } from '../../../../domain/account/roles.ts'
import {
  changeSubagent,
  createSubagent,
  deleteSubagent,
  type NumberedAgent,
  rotateSubagent,
} from '../../../../domain/use-cases/account/subagents.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Ledger } from '../../../../domain/write-side/ledger.ts'
import { endpoint } from '../../core/endpoint.ts'
import { fiatNumber } from '../common/amounts.ts'
import { keyLimitFields, keyLimitsOf, keyStatusOf, shownKeyLimits, writtenNetworks } from './key-limits.ts'

/**
 * Sub-keys: who else may call for an account, and what they may do (K-SUB-01 to K-SUB-09). Only the owner manages them,
 * so no role can raise itself.
 */

const NAME_MAX_CHARS = 100
/** Stores that the scope of a sub-key may name: more than an account can have. */
const SCOPE_STORES_MAX = 1_000

const unique = (list: readonly unknown[]) => new Set(list).size === list.length

const Role = z.enum(ROLES)
const Name = z.string().max(NAME_MAX_CHARS)
const Permissions = z.array(z.enum(CAPABILITIES)).max(CAPABILITIES.length).refine(unique, 'has to name each one once')
const StoreScope = z.array(z.int().positive()).max(SCOPE_STORES_MAX).refine(unique, 'has to name each store once')
const SubagentNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/)
  .transform(Number)

const Subagent = z
  .object({
    id: z.int(),
    role: Role,
    role_name: z.string(),
    permissions: z.array(z.string()),
    store_scope: z.array(z.int()),
    status: z.enum(['active', 'ended', 'suspended']),
    display_name: z.string(),
    created_at: z.string(),
    ...shownKeyLimits,
  })
  .meta({
    id: 'Subagent',
    description:
      '`permissions` are those of the role custom; an empty `store_scope` is all stores, and no `networks` are all networks.',
  })

const Fresh = z
  .object({
    api_key: z.string(),
    subagent: Subagent,
    seat_fee: z.number(),
    slot: z.int(),
    new_balance: z.number(),
  })
  .meta({ id: 'FreshSubagent', description: 'The key is shown this once.' })

const path = '/v1/subagents'
const common = { path, auth: 'key', reach: 'account', callers: { ownerOnly: true }, waits: 'after' } as const

const list = endpoint({
  ...common,
  method: 'get',
  summary: 'The sub-keys, with what a seat costs for each role',
  returns: z.object({
    subagents: z.array(Subagent),
    balance: z.number(),
    prices: z.record(Role, z.number()),
    slots_free: z.int(),
  }),
  async answer({ actor: { accountId }, flow }) {
    const [team, credit] = await Promise.all([
      flow.ledger.team.read(accountId),
      flow.ledger.creditAccount.read(accountId),
    ])
    return {
      subagents: await shownTeam(flow, team),
      balance: fiatNumber(credit.balance),
      prices: PRICES,
      slots_free: slotsFree(team),
    }
  },
})

export const shownTeam = (
  flow: UseCaseContext,
  { agents }: Pick<Awaited<ReturnType<Ledger['team']['read']>>, 'agents'>,
) => Promise.all(Object.entries(agents).map(([number, agent]) => shown(flow, { ...agent, number: Number(number) })))

export const NewSubagent = z.object({
  role: Role,
  permissions: Permissions.default([]),
  role_name: Name.default(''),
  display_name: Name.default(''),
  store_scope: StoreScope.default([]),
  ...keyLimitFields,
})

const create = endpoint({
  ...common,
  method: 'post',
  summary: 'Make a sub-key, shown once; without a free seat its price is paid from the credit',
  // A call that names a sub-key but forgets to say what is to be done with it must not make another one.
  query: z.strictObject({}),
  body: NewSubagent,
  returns: Fresh,
  refusals: ['insufficient-credit', 'store-not-found', 'too-many-keys'],
  answer: async ({ body, actor, flow }) => fresh(flow, await subagentMade(flow, actor.accountId, body)),
})

export const subagentMade = async (flow: UseCaseContext, accountId: string, body: z.output<typeof NewSubagent>) =>
  createSubagent(flow, accountId, {
    role: body.role,
    permissions: body.permissions,
    roleName: await sealedName(flow.vault, accountId, body.role_name),
    displayName: await sealedName(flow.vault, accountId, body.display_name),
    storeScope: body.store_scope,
    ...keyLimits(await keyLimitsOf(flow.vault, accountId, body)),
  })

const rotate = endpoint({
  ...common,
  method: 'post',
  when: { rotate: 'key' },
  summary: 'Give a sub-key a new secret, shown once; the old one stops',
  query: z.object({ subagent_id: SubagentNumber, rotate: z.literal('key') }),
  returns: Fresh,
  refusals: ['subagent-not-found'],
  async answer({ query, actor: { accountId }, flow }) {
    return fresh(flow, await rotateSubagent(flow, accountId, query.subagent_id))
  },
})

const change = endpoint({
  ...common,
  method: 'put',
  summary: 'Change a sub-key; a dearer role than its seat was taken for costs the difference',
  query: z.object({ subagent_id: SubagentNumber }),
  body: z.object({
    role: Role.optional(),
    permissions: Permissions.optional(),
    role_name: Name.optional(),
    display_name: Name.optional(),
    store_scope: StoreScope.optional(),
    status: z.enum(['active', 'suspended']).optional(),
    ...keyLimitFields,
  }),
  returns: z.object({ subagent: Subagent, seat_fee: z.number() }),
  refusals: ['insufficient-credit', 'store-not-found', 'subagent-not-found'],
  async answer({ query, body, actor: { accountId }, flow }) {
    const { role, permissions, role_name, display_name, store_scope: storeScope, status } = body
    const { agent, fee } = await changeSubagent(flow, accountId, query.subagent_id, {
      role,
      permissions,
      storeScope,
      status,
      ...(await keyLimitsOf(flow.vault, accountId, body)),
      ...(role_name !== undefined && { roleName: await sealedName(flow.vault, accountId, role_name) }),
      ...(display_name !== undefined && { displayName: await sealedName(flow.vault, accountId, display_name) }),
    })
    return { subagent: await shown(flow, agent), seat_fee: fiatNumber(fee) }
  },
})

const remove = endpoint({
  ...common,
  method: 'delete',
  summary: 'Delete a sub-key; it stops at once, and its seat is free',
  query: z.object({ subagent_id: SubagentNumber }),
  returns: z.object({ deleted: z.literal(true), id: z.int() }),
  refusals: ['subagent-not-found'],
  async answer({ query: { subagent_id: id }, actor, flow }) {
    await deleteSubagent(flow, actor.accountId, id)
    return { deleted: true as const, id }
  },
})

const shown = async (
  { vault, world }: UseCaseContext,
  { number, permissions, storeScope, role, status, ...agent }: NumberedAgent,
) => ({
  id: number,
  role,
  role_name: await nameOf(vault, agent.roleName),
  permissions: [...permissions],
  store_scope: [...storeScope],
  status: status === 'active' ? keyStatusOf(agent, world, status) : status,
  display_name: await nameOf(vault, agent.displayName),
  created_at: agent.createdAt,
  ends_at: agent.endsAt ?? null,
  networks: await writtenNetworks(vault, agent.networks?.text),
})

const fresh = async (
  flow: UseCaseContext,
  { apiKey, agent, fee, balance }: Awaited<ReturnType<typeof createSubagent>>,
) => ({
  api_key: apiKey,
  subagent: await shown(flow, agent),
  seat_fee: fiatNumber(fee),
  slot: agent.slot,
  new_balance: fiatNumber(balance),
})

const PRICES = Object.fromEntries(ROLES.map((role) => [role, fiatNumber(SEAT_PRICES[role])])) as Record<
  (typeof ROLES)[number],
  number
>

export const subagentEndpoints = [list, create, rotate, change, remove]
