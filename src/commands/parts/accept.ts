import { existsSync, renameSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { createCheckpoints } from '../../../adapters/postgres/checkpoints.ts'
import { keyCoverage, markLost } from '../../../adapters/postgres/key-coverage.ts'
import { createSnapshots } from '../../../adapters/postgres/snapshots.ts'
import { LOG_ID } from '../../../domain/audit/log.ts'
import { sealedSubjectsProjection } from '../../../projections/audit/sealed-subjects.ts'
import { checkpointOf, SERVING } from '../../../projections/engine/schema.ts'
import type { Books } from '../../books/books.ts'
import { operatorLedger } from '../../books/operator-ledger.ts'
import { onlyReplay } from '../../books/replaying.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { takeEveryTurn } from '../../migration/alone.ts'
import { type FallBackReport, fallBack } from '../../migration/fall-back.ts'
import { MigrationRefusal } from '../../migration/refused.ts'
import type { InstallationPart, Misfit } from '../../parts/part.ts'
import { PartsUnfit } from '../../parts/refusal.ts'
import type { Config } from '../../settings/config.ts'
import { openDataDir } from '../../settings/data-dir.ts'
import { readSealWitness, takeOverSealWitness } from '../../settings/seal-witness.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { setAside } from '../mirror/rebuild.ts'
import { examine } from './doctor.ts'

/**
 * Gives up the data keys that are gone, knowingly: what was sealed under them reads as lost from then on, which is not
 * the same as erased. Everything else has to fit.
 */
export const acceptLost = async (
  books: Books,
  config: Config,
  out: Output,
  { reason: given }: { reason: string },
): Promise<void> => {
  const reason = reasonOf(given)
  const { place, sql, report } = await examinedAlone(books, config)
  if (report.parts.some(({ misfit }) => misfit !== null && misfit !== 'keys-missing')) throw new PartsUnfit(report)
  const [origin, head] = [await place.store.origin(), await place.store.head()]
  const seen = await checkpointOf(sql, SERVING, sealedSubjectsProjection.name)
  if (!origin || seen?.position !== head)
    throw new CommandFailure(
      'not every data key was looked for yet: start the service once, which says how many are missing',
    )
  const { subjects, missing } = await keyCoverage(sql, true)
  if (missing === 0) throw new CommandFailure('there is nothing to accept: every subject has its key')
  await operatorLedger(place.store).log.recordLostKeys(LOG_ID, {
    log: origin.id,
    base: String(origin.base),
    by: userInfo().username,
    reason,
    lost: missing,
    subjects,
  })
  const lost = await markLost(sql)
  await out.tell(
    { lost, subjects },
    `${lost} of ${subjects} subjects have lost their data key: what was sealed for them reads (lost). Start the service now.`,
  )
}

/** Checks the parts of an installation that nothing else works on until the command has ended. */
const examinedAlone = async (books: Books, config: Config) => {
  if (books.running) throw new MigrationRefusal('service_running')
  const place = await books.place()
  const sql = await books.sql({ anyLog: true })
  await onlyReplay(sql)
  const turns = await takeEveryTurn(await books.databaseUrl(), books.onClose)
  if (!turns) throw new MigrationRefusal('service_running')
  return { place, sql, report: await examine(books, config, place) }
}

/** Misfits that can be accepted; everything else has to be put right first. */
const ACCEPTABLE: ReadonlySet<Misfit> = new Set(['log-older', 'log-parted'])

/**
 * Goes on knowingly with a log that lacks what the database, the mirror or the witness has seen. Nothing is thrown
 * away: the rows, the mirror and the witness as they were stay beside the new ones.
 */
export const acceptOlder = async (
  books: Books,
  config: Config,
  out: Output,
  { reason }: { reason: string },
): Promise<void> => {
  const text = reasonOf(reason)
  const { place, sql, report } = await examinedAlone(books, config)
  const misfits = report.parts.flatMap(({ misfit }) => misfit ?? [])
  if (misfits.length === 0) throw new CommandFailure('there is nothing to accept: every part fits the log')
  if (!misfits.every((misfit) => ACCEPTABLE.has(misfit))) throw new PartsUnfit(report)
  // A database that only a former release has used lacks some of what is changed in it.
  await createCheckpoints(sql)
  await createSnapshots(sql)
  const done = await fallBack({ place, sql, report, reason: text })
  const kept = keepAside(config, report.parts)
  await tell(out, done, kept)
}

/** Renames the parts that have seen more than the log, by how far each has come; answers their new names. */
const keepAside = (config: Config, parts: readonly InstallationPart[]): readonly string[] => {
  const { mirror, sealWitness } = openDataDir(config)
  const ahead = (name: InstallationPart['part']) => parts.find(({ part, misfit }) => part === name && misfit !== null)
  const kept: string[] = []
  const ofMirror = ahead('mirror')
  if (ofMirror) kept.push(setAside(mirror, String(ofMirror.position)))
  takeOverSealWitness(sealWitness)
  if (ahead('witness') && existsSync(sealWitness)) {
    const file = join(dirname(sealWitness), `heads-${readSealWitness(sealWitness)?.head.size}.jsonl`)
    renameSync(sealWitness, file)
    kept.push(file)
  }
  return kept
}

const tell = (out: Output, { head, gone, told, aside }: FallBackReport, kept: readonly string[]): Promise<void> =>
  out.tell(
    { order: head.order, head: head.id, gone, told, rows: aside ?? null, kept },
    [
      `The log goes on after ${head.id} of ${head.at}, without ${gone === null ? 'what' : `${gone} events that`} came after it.`,
      ...(aside === undefined ? [] : [`The rows as they were are kept in the schema ${aside}.`]),
      ...(kept.length === 0 ? [] : [`What had seen more is kept in ${kept.join(' and ')}.`]),
      `${told} webhooks and notifications that were sent before are not sent again. Start the service now.`,
    ].join('\n'),
  )

const REASON_MAX_CHARS = 500

/** The reason for going on, for whoever reads the log later. Throws BadSetting when it is empty or too long. */
const reasonOf = (given: string): string => {
  const reason = given.trim()
  if (reason === '' || reason.length > REASON_MAX_CHARS)
    throw new BadSetting(`--reason is not a text of 1 to ${REASON_MAX_CHARS} characters`)
  return reason
}
