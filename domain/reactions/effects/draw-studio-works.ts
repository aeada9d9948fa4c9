import { type Artist, isPicture, type Work, workOf } from '../../game/studio/artist.ts'
import type { JobFailure } from '../../game/studio/job.ts'
import { idOf } from '../../kernel/decider.ts'
import type { Effect, EffectContext } from '../subscriber/effect.ts'

const WORKS_AT_ONCE_MAX = 4
/** Milliseconds that an artist has for one work. */
const DRAW_LIMIT_MS = 5_000

/** Has every work that was ordered drawn; what fails, takes too long or is no picture is paid back (G-STU-02). */
export const drawStudioWorks: Effect = {
  name: 'draw-studio-works',
  concurrency: WORKS_AT_ONCE_MAX,
  on: {
    StudioOrdered: ({ stream }, context) => make(idOf(stream), context),
  },
}

const make = async (jobId: string, context: DrawingContext): Promise<void> => {
  const { ledger, world } = context
  const { state: job } = await ledger.gameStudioJob.start(jobId, {})
  if (job.status !== 'running') return
  const work = await workOf(context, jobId, job)
  const drawn = work ? await drawnInTime(work, context) : { failure: 'erased' as const }
  if ('failure' in drawn) await ledger.gameStudioJob.fail(jobId, { reason: drawn.failure })
  else {
    const { picture } = drawn
    const bytes = new TextEncoder().encode(picture).length
    await ledger.gameStudioJob.finish(jobId, { sha256: world.digest(picture), bytes })
  }
}

type DrawingContext = Pick<EffectContext, 'ledger' | 'world' | 'vault' | 'artist'>
type DrawingResult = { readonly picture: string } | { readonly failure: JobFailure }

const drawnInTime = (work: Work, { world, artist }: DrawingContext): Promise<DrawingResult> =>
  Promise.race([
    drawnBy(artist, work),
    world.pause(DRAW_LIMIT_MS).then((): DrawingResult => ({ failure: 'artist-late' })),
  ])

const drawnBy = async (artist: Artist, work: Work): Promise<DrawingResult> => {
  try {
    const picture = await artist.draw(work)
    return isPicture(picture) ? { picture } : { failure: 'not-a-picture' }
  } catch {
    return { failure: 'artist-failed' }
  }
}
