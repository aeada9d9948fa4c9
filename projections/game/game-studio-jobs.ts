import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** Works that members have ordered from the studio, and how far each is (G-STU-01). */

const jobs = {
  name: 'game_studio_jobs',
  columns: {
    job_id: 'text',
    member: 'text',
    slug: 'text',
    state: 'text',
    price_units: 'integer',
    ordered_at: 'text',
    // Its place in the ledger's own order.
    place: 'bigint',
  },
  key: ['job_id'],
  indexes: ['member, place desc'],
} as const satisfies Table

export const gameStudioJobsProjection: Projection = {
  name: 'game-studio-jobs',
  version: 1,
  tables: [jobs],
  on: {
    StudioOrdered: ({ stream, order, data: { member, slug, priceUnits, orderedAt } }) =>
      put(jobs, {
        job_id: idOf(stream),
        member,
        slug,
        state: 'queued',
        price_units: priceUnits,
        ordered_at: orderedAt,
        place: String(order),
      }),
    StudioJobStarted: ({ stream }) => patch(jobs, [idOf(stream)], () => ({ state: 'running' })),
    StudioJobDone: ({ stream }) => patch(jobs, [idOf(stream)], () => ({ state: 'done' })),
    StudioJobFailed: ({ stream }) => patch(jobs, [idOf(stream)], () => ({ state: 'failed' })),
    StudioJobRefunded: ({ stream }) => patch(jobs, [idOf(stream)], () => ({ state: 'refunded' })),
  },
}

export type StudioJobRow = {
  jobId: string
  slug: string
  state: 'queued' | 'running' | 'done' | 'failed' | 'refunded'
  priceUnits: number
  orderedAt: string
}

export const gameStudioJobQueries = (sql: Sql) => ({
  /** The works of a member, newest first. */
  studioJobsOf: (member: string, limit: number): Promise<StudioJobRow[]> => sql<StudioJobRow[]>`
    select job_id as "jobId", slug, state, price_units as "priceUnits", ordered_at as "orderedAt"
    from game_studio_jobs where member = ${member} order by place desc limit ${limit}`,
})
