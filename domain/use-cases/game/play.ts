import type { Character, Run } from '../../game/characters/character-state.ts'
import type { PlayEvents } from '../../game/characters/play.ts'
import { dealRounds, type Move, shownOf } from '../../game/games/judge.ts'
import { diceOf, newSeed } from '../../game/world/chance.ts'
import { isGame } from '../../game/world/games.ts'
import type { Vault } from '../../kernel/ports.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import type { Once } from '../once.ts'
import { characterOf } from './characters.ts'
import { doOnce } from './do-once.ts'
import type { LinkedPlayer } from './links.ts'

/** How a linked key plays mini-games with a member's character (G-GAM-02). */

/** Refuses `not-found`, `no-plays-left`. */
export const beginRun = async (
  flow: UseCaseContext,
  once: Once,
  linkId: string,
  character: Character,
  slug: string,
) => {
  if (!isGame(slug)) return refuse('not-found', 'There is no such game. Look for it in GET /v1/game/games.')
  const { world, vault, ledger } = flow
  const { characterId } = character
  const runId = once.id('gpl')
  const { seed, commit } = newSeed(world)
  const deal = dealRounds(slug, diceOf(world, seed, runId))
  const run = await doOnce<PlayEvents['GameRunStarted']>(once, character, (called) =>
    ledger.gameCharacter.startRun(String(characterId), { runId, slug, linkId, seed, commit, deal, ...called }),
  )
  return { ...run, token: tokenOf(vault, characterId, run), rounds: shownOf(run.slug, run.deal) }
}

/** What a player sends in; slug and character may be left out, because the token has them. */
type Finish = {
  readonly token: string
  readonly moves: readonly Move[]
  readonly slug: string | undefined
  readonly characterId: number | undefined
}

type RunEnd = PlayEvents['GameRunFinished'] | PlayEvents['GameRunFlagged']

/**
 * Refuses `run-not-found` for a token that is not ours or not of this slug or character, `run-elsewhere`, `run-used`,
 * `run-expired`, and `implausible-run` when no person can have played so; the run is then over too.
 */
export const endRun = async (
  flow: UseCaseContext,
  once: Once,
  by: LinkedPlayer,
  { token, moves, slug, characterId }: Finish,
): Promise<PlayEvents['GameRunFinished']> => {
  const named = readToken(flow.vault, token)
  const { linkId } = by
  if (named.link !== linkId) return refuse('run-elsewhere')
  if ((slug ?? named.slug) !== named.slug || (characterId ?? named.character) !== named.character)
    return refuse('run-not-found', 'token: is of another run; send the one that the start of this run answered')
  const character = await characterOf(flow, by, named.character)
  const ended = await doOnce<RunEnd>(once, character, (called) =>
    flow.ledger.gameCharacter.finishRun(String(named.character), { runId: named.run, linkId, moves, ...called }),
  )
  return 'reason' in ended ? refuse('implausible-run', `${ended.reason} Play it again.`) : ended
}

/**
 * What a player holds of a run: which one it is, for which link and character, and what was committed to, for everybody
 * to read and for nobody to change. It proves nothing alone: whether the run is still open is for its character to say
 * (G-GAM-02).
 */
type RunToken = {
  readonly run: string
  readonly link: string
  readonly character: number
  readonly slug: string
  /** Times in milliseconds since 1970. */
  readonly iat: number
  readonly exp: number
  readonly commit: string
}

const PURPOSE = 'game-run-token'
/** The most characters that a token has. */
export const TOKEN_MAX = 1_000

/** The same run has the same token each time. */
const tokenOf = (vault: Vault, character: number, { runId, ...run }: Run & { runId: string }): string => {
  const { linkId: link, slug, startedAt, expiresAt, commit } = run
  const token: RunToken = {
    run: runId,
    link,
    character,
    slug,
    iat: Date.parse(startedAt),
    exp: Date.parse(expiresAt),
    commit,
  }
  const text = btoa(JSON.stringify(token)).replaceAll('=', '')
  return `${text}.${vault.fingerprint(PURPOSE, text)}`
}

/** Refuses `run-not-found` for whatever was not made here. */
const readToken = (vault: Vault, token: string): RunToken => {
  const [text = '', mark = '', ...rest] = token.split('.')
  // Hashes of both are compared: how long that takes tells nothing of where they differ.
  const proof = (value: string) => vault.fingerprint(`${PURPOSE}-proof`, value)
  if (rest.length > 0 || proof(mark) !== proof(vault.fingerprint(PURPOSE, text)))
    return refuse('run-not-found', 'token: there is no run for it; send the one that the start of the run answered')
  return JSON.parse(atob(text))
}
