import { z } from 'zod'
import {
  FRAGMENTS_LEAST,
  INVENTION_FRAGMENTS_MAX,
  INVENTION_SKILLS_MAX,
} from '../../../../domain/game/characters/inventions.ts'
import { SKILLS } from '../../../../domain/game/world/classes.ts'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import type { Vault } from '../../../../domain/kernel/ports.ts'
import { proposeInvention } from '../../../../domain/use-cases/game/inventions.ts'
import type { InventionRow } from '../../../../projections/game/game-inventions.ts'
import { type Endpoint, endpoint } from '../../core/endpoint.ts'
import { actingCharacter, CharacterId, linkOfCaller, ofGame } from './of-game.ts'

/** What members make of their fragments (G-INV-01, G-INV-02). */

/** Inventions that the list shows, the newest. */
const INVENTIONS_MAX = 100
const NAME = { least: 3, most: 60 }
const THESIS = { least: 10, most: 2_000 }

const State = z.enum(['accepted', 'rejected'])
const Invention = z.object({
  invention_id: z.int(),
  name: z.string(),
  thesis: z.string(),
  state: State,
  score: z.int(),
  royalty_units: z.int(),
})

const list = endpoint({
  ...ofGame,
  method: 'get',
  path: '/v1/game/inventions',
  summary: 'What the member has invented, newest first',
  returns: z.object({ inventions: z.array(Invention) }),
  async answer(request) {
    const { flow, queries } = request
    const { member } = await linkOfCaller(request, 'game.read')
    const rows = await queries.inventionsOf(member, INVENTIONS_MAX)
    return { inventions: await Promise.all(rows.map((row) => inventionOf(flow.vault, row))) }
  },
})

const distinct = (list: readonly unknown[]): boolean => new Set(list).size === list.length

const propose = endpoint({
  ...ofGame,
  method: 'post',
  path: '/v1/game/inventions',
  idempotent: true,
  summary: 'Propose an invention of at least two fragments; one that is accepted uses them up and is paid a royalty',
  body: z.object({
    name: z.string().trim().min(NAME.least).max(NAME.most),
    thesis: z.string().trim().min(THESIS.least).max(THESIS.most),
    fragment_ids: z
      .array(z.int().positive())
      .min(FRAGMENTS_LEAST)
      .max(INVENTION_FRAGMENTS_MAX)
      .refine(distinct, 'has to name each fragment once'),
    skills: z.array(z.enum(SKILLS)).min(1).max(INVENTION_SKILLS_MAX).refine(distinct, 'has to name each skill once'),
    character_id: CharacterId,
  }),
  returns: z.object({
    invention_id: z.int(),
    state: State,
    score: z.int(),
    novelty: z.int(),
    reasons: z.array(z.string()),
  }),
  refusals: [...ofGame.refusals, 'character-not-found', 'fragments-tried'],
  async answer(request) {
    const { flow, once, queries, body } = request
    const character = await actingCharacter(
      flow,
      await linkOfCaller(request, 'game.inventions.propose'),
      body.character_id,
    )
    const proposal = { ...body, fragmentIds: body.fragment_ids }
    const judged = await proposeInvention(flow, once, character, proposal, queries.inventionsAccepted)
    const { inventionId, state, score, novelty, reasons } = judged
    return { invention_id: inventionId, state, score, novelty, reasons: [...reasons] }
  },
})

const inventionOf = async (
  vault: Pick<Vault, 'open'>,
  { inventionId, name, thesis, state, score, royaltyUnits }: InventionRow,
): Promise<z.input<typeof Invention>> => ({
  invention_id: Number(inventionId),
  state,
  score,
  royalty_units: royaltyUnits,
  name: await openedText(vault, name),
  thesis: await openedText(vault, thesis),
})

/** The calls that list a member's inventions and propose a new one. */
export const inventionEndpoints: readonly Endpoint[] = [list, propose]
