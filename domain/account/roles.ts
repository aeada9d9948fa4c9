import { refuse } from '../kernel/refusal.ts'
import { CAPABILITIES, type Capability } from './capabilities.ts'

/**
 * The roles of sub-keys: what each may do, and what a seat for it costs (1:251-253, 1:284, N-27). One line is one role.
 */

export const ROLES = [
  'clerk',
  'teller',
  'lead',
  'supervisor',
  'manager',
  'director',
  'officer',
  'admin',
  'master-admin',
  'accountant',
  'auditor',
  'designer',
  'custom',
] as const
export type Role = (typeof ROLES)[number]

const USD = 1_000_000n

/** What a seat costs, once, in millionths of a US dollar. */
export const SEAT_PRICES: Readonly<Record<Role, bigint>> = {
  clerk: 1n * USD,
  teller: 2n * USD,
  lead: 3n * USD,
  supervisor: 4n * USD,
  manager: 5n * USD,
  director: 8n * USD,
  officer: 10n * USD,
  admin: 15n * USD,
  'master-admin': 20n * USD,
  accountant: 5n * USD,
  auditor: 5n * USD,
  designer: 5n * USD,
  custom: 10n * USD,
}

const views = CAPABILITIES.filter((slug) => slug.endsWith('.view') && slug !== 'audit.view')

const clerk: readonly Capability[] = ['transactions.view', 'payment-links.view', 'payment-links.create']
const teller: readonly Capability[] = [...clerk, 'checkouts.view', 'resources.view']
const lead: readonly Capability[] = [...teller, 'transactions.edit', 'offers.manage']
const supervisor: readonly Capability[] = [...lead, 'transactions.refund', 'discounts.edit']
const manager: readonly Capability[] = [
  ...supervisor,
  ...(['checkouts.edit', 'resources.edit', 'fields.edit', 'landers.view', 'landers.edit', 'stores.view'] as const),
]
const director: readonly Capability[] = [
  ...manager,
  ...(['design.edit', 'stores.edit', 'settings.view', 'billing.view'] as const),
]
const officer: readonly Capability[] = [
  ...director,
  ...(['wallets.view', 'payouts.view', 'payouts.request', 'transactions.export'] as const),
]
const admin: readonly Capability[] = [
  ...officer,
  ...(['settings.edit', 'wallets.edit', 'sandbox-keys.manage', 'billing.spend', 'game.use'] as const),
]

/** What each role carries; `custom` carries what its `permissions` list says. */
const carried: Readonly<Record<Exclude<Role, 'custom'>, readonly Capability[]>> = {
  clerk,
  teller,
  lead,
  supervisor,
  manager,
  director,
  officer,
  admin,
  'master-admin': CAPABILITIES,
  accountant: [...views, 'transactions.export'],
  auditor: [...views, 'audit.view'],
  designer: ['design.edit', 'landers.view', 'landers.edit', 'checkouts.view'],
}

/** What a sub-key of a role may do; `permissions` count for `custom` alone (K-SUB-09). */
export const capabilitiesOf = (role: Role, permissions: readonly Capability[]): readonly Capability[] =>
  role === 'custom' ? permissions : carried[role]

/** Refuses `invalid-request` unless `custom`, and no other role, comes with permissions of its own (K-SUB-09). */
export const mustFit = <G extends { readonly role: Role; readonly permissions: readonly Capability[] }>(
  grants: G,
): G => {
  const { role, permissions } = grants
  if (role !== 'custom' && permissions.length > 0)
    return refuse('invalid-request', 'permissions: only the role custom has a list of its own, so leave it out')
  if (role === 'custom' && permissions.length === 0)
    return refuse('invalid-request', 'permissions: has to name one at least for the role custom')
  return grants
}

/**
 * What the API key of a store may do, in that store alone: the shop's own server takes payments and keeps its goods,
 * and no more (Q-53, N-45).
 */
export const STORE_KEY_ROLE = 'manager' satisfies Role
