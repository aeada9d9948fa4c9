import { z } from 'zod'
import type { Character } from '../../../../domain/game/characters/character-state.ts'
import { isLocked, restingUntil } from '../../../../domain/game/characters/exploration.ts'
import { NODES, nodes } from '../../../../domain/game/world/nodes.ts'
import { beginScan, endScan } from '../../../../domain/use-cases/game/act.ts'
import { type Endpoint, endpoint } from '../../core/endpoint.ts'
import { Fragment, fragmentsOf, Gained } from './characters.ts'
import { actingCharacter, CharacterId, CharacterIdText, linkOfCaller, ofLedger, Slug } from './of-game.ts'

/** Exploration (G-EXP-01, G-EXP-02). */

const PATH = '/v1/game/explore'

const common = { ...ofLedger, method: 'post', path: PATH, idempotent: true } as const
const refusals = [...ofLedger.refusals, 'character-not-found'] as const
const bodyOf = <A extends string>(action: A) =>
  z.object({ action: z.literal(action), slug: Slug, character_id: CharacterId })

const look = endpoint({
  ...ofLedger,
  method: 'get',
  path: PATH,
  summary: 'What there is to explore, and what one character has found; the member’s first one unless it is named',
  query: z.object({ character_id: CharacterIdText.optional() }),
  returns: z.object({
    nodes: z.array(
      z.object({
        slug: z.string(),
        name: z.string(),
        galaxy: z.string(),
        danger: z.int(),
        scan_sec: z.int(),
        cooldown_until: z.string().nullable(),
        locked: z.boolean(),
      }),
    ),
    fragments: z.array(Fragment),
    progress: z.object({ found: z.int(), total: z.int() }),
    scanning: z.object({ slug: z.string(), ready_at: z.string() }).nullable(),
  }),
  refusals,
  async answer(request) {
    const { flow, query } = request
    const character = await actingCharacter(flow, await linkOfCaller(request, 'game.read'), query.character_id)
    const { scan } = character
    return {
      nodes: nodesOf(character, flow.world.now().toISOString()),
      fragments: fragmentsOf(character),
      progress: { found: NODES.filter((slug) => character.nodes[slug]?.found).length, total: NODES.length },
      scanning: scan ? { slug: scan.slug, ready_at: scan.readyAt } : null,
    }
  },
})

const scan = endpoint({
  ...common,
  when: { action: 'scan' },
  summary: 'Begin to scan a node; what is found is decided now and told when it is claimed',
  body: bodyOf('scan'),
  returns: z.object({ run_id: z.string(), scan_sec: z.int(), ready_at: z.string(), commit: z.string() }),
  refusals: [...refusals, 'not-found', 'character-busy', 'not-claimed', 'wrong-galaxy', 'not-ready'],
  async answer(request) {
    const { flow, once, body } = request
    const character = await actingCharacter(flow, await linkOfCaller(request, 'game.explore.act'), body.character_id)
    const { scanId, slug, readyAt, commit } = await beginScan(flow, once, character, body.slug)
    return { run_id: scanId, scan_sec: nodes[slug].scanMinutes * 60, ready_at: readyAt, commit }
  },
})

const claim = endpoint({
  ...common,
  when: { action: 'claim' },
  summary: 'What a scan that is ready has found; `reveal` is the seed that was committed to',
  body: bodyOf('claim'),
  returns: z.object({
    success: z.boolean(),
    find: z.object({ fragment: Gained.optional(), xp: z.int(), units: z.int() }),
    reveal: z.string(),
  }),
  refusals: [...refusals, 'run-not-found', 'not-ready', 'already-claimed'],
  async answer(request) {
    const { flow, once, body } = request
    const character = await actingCharacter(flow, await linkOfCaller(request, 'game.explore.act'), body.character_id)
    const { success, find, seed } = await endScan(flow, once, character, body.slug)
    const [fragment] = find.fragments
    return { success, find: { ...(fragment && { fragment }), xp: find.xp, units: find.units }, reveal: seed }
  },
})

export const exploreEndpoints: readonly Endpoint[] = [look, scan, claim]

const nodesOf = (character: Character, now: string) =>
  NODES.map((slug) => {
    const { name, galaxy, danger, scanMinutes } = nodes[slug]
    return {
      slug,
      name,
      galaxy,
      danger,
      scan_sec: scanMinutes * 60,
      cooldown_until: restingUntil(character, slug, now),
      locked: isLocked(character, slug),
    }
  })
