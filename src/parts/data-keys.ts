import type { Sql } from '../../adapters/postgres/connect.ts'
import { keyCoverage } from '../../adapters/postgres/key-coverage.ts'
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
