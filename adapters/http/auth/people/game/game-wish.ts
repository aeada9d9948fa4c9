import { z } from 'zod'
import { type GameLink, LABEL_MAX } from '../../../../../domain/game/members/links.ts'
import {
  GAME_SCOPES,
  type GameScope,
  GRANT_MAX_UNITS,
  type Grants,
  SPEND_SCOPES,
  type SpendScope,
} from '../../../../../domain/game/members/scopes.ts'
import type { LinkWish } from '../../../../../domain/use-cases/game/member-links.ts'
import { unitsField } from '../../../pages/people/game-link-form.ts'

/** What the form of a link is sent with, and what it says. */

const UNITS_MAX = 20

/** A field for each scope, because a form may name no field twice. */
export const linkFields = {
  label: z.string().max(1_000).default(''),
  ...fieldsOf(GAME_SCOPES, (scope) => scope, z.literal('1').optional()),
  ...fieldsOf(SPEND_SCOPES, unitsField, z.string().max(UNITS_MAX).default('')),
}

type LinkFormBody = Readonly<Record<string, unknown>>

export type TypedLink = {
  readonly label: string
  readonly scopes: readonly GameScope[]
  readonly units: { readonly [S in SpendScope]?: string }
}

/** As it was typed, so that the form can be shown again. */
export const typedIn = (body: LinkFormBody): TypedLink => ({
  label: text(body.label),
  scopes: GAME_SCOPES.filter((scope) => body[scope] === '1'),
  units: Object.fromEntries(SPEND_SCOPES.map((scope) => [scope, text(body[unitsField(scope)])])),
})

/** As the form shows a link that is there. */
export const typedOf = ({ scopes, grants }: Pick<GameLink, 'scopes' | 'grants'>, label: string): TypedLink => ({
  label,
  scopes,
  units: Object.fromEntries(SPEND_SCOPES.map((scope) => [scope, grants[scope] ? String(grants[scope]) : ''])),
})

/** Fields that another form carries to say the same. */
export const carriedOf = ({ label, scopes, units }: TypedLink): Record<string, string> => ({
  label,
  ...Object.fromEntries(scopes.map((scope) => [scope, '1'])),
  ...Object.fromEntries(SPEND_SCOPES.map((scope) => [unitsField(scope), units[scope] ?? ''])),
})

/** What is wished; or what is wrong, by field. */
export const wishOf = ({
  label,
  scopes,
  units,
}: TypedLink): { wish: LinkWish } | { errors: Record<string, string> } => {
  const errors: Record<string, string> = {}
  if (label === '' || label.length > LABEL_MAX) errors.label = `Please type 1 to ${LABEL_MAX} characters.`
  if (scopes.length === 0) errors.scopes = 'Please tick what it may do.'
  const grants: Partial<Record<SpendScope, number>> = {}
  for (const scope of SPEND_SCOPES) {
    const typed = units[scope] ?? ''
    if (typed === '' || typed === '0') continue
    if (!/^\d{1,7}$/.test(typed) || Number(typed) > GRANT_MAX_UNITS)
      errors[unitsField(scope)] = `Please type a whole number from 0 to ${GRANT_MAX_UNITS.toLocaleString('en')}.`
    else if (!scopes.includes(scope)) errors[unitsField(scope)] = 'Please tick it as well, or leave this empty.'
    else grants[scope] = Number(typed)
  }
  return Object.keys(errors).length > 0 ? { errors } : { wish: { label, scopes, grants: grants as Grants } }
}

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

function fieldsOf<K extends string, T extends z.ZodType>(names: readonly K[], fieldOf: (name: K) => string, type: T) {
  return Object.fromEntries(names.map((name) => [fieldOf(name), type])) as Record<string, T>
}
