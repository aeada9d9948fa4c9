import { z } from 'zod'
import { CAPABILITIES, type Capability } from '../../../../domain/account/capabilities.ts'
import { nameOf } from '../../../../domain/account/named.ts'
import { ROLES } from '../../../../domain/account/roles.ts'
import type { MemberGrants } from '../../../../domain/account/team-members.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { GrantValues, StoreChoice } from '../../pages/dashboard/team/grants-form.ts'
import { csrf, type MemberRequest } from '../of-dashboard.ts'

/** What a member may do, and where, as a form says it: a box for each right, and one for each store. */

/** What the owner alone does in person: with a second factor, and a fresh proof of it (N-95). */
export const byOwner = { capability: 'settings.edit', ownerOnly: true, fresh: 'enrolled' } as const

export const GRANT_FIELDS = ['role', 'permissions', 'stores'] as const

const tick = z.literal('1').optional()
const grantShape = {
  csrf,
  role: z.enum(ROLES),
  stores: z.enum(['all', 'some']),
  agreed: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional(),
  ...(Object.fromEntries(CAPABILITIES.map((slug) => [`may_${slug}`, tick])) as Record<
    `may_${Capability}`,
    typeof tick
  >),
}

const STORE_BOX = /^store_([1-9]\d{0,8})$/

/** The form with further fields: boxes for rights have names of their own, those for stores come from their numbers. */
export const grantForm = <S extends z.core.$ZodLooseShape>(fields: S) => {
  const known = new Set(['act', ...Object.keys(grantShape), ...Object.keys(fields)])
  return z
    .object({ ...grantShape, ...fields })
    .catchall(z.string().max(20))
    .superRefine((body, ctx) => {
      const unknown = Object.keys(body).find((name) => !known.has(name) && !STORE_BOX.test(name))
      if (unknown !== undefined) ctx.addIssue({ code: 'custom', path: [unknown], message: 'this name is not known' })
    })
}

type GrantBody = z.output<z.ZodObject<typeof grantShape>>

/** What was chosen, as it stands; nothing is refused yet. */
export const chosenIn = (body: GrantBody): GrantValues => {
  const ticked = new Set(
    Object.entries(body)
      .filter(([, value]) => value === '1')
      .map(([name]) => name),
  )
  const stores = [...ticked].flatMap((name) => STORE_BOX.exec(name)?.[1] ?? []).map(Number)
  return {
    role: body.role,
    permissions: body.role === 'custom' ? CAPABILITIES.filter((slug) => ticked.has(`may_${slug}`)) : [],
    storeScope: body.stores === 'all' ? [] : stores.toSorted((a, b) => a - b),
  }
}

/** Refuses `invalid-request` for single stores of which none is chosen: no store at all would mean all of them. */
export const grantsIn = (body: GrantBody): MemberGrants => {
  const grants = chosenIn(body)
  if (body.stores === 'some' && grants.storeScope.length === 0)
    refuse('invalid-request', 'stores: choose one at least, or the whole account')
  return grants
}

/** What the owner has agreed to pay, in millionths of a US dollar. */
export const agreedIn = ({ agreed }: GrantBody): bigint => BigInt(agreed ?? 0)

/** The stores of the account, by their numbers and names. */
export const storeChoices = async (
  { ledger, vault }: MemberRequest['flow'],
  accountId: string,
): Promise<readonly StoreChoice[]> => {
  const { stores } = await ledger.stores.read(accountId)
  return await Promise.all(
    Object.entries(stores).map(async ([id, { label }]) => [Number(id), await nameOf(vault, label)] as const),
  )
}
