import { wrapAnew } from '../../../adapters/postgres/vault/master-key.ts'
import type { Books } from '../../books/books.ts'
import { countText } from '../../books/replaying.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { openDataDir } from '../../settings/data-dir.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'

/**
 * Wraps all data keys under another master key, also while the service serves: it knows both keys, and takes the other
 * one once a data key needs it. All keys change in one transaction, so that whatever ends the command, they are all
 * under the one or all under the other; run again, it goes on.
 */
export const rotateMasterKey = async (books: Books, config: Config, out: Output): Promise<void> => {
  const dataDir = openDataDir(config)
  const { masterKey, masterKeyBefore } = config
  if (masterKey && !masterKeyBefore)
    throw new BadSetting(
      'MASTER_KEY_BEFORE is missing: give every process the new key as MASTER_KEY and the present one as ' +
        'MASTER_KEY_BEFORE, start them anew, and run this command with both',
    )
  const present = dataDir.knownMasterKey()
  if (!present) throw new CommandFailure('there is no master key here')
  const sql = await books.sql()
  const next = masterKey ?? dataDir.nextMasterKey()
  const wrapped = await wrapAnew(sql, [masterKeyBefore ?? present], next)
  if (!masterKey) dataDir.adoptNextMasterKey()
  const what =
    wrapped === undefined
      ? 'The data keys are under this master key already.'
      : `${countText(wrapped, 'data key')} wrapped anew.`
  const then = masterKey
    ? 'Take MASTER_KEY_BEFORE away from every process, and start them anew.'
    : 'The new master key is in DATA_DIR/master.key.'
  await out.tell(
    { wrapped: wrapped ?? 0, already: wrapped === undefined },
    `${what}\n${then}\nBack it up apart: earlier backups need the one before, so keep that as long as you keep them.`,
  )
}
