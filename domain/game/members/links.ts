import { addMinutes } from '../../kernel/calendar.ts'
import type { SealedText } from '../../kernel/ports.ts'
import { refuse } from '../../kernel/refusal.ts'
import { type GameScope, GRANT_MAX_UNITS, type Grants, SPEND_SCOPES } from './scopes.ts'

/**
 * A member lets a seller's key act for it by a code that is good once and for some minutes (G-LNK-01). What the link
 * may do and spend is the member's to say, at any time, and ends with the link (G-GEN-02, G-GEN-03).
 */
export type GameLink = {
  readonly scopes: readonly GameScope[]
  readonly grants: Grants
  /** The name that the member gave it. */
  readonly label: SealedText
} & (LinkOffer | ActiveLink)

/** A link that nobody has claimed yet. */
type LinkOffer = { readonly state: 'offered'; readonly codeHash: string; readonly expiresAt: string }
type ActiveLink = { readonly state: 'active' } & Claimer

/**
 * `holder`: the holder of the key, which is an owner's account or one of its sub-keys; `consumerId`: the id by which
 * this seller, and no other, knows the member.
 */
type Claimer = {
  readonly accountId: string
  readonly holder: string
  readonly consumerId: string
  readonly claimedAt: string
}

/** What a link may do, as its member has said it. */
export type LinkTerms = { scopes: readonly GameScope[]; grants: Grants; label: SealedText }

export type LinkEvents = {
  GameLinkCodeMade: { linkId: string; codeHash: string; expiresAt: string; madeAt: string } & LinkTerms
  GameLinkClaimed: { linkId: string } & Claimer
  GameLinkChanged: { linkId: string } & LinkTerms
  /**
   * The link is over: its code claims nothing, and no key acts by it. `replaced`: its holder has claimed another link.
   */
  GameLinkRevoked: { linkId: string; holder: string | null; by: 'member' | 'replaced'; revokedAt: string }
}

export type LinkCommands = {
  /** Refuses `too-many-links`. */
  makeCode: { linkId: string; codeHash: string; minutes: number } & LinkTerms
  /** Refuses `link-code-used` when it was claimed or taken back, `link-code-expired`. */
  claim: { linkId: string } & Omit<Claimer, 'claimedAt'>
  /** Refuses `link-not-found`. */
  changeLink: { linkId: string } & LinkTerms
  /** Does nothing when it is not there any more. */
  revoke: { linkId: string; by: 'member' | 'replaced' }
}

export type Links = { readonly [linkId: string]: GameLink }

/** Links of one member at once, offered ones too. */
const LINKS_MAX = 20
/** Minutes after which a code that nobody claimed expires. */
export const CODE_MINUTES = 10
/** Characters of a label before it is sealed. */
export const LABEL_MAX = 60

export const madeLinkCode = (
  links: Links,
  { minutes, ...wish }: LinkCommands['makeCode'],
  now: string,
): LinkEvents['GameLinkCodeMade'] | undefined => {
  if (links[wish.linkId]) return undefined
  if (Object.keys(stillThere(links, now)).length >= LINKS_MAX)
    return refuse('too-many-links', `At most ${LINKS_MAX} links at once: revoke one first.`)
  return { ...wish, ...bounded(wish), madeAt: now, expiresAt: addMinutes(now, minutes) }
}

export const claimedLink = (
  links: Links,
  { linkId, ...claimer }: LinkCommands['claim'],
  now: string,
): LinkEvents['GameLinkClaimed'] | undefined => {
  const link = links[linkId]
  if (link?.state !== 'offered') return refuse('link-code-used')
  if (now >= link.expiresAt) return refuse('link-code-expired')
  return { linkId, ...claimer, claimedAt: now }
}

export const changedLink = (
  links: Links,
  wish: LinkCommands['changeLink'],
): LinkEvents['GameLinkChanged'] | undefined => {
  const link = links[wish.linkId]
  if (!link) return refuse('link-not-found')
  const terms = bounded(wish)
  const before = { scopes: link.scopes, grants: link.grants, label: link.label }
  return JSON.stringify(before) === JSON.stringify(terms) ? undefined : { linkId: wish.linkId, ...terms }
}

export const revokedLink = (links: Links, { linkId, by }: LinkCommands['revoke'], now: string) => {
  const link = Object.hasOwn(links, linkId) ? links[linkId] : undefined
  return link && { linkId, holder: link.state === 'active' ? link.holder : null, by, revokedAt: now }
}

export const linksAfter = {
  GameLinkCodeMade: (
    links: Links,
    { linkId, codeHash, expiresAt, madeAt, ...terms }: LinkEvents['GameLinkCodeMade'],
  ) => ({
    ...stillThere(links, madeAt),
    [linkId]: { ...bounded(terms), state: 'offered', codeHash, expiresAt } as const,
  }),
  GameLinkClaimed: (links: Links, { linkId, ...claimer }: LinkEvents['GameLinkClaimed']): Links => {
    const { scopes = [], grants = {}, label = '' } = links[linkId] ?? {}
    return { ...links, [linkId]: { scopes, grants, label, state: 'active', ...claimer } }
  },
  GameLinkChanged: (links: Links, { linkId, ...terms }: LinkEvents['GameLinkChanged']): Links => {
    const link = links[linkId]
    return link ? { ...links, [linkId]: { ...link, ...terms } } : links
  },
  GameLinkRevoked: (links: Links, { linkId }: LinkEvents['GameLinkRevoked']): Links => {
    const { [linkId]: _, ...rest } = links
    return rest
  },
}

/** Keeps the grants above zero of scopes that the link has: any other would be misleading. */
const bounded = ({ scopes, grants, label }: LinkTerms): LinkTerms => {
  const kept = SPEND_SCOPES.flatMap((scope) => {
    const units = grants[scope] ?? 0
    if (!Number.isInteger(units) || units < 0 || units > GRANT_MAX_UNITS)
      return refuse('invalid-request', `grant: has to be a whole number from 0 to ${GRANT_MAX_UNITS}`)
    return units > 0 && scopes.includes(scope) ? [[scope, units] as const] : []
  })
  return { scopes: [...new Set(scopes)], grants: Object.fromEntries(kept), label }
}

/** The links, without codes that nobody claimed in time. */
const stillThere = (links: Links, now: string): Links =>
  Object.fromEntries(Object.entries(links).filter(([, link]) => link.state === 'active' || link.expiresAt > now))
