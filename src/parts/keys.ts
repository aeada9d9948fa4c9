import type { Sql } from '../../adapters/postgres/connect.ts'
import { keyCoverage } from '../../adapters/postgres/key-coverage.ts'
import { keysOpenWith } from '../../adapters/postgres/vault/master-key.ts'
import { groupedDigits, type InstallationPart, partOf } from './part.ts'

/**
 * Whether everybody that the log has sealed a value for has a data key, open or erased; `whole` looks up each of them.
 */
export const dataKeysPart = async (sql: Sql, whole: boolean): Promise<InstallationPart> => {
  const { subjects, missing } = await keyCoverage(sql, whole)
  const reach = `${groupedDigits(subjects - missing)} of ${groupedDigits(subjects)} subjects`
  if (missing === 0) return partOf('data keys', { reach, fits: true })
  const says = `${groupedDigits(missing)} ${missing === 1 ? 'subject has' : 'subjects have'} no key: what is sealed for them cannot be read`
  return partOf('data keys', { reach, fits: false, misfit: 'keys-missing', says })
}

/** Whether the master key is the one that the data keys of this database were wrapped with. */
export const masterKeyPart = async (sql: Sql, masterKeys: readonly Buffer[]): Promise<InstallationPart> => {
  const opens = await keysOpenWith(sql, masterKeys)
  if (opens === 'nothing') return partOf('master key', { reach: 'not used yet', fits: true })
  if (opens === 'yes') return partOf('master key', { reach: 'opens the data keys', fits: true })
  const says =
    masterKeys.length > 0
      ? 'MASTER_KEY is not the one this database was set up with: its data keys cannot be opened'
      : 'there is no MASTER_KEY and no DATA_DIR/master.key: the data keys of this database cannot be opened'
  return partOf('master key', { reach: 'opens nothing', fits: false, misfit: 'master-key', says })
}
