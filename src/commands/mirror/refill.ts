import { followedLog, followedPositions, moveFollowers } from '../../../adapters/postgres/checkpoints.ts'
import type { Books } from '../../books/books.ts'
import { countText, onlyReplay } from '../../books/replaying.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { startBar } from '../../console/progress.ts'
import { takeEveryTurn } from '../../migration/alone.ts'
import { placesOf } from '../../migration/places.ts'
import {
  baseAfter,
  beginRefill,
  carryOutRefill,
  type Refill,
  recordRefill,
  verifyRefill,
} from '../../migration/refill.ts'
import { MigrationRefusal } from '../../migration/refused.ts'
import type { Config } from '../../settings/config.ts'
import { openDataDir } from '../../settings/data-dir.ts'
import { rewriteMirror, setAside } from './rebuild.ts'

/**
 * Puts the lost end of a log back from its mirror, byte for byte, and takes the database along. It may be killed at any
 * moment and run again. The mirror as it was is kept beside the one that is written anew.
 */
export const refillLog = async (books: Books, config: Config, out: Output): Promise<void> => {
  if (books.running) throw new MigrationRefusal('service_running')
  if (!config.logMirror)
    throw new CommandFailure(
      'there is no mirror to refill the log from: LOG_MIRROR is off, as it is for the embedded log',
    )
  const dataDir = openDataDir(config)
  const place = await books.place()
  const sql = await books.sql({ create: true, anyLog: true })
  await onlyReplay(sql)
  const turns = await takeEveryTurn(await books.databaseUrl(), books.onClose)
  if (!turns) throw new MigrationRefusal('service_running')
  const bar = startBar(out, 1_000n)
  const watch = (what: string) => (position: bigint) => bar.at(position, what)
  try {
    const refill = await beginRefill(place, dataDir.mirror, dataDir.sealWitness, watch('comparing'))
    const followed = await followedLog(sql)
    if (followed && followed.id !== refill.log) throw new MigrationRefusal('database_elsewhere', followed.name)
    await carryOutRefill(refill, watch('putting back'))
    const places = placesOf(await followedPositions(sql))
    await verifyRefill(refill, watch('verifying'), places.pair)
    await recordRefill(refill, await baseAfter(refill))
    if (!turns.held()) throw new MigrationRefusal('service_running')
    const { known, beyond } = places.known()
    const moved = await moveFollowers(
      sql,
      refill.log,
      { id: refill.log, name: place.name },
      withBeyond(known, beyond, await place.store.head()),
    )
    const aside = setAside(dataDir.mirror)
    await rewriteMirror(books, { dir: dataDir.mirror, store: place.store, bytes: place.bytes }, out)
    await tell(out, refill, { moved, beyond: beyond.length, aside })
  } finally {
    bar.stop()
  }
}

/**
 * Followers that have seen more than the mirror stay beyond the end of the log, so that the check of parts still finds
 * them.
 */
const withBeyond = (
  known: ReadonlyMap<bigint, bigint>,
  beyond: readonly bigint[],
  head: bigint,
): ReadonlyMap<bigint, bigint> => new Map([...known, ...beyond.map((at, i) => [at, head + 1n + BigInt(i)] as const)])

const tell = async (
  out: Output,
  { place, missing, end }: Refill,
  { moved, beyond, aside }: { moved: number; beyond: number; aside: string },
): Promise<void> => {
  const rest =
    beyond > 0
      ? 'The database has seen more than the mirror had: run daybook doctor.'
      : 'Everything that the database has seen is there again. Start the service now.'
  await out.tell(
    { events: missing, lastOrder: end.order, checkpoints: moved, beyond, setAside: aside },
    [
      `${countText(missing, 'event')} put back into ${place.name}, byte for byte.`,
      `${countText(moved, 'checkpoint')} moved with them. The mirror as it was is kept in ${aside}.`,
      rest,
    ].join('\n'),
  )
}
