import type { Sql } from '../../adapters/postgres/connect.ts'
import { type Comparison, compareWithReplay } from '../../projections/engine/compare.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import { checkpointOf, SERVING } from '../../projections/engine/schema.ts'
import { projections } from '../../projections/index.ts'
import { CommandFailure } from '../console/failures.ts'
import { columns, type Output } from '../console/output.ts'
import { startBar } from '../console/progress.ts'
import type { Books } from './books.ts'
import { countText, eventsAfter, onlyReplay } from './replaying.ts'

/**
 * Compares every read model that serves with a replay, at the position that it has come to; nothing of it is changed.
 * Answers whether all are equal.
 */
export const verify = async (books: Books, out: Output): Promise<boolean> => {
  const store = await books.store()
  const sql = await books.sql()
  await onlyReplay(sql)
  for (const projection of projections) await mustBeBuilt(sql, projection)
  const head = await store.head()
  const bar = startBar(out, head * BigInt(projections.length))
  const models = []
  try {
    for (const [index, projection] of projections.entries()) {
      const before = head * BigInt(index)
      const onProgress = (_: number, position: bigint) => bar.at(before + position, projection.name)
      const comparison = await compareWithReplay(sql, store, projection, onProgress)
      models.push({ ...comparison, equal: comparison.differences.length === 0 })
    }
  } finally {
    bar.stop()
  }
  const position = models.reduce((least, model) => (model.position < least ? model.position : least), head)
  const behind = await eventsAfter(store, position)
  const equal = models.every((model) => model.equal)
  await out.tell(
    { equal, position, head, eventsBehind: behind, models },
    [columns(models.map(line), [2]), ...models.flatMap(differences), summary(equal, position, behind)].join('\n'),
  )
  return equal
}

/** A read model of another version has other tables, so there is nothing to compare with. */
export const mustBeBuilt = async (sql: Sql, projection: Projection): Promise<void> => {
  const [found] = await sql<{ present: boolean }[]>`
    select to_regclass(${`${SERVING}.checkpoints`}) is not null as present`
  const version = found?.present ? (await checkpointOf(sql, SERVING, projection.name))?.version : undefined
  if (version === projection.version) return
  const what = version ? `is of version ${version}, not ${projection.version}` : 'is not built'
  throw new CommandFailure(`the read model ${projection.name} ${what}: run daybook replay, or start the service`)
}

type Model = Comparison & { equal: boolean }

const line = ({ name, equal, rows, position }: Model) => [
  name,
  equal ? 'equal' : 'DIFFERENT',
  countText(rows, 'row'),
  `at position ${position}`,
]

const differences = (model: Model): string[] =>
  model.differences.map(({ table, side, row }) => `  ${table}, only ${side}: ${row}`)

const summary = (equal: boolean, position: bigint, behind: number) => {
  const where =
    behind === 0 ? 'the end of the log' : `position ${position}, ${countText(behind, 'event')} before the end`
  return equal
    ? `Every read model is equal to a replay of the log up to ${where}.`
    : `What serves is not what the log says up to ${where}; daybook replay makes it right.`
}
