import { z } from 'zod'
import type { GameScope } from '../../../../domain/game/members/scopes.ts'
import { QUOTE_MAX } from '../../../../domain/game/studio/quote.ts'
import { works } from '../../../../domain/game/world/works.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { characterOf } from '../../../../domain/use-cases/game/characters.ts'
import { orderWork, pictureOf, quoteWork } from '../../../../domain/use-cases/game/studio.ts'
import type { StudioJobRow } from '../../../../projections/game/game-studio-jobs.ts'
import { type Endpoint, endpoint, Reply } from '../../core/endpoint.ts'
import { recordOf } from '../../core/record-of.ts'
import { CharacterId, linkOfCaller, ofGame, ofLedger } from './of-game.ts'

/** The studio makes pictures for game units (G-STU-01, G-STU-02). */

const SPENDS: GameScope = 'game.studio.spend'
/** Jobs that the list shows, the newest. */
const JOBS_MAX = 100
const OPTIONS_MAX = 12
const TEXT_MAX = 80
const SLUG_MAX = 32

const WORKS_PATH = '/assets/works'

const State = z.enum(['queued', 'running', 'done', 'failed', 'refunded'])
const Job = z.object({
  jti: z.string(),
  slug: z.string(),
  state: State,
  price_units: z.int(),
  created_at: z.string(),
  result_url: z.url().optional(),
})

const list = endpoint({
  ...ofGame,
  method: 'get',
  path: '/v1/game/studio',
  summary:
    'What the member has ordered of the studio, newest first; a work that is done has its picture at `result_url`',
  returns: z.object({ jobs: z.array(Job) }),
  async answer(request) {
    const { member } = await linkOfCaller(request, 'game.read')
    const rows = await request.queries.studioJobsOf(member, JOBS_MAX)
    return { jobs: rows.map((row) => jobOf(request.flow.origins.base, row)) }
  },
})

/** The works and their options for the description of the API, because no call lists them. */
const WORKS = Object.entries(works)
  .map(([slug, { options }]) => `\`${slug}\` (${Object.keys(options).join(', ')})`)
  .join(', ')

const wish = {
  slug: z.string().min(1).max(SLUG_MAX).describe(WORKS),
  opts: recordOf(z.string().min(1).max(TEXT_MAX), z.string().max(TEXT_MAX), OPTIONS_MAX).prefault({}),
  character_id: CharacterId,
}

const quote = endpoint({
  ...ofLedger,
  method: 'post',
  path: '/v1/game/studio',
  when: { action: 'quote' },
  summary: 'What a work costs, signed: an order within five minutes costs the same',
  body: z.object({ action: z.literal('quote'), ...wish }),
  returns: z.object({ price_units: z.int(), quote: z.string(), expires_at: z.string() }),
  refusals: [...ofGame.refusals, 'character-not-found', 'not-found'],
  async answer(request) {
    const { flow, body } = request
    const by = await linkOfCaller(request, SPENDS)
    const character = await characterOf(flow, by, body.character_id)
    const { priceUnits, quote, expiresAt } = quoteWork(flow, by, { ...body, character })
    return { price_units: priceUnits, quote, expires_at: expiresAt }
  },
})

const order = endpoint({
  ...ofGame,
  method: 'post',
  path: '/v1/game/studio',
  when: { action: 'order' },
  summary: 'Order what was quoted; the same quote again answers the same job',
  body: z.object({ action: z.literal('order'), ...wish, quote: z.string().min(1).max(QUOTE_MAX) }),
  returns: z.object({ jti: z.string(), state: State }),
  refusals: [
    ...ofGame.refusals,
    ...(['character-not-found', 'not-found', 'quote-mismatch', 'quote-expired'] as const),
    ...(['grant-ceiling', 'insufficient-units', 'busy'] as const),
  ],
  async answer(request) {
    const { flow, body } = request
    const by = await linkOfCaller(request, SPENDS)
    const character = await characterOf(flow, by, body.character_id)
    return orderWork(flow, by, { ...body, character })
  },
})

const show = endpoint({
  method: 'get',
  path: `${WORKS_PATH}/:file`,
  summary: 'A picture that the studio has made',
  auth: 'none',
  limits: { keyless: true },
  waits: 'after',
  params: z.object({ file: z.string() }),
  headers: z.object({ 'if-none-match': z.string().optional() }),
  produces: 'image/svg+xml',
  returns: z.string(),
  otherwise: { 304: { description: 'The picture that the caller has; it never changes' } },
  refusals: ['not-found'],
  async answer({ params, headers, flow }) {
    const [, jti] = /^(job_[a-z2-7]{26})\.svg$/.exec(params.file) ?? []
    if (!jti)
      return refuse(
        'not-found',
        'There is no such picture: it was deleted, or its address is not whole. Copy the address again.',
      )
    const { sha256, draw } = await pictureOf(flow, jti)
    const kept = { ETag: `"${sha256}"`, 'Cache-Control': 'public, max-age=31536000, immutable' }
    if (headers['if-none-match'] === kept.ETag) return new Reply(304, '', kept)
    return new Reply(200, await draw(), { ...kept, ...inert, 'Content-Type': 'image/svg+xml; charset=utf-8' })
  },
})

/** Headers with which a picture that is opened by itself is only a picture: nothing in it runs or is fetched. */
const inert = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
}

const jobOf = (base: string, { jobId, slug, state, priceUnits, orderedAt }: StudioJobRow): z.input<typeof Job> => ({
  jti: jobId,
  slug,
  state,
  price_units: priceUnits,
  created_at: orderedAt,
  ...(state === 'done' && { result_url: `${base}${WORKS_PATH}/${jobId}.svg` }),
})

export const studioEndpoints: readonly Endpoint[] = [list, quote, order, show]
