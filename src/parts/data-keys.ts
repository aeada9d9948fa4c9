import type { Sql } from '../../adapters/postgres/connect.ts'
import { keyCoverage } from '../../adapters/postgres/key-coverage.ts'
import { grouped, type Part, partOf } from './part.ts'

/**
 * Whether everybody that the log has sealed a value for has a data key, open or erased; `whole` looks up each of them.
 */
export const dataKeysPart = async (sql: Sql, whole: boolean): Promise<Part> => {
  const { subjects, missing } = await keyCoverage(sql, whole)
  const reach = `${grouped(subjects - missing)} of ${grouped(subjects)} subjects`
  if (missing === 0) return partOf('data keys', { reach, fits: true })
  const says = `${grouped(missing)} ${missing === 1 ? 'subject has' : 'subjects have'} no key: what is sealed for them cannot be read`
  return partOf('data keys', { reach, fits: false, misfit: 'keys-missing', says })
}
