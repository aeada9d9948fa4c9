import { followedLog, followedPositions, moveFollowers } from '../../../adapters/postgres/checkpoints.ts'
import type { Sql } from '../../../adapters/postgres/connect.ts'
import type { Books } from '../../books/books.ts'
import { countText, onlyReplay } from '../../books/replaying.ts'
import type { Output } from '../../console/output.ts'
import { startBar } from '../../console/progress.ts'
import { reachStore } from '../../event-store/reach.ts'
import { takeEveryTurn } from '../../migration/alone.ts'
import { type LogComparison, LogDifference } from '../../migration/compare.ts'
import {
  beginMove,
  compareMove,
  copyRest,
  endOfCopy,
  type LogMove,
  mustBeCopy,
  mustNotHaveMoved,
  recordCopy,
  type Watch,
} from '../../migration/logs.ts'
import { placesOf } from '../../migration/places.ts'
import { MigrationRefusal } from '../../migration/refused.ts'
import { openTarget } from '../../migration/target.ts'
import { checkDatabase } from '../../parts/check.ts'
import { compareHeads } from '../../parts/witnessed.ts'
import type { Config } from '../../settings/config.ts'
import { sealWitnessIn } from '../../settings/seal-witness.ts'

/**
 * Copies the whole log to another store, verifies it event by event, and takes the database along: from then on the
 * service runs there. It may be killed at any moment and run again. With `verify` nothing is written and the two are
 * only compared. Answers whether all is well.
 */
export const migrate = async (
  books: Books,
  out: Output,
  config: Config,
  options: { to: string; verify?: boolean },
): Promise<boolean> => {
  if (books.running && !options.verify) throw new MigrationRefusal('service_running')
  const source = await books.place()
  const target = openTarget(options.to, source, options.verify ?? false)
  books.onClose(() => target.close())
  await reachStore(target, { setting: '--to', url: options.to, seconds: 0 })
  const move = await beginMove(source, target)
  if (options.verify) return verifyCopy(move, out)
  await mustBeSealedHere(move, sealWitnessIn(config.dataDir))
  // The copy is sealed at the first start on it: a head of the copy would keep this command from being run again.
  await tellMoved(move, out, await carryOut(move, out, await openDatabase(books, move)))
  return true
}

/** A log that is not the one that was sealed here would be copied with everything that was done to it. */
const mustBeSealedHere = async ({ source }: LogMove, journal: string): Promise<void> => {
  const found = await compareHeads({ store: source.store, lines: source.bytes.readLines }, journal)
  if (!found.fits) throw new MigrationRefusal('source_not_sealed', found.words)
}

type Database = {
  readonly sql: Sql
  /** The log it follows; undefined when it has noted none. */
  readonly follows: string | undefined
  /** The positions of its followers in the source; none when they are no longer there. */
  readonly positions: readonly bigint[]
  /** True as long as no service can act on the log. */
  held(): boolean
}

const openDatabase = async (books: Books, { source, id, head }: LogMove): Promise<Database> => {
  const sql = await books.sql({ create: true, anyLog: true })
  await onlyReplay(sql)
  const turns = await takeEveryTurn(await books.databaseUrl(), books.onClose)
  if (!turns) throw new MigrationRefusal('service_running')
  const follows = (await followedLog(sql))?.id
  const positions = follows === undefined || follows === id ? await followedPositions(sql) : []
  const farthest = positions.at(-1) ?? -1n
  if (farthest > head) throw new MigrationRefusal('database_ahead', `position ${farthest}, the log ends at ${head}`)
  const { parts } = await checkDatabase(source, sql)
  const parted = positions.length > 0 ? parts.find(({ misfit }) => misfit === 'log-parted') : undefined
  if (parted) throw new MigrationRefusal('database_parted', parted.says)
  return { sql, follows, positions, held: turns.held }
}

type MoveReport = {
  log: string
  events: number
  copied: number
  copySeconds: number
  verifySeconds: number
  checkpoints: number
}

const carryOut = async (move: LogMove, out: Output, database: Database): Promise<MoveReport> => {
  const found = await step(move, out, 'looking at the target', (watch) => mustBeCopy(move, compareMove(move, watch)))
  const { follows } = database
  if (follows !== undefined && follows !== move.id && follows !== endOfCopy(move, found.value.next))
    throw new MigrationRefusal('database_elsewhere', (await followedLog(database.sql))?.name)
  const copying = await step(move, out, 'copying', (watch) => copyRest(move, found.value, watch))
  const places = placesOf(database.positions)
  const verifying = await step(move, out, 'verifying', (watch) =>
    mustBeCopy(move, compareMove(move, watch, places.pair)),
  )
  const log = await finished(move, verifying.value)
  if (!database.held()) throw new MigrationRefusal('service_running')
  const name = { id: log, name: move.target.name }
  const moving = follows !== log
  return {
    log,
    events: verifying.value.events,
    copied: verifying.value.events - found.value.events,
    copySeconds: copying.seconds,
    verifySeconds: verifying.seconds,
    checkpoints: moving ? await moveFollowers(database.sql, move.id, name, places.done()) : 0,
  }
}

/** The id of the copy as a log of its own, which it becomes now unless an earlier run came as far. */
const finished = async (move: LogMove, verified: LogComparison): Promise<string> => {
  if (verified.shorter) throw new Error('the target has lost events since they were copied')
  await mustNotHaveMoved(move)
  const log = endOfCopy(move, verified.next) ?? (await recordCopy(move, verified))
  await mustNotHaveMoved(move)
  return log
}

const verifyCopy = async (move: LogMove, out: Output): Promise<boolean> => {
  const { source, target } = move
  const comparing = step(move, out, 'verifying', (watch) => compareMove(move, watch))
  const result = await comparing.catch((error: unknown) => {
    if (error instanceof LogDifference) return error
    throw error
  })
  if (result instanceof LogDifference) {
    const { id, type, stream, revision, position } = result.expected
    await out.tell(
      { equal: false, complete: false, difference: { id, type, stream, revision, position, parts: result.parts } },
      `${target.name} is not a copy of ${source.name}: ${result.message}`,
    )
    return false
  }
  const { events, shorter, next } = result.value
  const complete = endOfCopy(move, next) !== undefined
  const foreign = next !== undefined && !complete
  const text = foreign
    ? `${target.name} is not a copy of ${source.name}: after its ${countText(events, 'event')} it goes on with others`
    : `${target.name} holds ${shorter ? 'the first ' : 'all '}${countText(events, 'event')} of ${source.name}, byte for byte`
  const rest = complete || foreign ? '.' : ', but the migration did not come to its end: run it again without --verify.'
  await out.tell({ equal: !foreign, complete, events, ...rate(events, result.seconds) }, `${text}${rest}`)
  return complete
}

const step = async <T>(move: LogMove, out: Output, what: string, act: (watch: Watch) => Promise<T>) => {
  const bar = startBar(out, move.head)
  const started = performance.now()
  try {
    const value = await act((position) => bar.at(position, what))
    return { value, seconds: Math.round(performance.now() - started) / 1_000 }
  } finally {
    bar.stop()
  }
}

const rate = (events: number, seconds: number) => ({
  seconds,
  eventsPerSecond: Math.round(events / Math.max(seconds, 0.001)),
})

const tellMoved = async ({ source, target }: LogMove, out: Output, moved: MoveReport): Promise<void> => {
  const { log, events, copied, copySeconds, verifySeconds, checkpoints } = moved
  const copy = rate(copied, copySeconds)
  const verify = rate(events, verifySeconds)
  await out.tell(
    { from: source.name, to: target.name, log, events, copied, checkpoints, copy, verify },
    [
      `${countText(copied, 'event')} copied in ${copy.seconds} s, ${copy.eventsPerSecond} a second.`,
      `All ${countText(events, 'event')} of ${source.name} are in ${target.name}, byte for byte (${verify.seconds} s).`,
      checkpoints > 0 ? `${countText(checkpoints, 'checkpoint')} moved with them.` : 'The database follows it.',
      `Start the service on ${target.name} now; on the old log it is refused.`,
    ].join('\n'),
  )
}
