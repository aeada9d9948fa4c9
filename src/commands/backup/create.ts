import { createBackup } from '../../backup/create.ts'
import type { Books } from '../../books/books.ts'
import type { Output } from '../../console/output.ts'
import { startBar } from '../../console/progress.ts'
import { recipientsOf } from '../../settings/backup-settings.ts'
import type { Config } from '../../settings/config.ts'
import { openDataDir } from '../../settings/data-dir.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { world } from '../../settings/world.ts'
import { placeOf } from './places.ts'
import { coverText, sizeOf } from './words.ts'

type Wish = { readonly to?: string; readonly recipient?: readonly string[]; readonly withMasterKey?: boolean }

/** Backs the installation up, beside a running service or without one. */
export const create = async (books: Books, config: Config, out: Output, wish: Wish): Promise<void> => {
  const recipients = wish.recipient ? recipientsOf('--recipient', wish.recipient.join(',')) : config.backup.recipients
  if (recipients.length === 0)
    throw new BadSetting('--recipient is missing, and BACKUP_RECIPIENTS is not set: make one with daybook backup key')
  const place = placeOf(config, '--to', wish.to)
  const dataDir = openDataDir(config)
  const masterKey = wish.withMasterKey ? dataDir.knownMasterKey() : undefined
  if (wish.withMasterKey && !masterKey) throw new BadSetting('--with-master-key: there is no master key here')
  const log = await books.log()
  const bar = startBar(out, await log.store.head())
  try {
    const manifest = await createBackup(
      {
        log,
        sql: await books.sql(),
        heads: dataDir.sealWitness,
        masterKey,
        recipients,
        now: () => world.now(),
        watch: (position) => bar.at(position, 'backup'),
      },
      place,
    )
    const key = masterKey
      ? 'The master key is in it: whoever has the identity reads everything.'
      : 'The master key is not in it: back it up apart.'
    await out.tell(
      { place: place.name, bytes: sizeOf(manifest), master_key: masterKey !== undefined, manifest },
      `${manifest.name} in ${place.name}\n${coverText(manifest)}\n${key}`,
    )
  } finally {
    bar.stop()
  }
}
