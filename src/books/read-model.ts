import type { Sql } from '../../adapters/postgres/connect.ts'
import { isConcerned } from '../../projections/engine/apply.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import { checkpointOf, SERVING } from '../../projections/engine/schema.ts'
import type { Output } from '../console/output.ts'
import type { Books } from './books.ts'
import { countText, eventsAfter } from './replaying.ts'
import { mustBeBuilt } from './verify-read-models.ts'

/** Gives the database once it is known that a read model is built, and remarks the events that the read model lacks. */
export const readModel = async (books: Books, out: Output, model: Projection): Promise<Sql> => {
  const sql = await books.sql()
  await mustBeBuilt(sql, model)
  await remarkLag(books, sql, out, model)
  return sql
}

/**
 * The service keeps the read models at the end of the log; one that was killed may have left them a little before it.
 */
const remarkLag = async (books: Books, sql: Sql, out: Output, model: Projection) => {
  if (books.running) return
  const position = (await checkpointOf(sql, SERVING, model.name))?.position ?? -1n
  const missing = await eventsAfter(await books.store(), position, (event) => isConcerned(model, [event]))
  if (missing > 0)
    out.remark(`The read model lacks ${countText(missing, 'event')} of the log: daybook replay adds them.`)
}
