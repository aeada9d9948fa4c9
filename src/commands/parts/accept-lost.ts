import { userInfo } from 'node:os'
import { keyCoverage, markLost } from '../../../adapters/postgres/key-coverage.ts'
import { LOG_ID } from '../../../domain/audit/log.ts'
import { sealedSubjectsProjection } from '../../../projections/audit/sealed-subjects.ts'
import { checkpointOf, SERVING } from '../../../projections/engine/schema.ts'
import type { Books } from '../../books/books.ts'
import { operatorLedger } from '../../books/operator-ledger.ts'
import { onlyReplay } from '../../books/replaying.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { takeEveryTurn } from '../../migration/alone.ts'
import { MigrationRefusal } from '../../migration/refused.ts'
import { PartsUnfit } from '../../parts/refusal.ts'
import type { Config } from '../../settings/config.ts'
import { examine } from './doctor.ts'
import { reasonOf } from './reason.ts'

/**
 * Gives up the data keys that are gone, knowingly: whoever they belonged to reads as lost from then on, which is not
 * the same as erased. Everything else has to fit.
 */
export const acceptLost = async (
  books: Books,
  config: Config,
  out: Output,
  { reason: given }: { reason: string },
): Promise<void> => {
  const reason = reasonOf(given)
  if (books.running) throw new MigrationRefusal('service_running')
  const place = await books.place()
  const sql = await books.sql({ anyLog: true })
  await onlyReplay(sql)
  const turns = await takeEveryTurn(await books.databaseUrl(), books.onClose)
  if (!turns) throw new MigrationRefusal('service_running')
  const report = await examine(books, config, place)
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
