import { rebuild, swap } from '../../../projections/engine/rebuild.ts'
import { createMissing, prepareSchema, SERVING } from '../../../projections/engine/schema.ts'
import { projections } from '../../../projections/index.ts'
import type { Books } from '../../books/books.ts'
import { onlyReplay, rowCounts, rowsText } from '../../books/replaying.ts'
import { columns, type Output } from '../../console/output.ts'
import { type Bar, startBar } from '../../console/progress.ts'

/**
 * Builds every read model from the first event beside the one that serves, and swaps it in. Only rows are written: no
 * mail, no webhook, no call of a chain.
 */
export const replay = async (books: Books, out: Output): Promise<void> => {
  const store = await books.store()
  const sql = await books.sql({ create: true })
  await onlyReplay(sql)
  await prepareSchema(sql, SERVING)
  const head = await store.head()
  const bar = startBar(out, head * BigInt(projections.length))
  const started = performance.now()
  const models = []
  try {
    for (const [index, projection] of projections.entries()) {
      const { name } = projection
      await createMissing(sql, projection)
      const begun = performance.now()
      const onProgress = progress(bar, name, head * BigInt(index))
      const events = await rebuild(sql, store, projection, { fresh: true, onProgress })
      await swap(sql, store, projection)
      models.push({ name, events, rows: await rowCounts(sql, SERVING, projection), seconds: secondsSince(begun) })
    }
  } finally {
    bar.stop()
  }
  const seconds = secondsSince(started)
  const events = models.reduce((sum, model) => sum + model.events, 0)
  const perSecond = Math.round(events / Math.max(seconds, 0.001))
  const table = models.map((model) => [
    model.name,
    `${model.events} events`,
    `${model.seconds} s`,
    rowsText(model.rows),
  ])
  await out.tell(
    { position: head, models, events, seconds, eventsPerSecond: perSecond },
    `${columns(table, [1, 2])}\n${models.length} read models in ${seconds} s, ${perSecond} events a second.`,
  )
}

const progress = (bar: Bar, name: string, before: bigint) => (_: number, position: bigint) =>
  bar.at(before + position, name)

const secondsSince = (start: number): number => Math.round(performance.now() - start) / 1_000
