import { endAllSessions } from '../../../adapters/http/auth/oidc/end-sessions.ts'
import { createPictures } from '../../../adapters/postgres/pictures.ts'
import { createRequestRows } from '../../../adapters/postgres/requests/request-rows.ts'
import { createSignInRows } from '../../../adapters/postgres/sign-in/rows.ts'
import type { MasterKeys } from '../../../adapters/postgres/vault/master-key.ts'
import { eraseMember } from '../../../domain/use-cases/account/team/change-members.ts'
import { eraseUser } from '../../../domain/use-cases/signin/erase-user.ts'
import type { Books } from '../../books/books.ts'
import { openSealedLedger } from '../../books/operator-ledger.ts'
import type { Output } from '../../console/output.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { world } from '../../settings/world.ts'

/**
 * Erases a person from an immutable log, a seller's account, a user or a member: records it, then destroys the data
 * key. A running service forgets the key at once. Doing it again finishes what broke off, and changes nothing more.
 */
export const erase = async (
  books: Books,
  out: Output,
  { who, masterKey, yes }: { who: string; masterKey: MasterKeys; yes?: boolean },
): Promise<void> => {
  if (!yes) throw new BadSetting('erasing cannot be undone: say --yes if you mean it')
  const { sql, ledger, vault } = await openSealedLedger(books, masterKey)
  if (who.startsWith('usr_')) {
    const signIn = await createSignInRows(sql)
    await eraseUser({ ledger, vault }, who)
    // The apps are told, as at every end of a session; what is left in rows says nothing about anybody.
    await endAllSessions({ flow: { ledger, world }, signIn }, who)
    await Promise.all([signIn.signIns.giveUpAll(who), signIn.factors.forgetFactors(who)])
  } else if (who.startsWith('mem_')) {
    const signIn = await createSignInRows(sql)
    await eraseMember({ ledger, vault }, who)
    await Promise.all([
      signIn.memberSessions.endAll(who),
      signIn.signIns.giveUpAll(who),
      signIn.factors.forgetFactors(who),
    ])
  } else {
    await ledger.account.erase(who, {})
    await vault.erase(who)
    const pictures = await createPictures(sql)
    await pictures.forgetAll(who)
    const requests = await createRequestRows(sql)
    await requests.forgetAll(who)
  }
  await out.tell({ erased: who }, `${who} is erased: what was sealed for it cannot be read any more`)
}
