import { openBackup } from '../../backup/reading.ts'
import type { Books } from '../../books/books.ts'
import { countText } from '../../books/replaying.ts'
import type { Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { type BackupWish, identitiesIn, placeOf } from './places.ts'
import { drillBackup } from './rehearsal.ts'
import { coverText } from './words.ts'

/** Tries whether a backup can be put back, and whether its books are those of this log. */
export const drill = async (books: Books, config: Config, out: Output, wish: BackupWish): Promise<void> => {
  const backup = await openBackup(placeOf(config, '--from', wish.from), wish.name, identitiesIn(wish.identity ?? ''))
  const started = performance.now()
  const { manifest, content, balances, eventsAfter } = await drillBackup(backup, await books.log(), config)
  const seconds = Math.round((performance.now() - started) / 100) / 10
  await out.tell(
    { backup: manifest.name, content, balances, events_after: eventsAfter, seconds },
    [
      `${manifest.name} was put back, and its books are those of this log. ${coverText(manifest)}`,
      `Every event and ${countText(balances, 'balance')} are the same, in ${seconds} s.`,
      `${countText(eventsAfter, 'event')} came after it, and would be lost.`,
    ].join('\n'),
  )
}
