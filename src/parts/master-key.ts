import type { Sql } from '../../adapters/postgres/connect.ts'
import { keysOpenWith } from '../../adapters/postgres/vault.ts'
import { type InstallationPart, partOf } from './part.ts'

/** Whether the master key is the one that the data keys of this database were wrapped with. */
export const masterKeyPart = async (sql: Sql, masterKey: Buffer | undefined): Promise<InstallationPart> => {
  const opens = await keysOpenWith(sql, masterKey)
  if (opens === 'nothing') return partOf('master key', { reach: 'not used yet', fits: true })
  if (opens === 'yes') return partOf('master key', { reach: 'opens the data keys', fits: true })
  const says = masterKey
    ? 'MASTER_KEY is not the one this database was set up with: its data keys cannot be opened'
    : 'there is no MASTER_KEY and no DATA_DIR/master.key: the data keys of this database cannot be opened'
  return partOf('master key', { reach: 'opens nothing', fits: false, misfit: 'master-key', says })
}
