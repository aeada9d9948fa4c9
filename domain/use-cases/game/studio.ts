import type { Character } from '../../game/characters/character-state.ts'
import { levelOf } from '../../game/characters/sheet.ts'
import { workOf } from '../../game/studio/artist.ts'
import type { Job } from '../../game/studio/job.ts'
import { chosenWork, optsText, type WorkOptions } from '../../game/studio/options.ts'
import { quoteEnds, quoteFor, signedQuote } from '../../game/studio/quote.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import type { Player } from './links.ts'

/** A member's link asks the studio for a work, by a price that is signed first (G-STU-02). */

export type WorkWish = { readonly slug: string; readonly opts: WorkOptions; readonly character: Character }

/** Refuses `not-found`, `invalid-request`. */
export const quoteWork = (
  flow: Pick<UseCaseContext, 'world' | 'vault'>,
  { linkId }: Player,
  { slug, opts, character: { characterId } }: WorkWish,
): { priceUnits: number; quote: string; expiresAt: string } => {
  const work = chosenWork(slug, opts)
  const { priceUnits } = work
  const expiresAt = quoteEnds(flow.world.now().toISOString())
  const quote = signedQuote(flow, linkId, { slug, characterId, priceUnits, expiresAt, opts: optsText(work.opts) })
  return { priceUnits, quote, expiresAt }
}

/**
 * Takes the fee into escrow and orders the work; the same quote again answers the same job. Refuses `not-found`,
 * `invalid-request`, `quote-mismatch`, `quote-expired` and what a stake refuses.
 */
export const orderWork = async (
  flow: Pick<UseCaseContext, 'ledger' | 'world' | 'vault'>,
  { member, linkId }: Player,
  { slug, opts, character, quote }: WorkWish & { quote: string },
): Promise<{ jti: string; state: Job['status'] }> => {
  const { ledger, world, vault } = flow
  const { characterId, name, class: chosenClass, xp } = character
  const text = optsText(chosenWork(slug, opts).opts)
  const { priceUnits, expiresAt } = quoteFor(flow, linkId, quote, { slug, characterId, opts: text })
  const jti = world.idFrom('job', quote)
  const before = await ledger.gameStudioJob.read(jti)
  if (before.status !== 'none') return { jti, state: before.status }
  const sitter = { name, class: chosenClass, level: levelOf(xp) }
  const order = { slug, characterId, priceUnits, sitter, opts: await vault.seal(member, text) }
  await ledger.gameMember.stake(member, {
    stakeId: jti,
    linkId,
    scope: 'game.studio.spend',
    units: priceUnits,
    to: `studio:${jti}`,
    until: expiresAt,
    for: { kind: 'studio', jti, order },
  })
  const { state } = await ledger.gameStudioJob.order(jti, { ...order, member, linkId })
  return { jti, state: state.status === 'none' ? 'queued' : state.status }
}

/** The picture of a finished work: the SHA-256 of its text, and how to draw it again. Refuses `not-found`. */
export const pictureOf = async (
  flow: Pick<UseCaseContext, 'ledger' | 'world' | 'vault' | 'artist'>,
  jti: string,
): Promise<{ sha256: string; draw(): Promise<string> }> => {
  const job = await flow.ledger.gameStudioJob.read(jti)
  const work = job.status === 'done' ? await workOf(flow, jti, job) : undefined
  if (job.status !== 'done' || job.sha256 === null || !work)
    return refuse(
      'not-found',
      'There is no such picture: it was deleted, or its address is not whole. Copy the address again.',
    )
  const { sha256 } = job
  const draw = async () => {
    const picture = await flow.artist.draw(work)
    if (flow.world.digest(picture) !== sha256) throw new Error(`${jti} is drawn otherwise than it was`)
    return picture
  }
  return { sha256, draw }
}
