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
import { isRefusal, refuse } from '../../../../../domain/kernel/refusal.ts'
import { changeLink, givesMore, type LinkWish, makeLinkCode } from '../../../../../domain/use-cases/game/links.ts'
import type { PersonCaller } from '../../../core/caller.ts'
import { endpoint, type Reply } from '../../../core/endpoint.ts'
import { linkFormPage, unitsField } from '../../../pages/people/game-link-form.ts'
import { changePath, codePage, proofPage } from '../../../pages/people/game-links.ts'
import { signWords } from '../../../pages/people/messages/sign-en.ts'
import { seeOther } from '../../../pages/people-page.ts'
import type { FactorContext } from '../factors/challenges.ts'
import { ofPeople } from '../of-people.ts'
import { type ProofResult, proofFault, proofForm, provenFields, takeProof } from '../proof.ts'

/** The form of a link: its fields, and what was typed into them. */

const UNITS_MAX = 20

/** A field for each scope, because a form may name no field twice. */
const linkFields = {
  label: z.string().max(1_000).default(''),
  ...fieldsOf(GAME_SCOPES, (scope) => scope, z.literal('1').optional()),
  ...fieldsOf(SPEND_SCOPES, unitsField, z.string().max(UNITS_MAX).default('')),
}

type LinkFormBody = Readonly<Record<string, unknown>>

type TypedLink = {
  readonly label: string
  readonly scopes: readonly GameScope[]
  readonly units: { readonly [S in SpendScope]?: string }
}

/** The form as it was typed, so that it can be shown again. */
const typedIn = (body: LinkFormBody): TypedLink => ({
  label: text(body.label),
  scopes: GAME_SCOPES.filter((scope) => body[scope] === '1'),
  units: Object.fromEntries(SPEND_SCOPES.map((scope) => [scope, text(body[unitsField(scope)])])),
})

/** The form as it shows a link that exists. */
const typedOf = ({ scopes, grants }: Pick<GameLink, 'scopes' | 'grants'>, label: string): TypedLink => ({
  label,
  scopes,
  units: Object.fromEntries(SPEND_SCOPES.map((scope) => [scope, grants[scope] ? String(grants[scope]) : ''])),
})

/** Hidden fields with which another form says the same. */
const carriedOf = ({ label, scopes, units }: TypedLink): Record<string, string> => ({
  label,
  ...Object.fromEntries(scopes.map((scope) => [scope, '1'])),
  ...Object.fromEntries(SPEND_SCOPES.map((scope) => [unitsField(scope), units[scope] ?? ''])),
})

/** The wish, or what is wrong with it, keyed by field. */
const wishOf = ({ label, scopes, units }: TypedLink): { wish: LinkWish } | { errors: Record<string, string> } => {
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

/**
 * A member makes a link code and changes what a link may do. A change that gives somebody more is agreed to on a page
 * of its own that says it in plain words, with a fresh proof that is bound to those words; a change that takes
 * something away needs none.
 */

const common = { ...ofPeople, auth: 'person' } as const
const NEW = '/account/game/links/new'
const CHANGE = '/account/game/links/change'
const LINKS = '/account/game/links'
const form = { csrf: z.string().max(100), agreed: z.literal('1').optional(), ...linkFields, ...provenFields }
const which = z.object({ link_id: z.string().max(64) })

/** The form of a new link: what most people want of somebody who plays for them. */
const USUAL: TypedLink = { label: '', scopes: ['game.read', 'game.characters.read', 'game.feed.read'], units: {} }

const lookAtNew = endpoint({
  ...common,
  path: NEW,
  method: 'get',
  summary: 'The page that makes a link code',
  answer: async ({ actor }) => linkFormPage({ ...USUAL, csrf: actor.csrf, isNew: true, action: NEW }),
})

/** The code is claimed by way of a row, so the answer waits until the row is there. */
const make = endpoint({
  ...common,
  path: NEW,
  method: 'post',
  waits: 'after',
  summary: 'Makes a link code and shows it once',
  body: z.object(form),
  async answer({ body, ...request }) {
    const asked = { request, typed: typedIn(body), about: 'new', action: NEW }
    const proven = await agreed(asked, body)
    if (!('wish' in proven)) return proven.reply
    const { wish, csrf, cookies } = proven
    try {
      const { code } = await makeLinkCode(request.flow, request.actor.sub, wish)
      return codePage({ csrf, cookies, code, label: wish.label })
    } catch (error) {
      if (!isRefusal(error, 'too-many-links')) throw error
      const errors = { form: 'You have as many links as there can be. Please take one back first.' }
      return linkFormPage({ ...asked.typed, csrf, cookies, isNew: true, action: NEW, errors })
    }
  },
})

const lookAtChange = endpoint({
  ...common,
  path: CHANGE,
  method: 'get',
  summary: 'The page on which a member changes what a link may do',
  query: which,
  async answer({ query: { link_id }, ...request }) {
    const { link, label } = await ownLink(request, link_id)
    return linkFormPage({
      ...typedOf(link, label),
      csrf: request.actor.csrf,
      isNew: false,
      action: changePath(link_id),
    })
  },
})

const change = endpoint({
  ...common,
  path: CHANGE,
  method: 'post',
  summary: 'Changes what a link may do and spend, from its next call on',
  query: which,
  body: z.object(form),
  async answer({ query: { link_id }, body, ...request }) {
    const { link } = await ownLink(request, link_id)
    const asked = { request, typed: typedIn(body), about: link_id, action: changePath(link_id), link }
    const proven = await agreed(asked, body)
    if (!('wish' in proven)) return proven.reply
    await changeLink(request.flow, request.actor.sub, link_id, proven.wish)
    return seeOther(`${LINKS}?done=changed`, proven.cookies)
  },
})

export const gameLinkChangeEndpoints = [lookAtNew, make, lookAtChange, change]

type Request = FactorContext & { readonly actor: PersonCaller }

type LinkChange = {
  readonly request: Request
  readonly typed: TypedLink
  /** The id of the link, or `new`: the proof is bound to it. */
  readonly about: string
  readonly action: string
  readonly link?: GameLink
}

/** The wish, once it is agreed to; otherwise the page that comes first. */
const agreed = async (
  asked: LinkChange,
  body: Readonly<Record<string, unknown>>,
): Promise<({ readonly wish: LinkWish } & ProofResult) | { readonly reply: Reply }> => {
  const { request, typed, link } = asked
  const { csrf } = request.actor
  const said = wishOf(typed)
  if ('errors' in said) return { reply: linkFormPage({ ...shownForm(asked), errors: said.errors }) }
  const { wish } = said
  if (link && !givesMore(link, wish)) return { wish, csrf, cookies: [] }
  if (body.agreed === undefined) return { reply: await askProof(asked, wish) }
  try {
    return { wish, ...(await takeProof(request, boundTo(asked, wish), body)) }
  } catch (error) {
    return { reply: await askProof(asked, wish, proofFault(error)) }
  }
}

const askProof = async (asked: LinkChange, wish: LinkWish, error?: string): Promise<Reply> => {
  const { request, typed, link, action } = asked
  const grants = SPEND_SCOPES.filter((scope) => wish.scopes.includes(scope)).map(
    (scope) => [scope, wish.grants[scope] ?? 0] as const,
  )
  return proofPage({
    csrf: request.actor.csrf,
    label: wish.label,
    scopes: wish.scopes,
    grants,
    isNew: link === undefined,
    action,
    carried: carriedOf(typed),
    error,
    ...(await proofForm(request, boundTo(asked, wish), signWords)),
  })
}

/** A proof that was given for other terms is none for these. */
const boundTo = ({ request, about }: LinkChange, wish: LinkWish): string =>
  `game link ${about} ${request.flow.world.digest(JSON.stringify([wish.label, wish.scopes, wish.grants]))}`

const shownForm = ({ request, typed, link, action }: LinkChange) => ({
  ...typed,
  csrf: request.actor.csrf,
  isNew: link === undefined,
  action,
})

/** A link of this member's; the answer does not tell a foreign link from none. Refuses `link-not-found`. */
const ownLink = async ({ flow, actor }: Request, linkId: string): Promise<{ link: GameLink; label: string }> => {
  const { links } = await flow.ledger.gameMember.read(actor.sub)
  const link = (Object.hasOwn(links, linkId) ? links[linkId] : undefined) ?? refuse('link-not-found')
  return { link, label: (await flow.vault.open(link.label)) ?? '' }
}
