import { createSharedSettings } from '../../../adapters/postgres/shared-settings.ts'
import type { Books } from '../../books/books.ts'
import { countText } from '../../books/replaying.ts'
import { columns, type Output } from '../../console/output.ts'
import { takeEveryTurn } from '../../migration/alone.ts'
import { MigrationRefusal } from '../../migration/refused.ts'

/** Shows the origins and the chains that every process on this log has to have. */
export const showShared = async (books: Books, out: Output): Promise<void> => {
  const noted = [...(await (await createSharedSettings(await books.sql())).all())]
  const text = noted.length === 0 ? 'Nothing is noted yet: the next start does.' : columns(noted, [])
  await out.tell(Object.fromEntries(noted), text)
}

/** Forgets them, so that the next start notes its own. Refused while a service runs, which would keep the old ones. */
export const acceptSettings = async (books: Books, out: Output): Promise<void> => {
  if (books.running) throw new MigrationRefusal('service_running')
  const sql = await books.sql()
  if (!(await takeEveryTurn(await books.databaseUrl(), books.onClose))) throw new MigrationRefusal('service_running')
  const shared = await createSharedSettings(sql)
  const noted = Object.fromEntries(await shared.all())
  await shared.forget()
  await out.tell(
    { forgotten: noted },
    `${countText(Object.keys(noted).length, 'setting')} forgotten. The next start notes its own; give all processes the same.`,
  )
}
