import { z } from 'zod'
import type { GameScope } from '../../../../domain/game/members/scopes.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { characterOf } from '../../../../domain/use-cases/game/characters.ts'
import { type Holder, type LinkedPlayer, linkOf } from '../../../../domain/use-cases/game/links.ts'
import type { Actor } from '../../core/endpoint.ts'

/** What all endpoints of the game have in common (G-GEN-01): a key that may use it. */
export const ofGame = {
  auth: 'key',
  reach: 'account',
  callers: { capability: 'game.use' },
  refusals: ['game-not-linked', 'game-scope-missing'],
  /** The body of a refusal, as elsewhere, with what a program may act on: the time until which a character is busy. */
  failure: (code: string, message: string, facts?: Readonly<Record<string, string>>) => ({
    success: false,
    error: code,
    error_code: code,
    message,
    ...facts,
  }),
} as const

/** What the endpoints have in common that read the ledger alone, and no row of a read model. */
export const ofLedger = { ...ofGame, waits: 'after' } as const

/**
 * The holder of a link: for an owner's key the account, so that a new owner key goes on with the same link; for another
 * key its lookup id.
 */
export const holderOf = ({ accountId, kind, keyId }: Actor): Holder => ({
  accountId,
  holder: kind === 'owner' ? accountId : `${accountId}/${keyId}`,
})

/** The link that the caller acts by; refuses as `linkOf` does. Without a scope, any link will do. */
export const linkOfCaller = ({ flow, actor }: { flow: UseCaseContext; actor: Actor }, scope?: GameScope) =>
  linkOf(flow, holderOf(actor).holder, scope)

/** The member's character that is named, or its first one. Refuses `character-not-found`. */
export const actingCharacter = (flow: UseCaseContext, by: LinkedPlayer, characterId?: number) =>
  characterOf(flow, by, characterId ?? by.state.characters[0] ?? refuse('character-not-found'))

/** Characters are known by whole numbers that are exact in JSON. */
export const CharacterId = z.int().positive()
/** The number of a character as text, in a query. */
export const CharacterIdText = z.coerce.number('the whole number of a character is needed').pipe(CharacterId)

/** Length of the name of something in the game's world, in characters. */
const SLUG_MAX = 60
export const Slug = z.string().min(1).max(SLUG_MAX)
