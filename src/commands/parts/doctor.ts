import { existsSync } from 'node:fs'
import { type Books, NoReadModels } from '../../books/books.ts'
import type { Output } from '../../console/output.ts'
import { checkParts, type PartsPlaces, type PartsReport } from '../../parts/check.ts'
import { NO_LOG } from '../../parts/log.ts'
import { jsonOf, tableOf, waysOut } from '../../parts/refusal.ts'
import type { Config } from '../../settings/config.ts'
import { openDataDir } from '../../settings/data-dir.ts'
import { examineProcesses, processesJson, processTable } from './processes.ts'

/**
 * Shows how far each part of the installation has come and whether it fits the log, and which processes serve it, also
 * beside a running service. It changes nothing. Answers whether everything fits.
 */
export const doctor = async (books: Books, config: Config, out: Output): Promise<boolean> => {
  const log = await logOf(books, config)
  const report = await examine(books, config, log)
  const sql = await books.sql({ anyLog: true }).catch(withoutDatabase)
  const processes = sql ? await examineProcesses(sql, await log.store.head()) : []
  const text = [
    tableOf(report),
    ...(report.fits ? [] : [waysOut(report)]),
    ...(processes.length === 0 ? [] : [processTable(processes)]),
  ].join('\n\n')
  await out.tell({ ...jsonOf(report), ways_out: waysOut(report), processes: processesJson(processes) }, text)
  return report.fits
}

/** A log whose file is gone is looked at as an empty one, and none is made. */
const logOf = async (books: Books, config: Config): Promise<PartsPlaces['log']> => {
  const isGone = !books.live && !existsSync(openDataDir(config).eventLog)
  return isGone ? NO_LOG : books.log()
}

/** The check of parts for a command; every data key is looked up. */
export const examine = async (books: Books, config: Config, log: PartsPlaces['log']): Promise<PartsReport> => {
  const dataDir = openDataDir(config)
  return checkParts(
    {
      log,
      sql: await books.sql({ anyLog: true }).catch(withoutDatabase),
      masterKeys: dataDir.knownMasterKeys(),
      mirror: config.logMirror ? dataDir.mirror : undefined,
      witness: dataDir.sealWitness,
    },
    true,
  )
}

/** An installation whose database is gone is looked at all the same. */
const withoutDatabase = (error: unknown): undefined => {
  if (!(error instanceof NoReadModels)) throw error
}
