import { readReleaseNote } from '../../../adapters/processes/release-note.ts'
import { checkpointsOf, SERVING } from '../../../projections/engine/schema.ts'
import { projections } from '../../../projections/index.ts'
import type { Books } from '../../books/books.ts'
import { columns, type Output } from '../../console/output.ts'
import { groupedDigits } from '../../parts/part.ts'
import { thisRelease, UNNOTED } from '../../parts/release.ts'
import type { Config } from '../../settings/config.ts'

/**
 * Says what a start of this release will build anew, and from about how many events. It is run from the new release,
 * beside the service of the old one. It changes nothing.
 */
export const checkUpgrade = async (books: Books, config: Config, out: Output): Promise<void> => {
  const sql = await books.sql()
  const before = await readReleaseNote(sql)
  const [there] = await sql<{ there: boolean }[]>`
    select to_regclass(${`${SERVING}.checkpoints`}) is not null as there`
  const names = projections.map(({ name }) => name)
  const known = there?.there ? await checkpointsOf(sql, SERVING, names) : new Map<string, { version: number }>()
  const rebuilt = projections
    .map(({ name, version }) => ({ name, from: known.get(name)?.version ?? null, to: version }))
    .filter(({ from, to }) => from !== to)
  const events = await eventsIn(books)
  const rows = rebuilt.map(({ name, from, to }) => [name, from ? `version ${from}` : 'not there', `version ${to}`])
  const work = groupedDigits(rebuilt.length * events)
  await out.tell(
    {
      from: before?.release ?? null,
      backup_before: before?.backup ?? null,
      to: thisRelease.release,
      events,
      rebuilt,
      backup_first: config.backup.to ?? null,
    },
    [
      `Release ${thisRelease.release}, after ${before?.release ?? UNNOTED}.`,
      ...(before?.backup ? [`Before ${before.release} first started here, ${before.backup} was made.`] : []),
      rebuilt.length === 0
        ? 'Nothing is built anew.'
        : `${columns([['read model', 'here', 'in this release'], ...rows])}\n` +
          `Each is built from ${groupedDigits(events)} events beside the one that serves (${work} in all), then put in its place.`,
      config.backup.to === undefined
        ? 'BACKUP_TO is not set: make a backup first, with daybook backup create. It is the way back.'
        : `A first start of another release backs up to ${config.backup.to} before it builds anything.`,
    ].join('\n'),
  )
}

/** From the timeline, which has a row for nearly every event; else from the log itself. */
const eventsIn = async (books: Books): Promise<number> => {
  const sql = await books.sql()
  const [there] = await sql<{ there: boolean }[]>`select to_regclass(${`${SERVING}.timeline`}) is not null as there`
  if (there?.there) {
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from ${sql(SERVING)}.timeline`
    return row?.count ?? 0
  }
  const { store, bytes } = await books.log()
  let events = 0
  for await (const page of bytes.readLines(-1n, await store.head())) events += page.length
  return events
}
