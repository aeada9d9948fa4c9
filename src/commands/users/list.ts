import type { Books } from '../../books/books.ts'
import { openOperator } from '../../books/operator-use-cases.ts'
import { columns, type Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'

/** Shown in one go. */
const USERS_MAX = 1_000

/** Who there is, as the log says it now, with their addresses: for the operator's eyes. */
export const listUsers = async (books: Books, config: Config, out: Output): Promise<void> => {
  const { flow, ids } = await openOperator(books, config)
  const known = await ids('users', 'UserRegistered', async (queries) =>
    (await queries.users(USERS_MAX)).map(({ sub }) => sub),
  )
  const told = []
  for (const sub of known) {
    const user = await flow.ledger.user.read(sub)
    if (user.status === 'none') continue
    told.push({ sub, status: user.status, email: (await flow.vault.open(user.email)) ?? null })
  }
  const rows = told.map(({ sub, status, email }) => [sub, status, email ?? '(erased)'])
  await out.tell(told, columns([['Sub', 'Status', 'Email'], ...rows]))
}
