import { z } from 'zod'
import type { AccountRef } from '../../../domain/balance/transfer-terms.ts'
import { FIAT_DECIMALS, toDecimal } from '../../../domain/kernel/money.ts'
import { grantCredit } from '../../../domain/use-cases/balance/credit.ts'
import { registerUser } from '../../../domain/use-cases/signin/register-user.ts'
import type { Books } from '../../books/books.ts'
import { openOperator } from '../../books/operator-use-cases.ts'
import { columns, type Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'

type NewUser = { email: string; password: string; name?: string; verified?: boolean }

const Wish = z.object({
  email: z.email().max(254),
  password: z.string().min(8).max(256),
  name: z.string().max(200).optional(),
})

/** Makes a user and tells the `sub` that apps will know them by. */
export const createUser = async (books: Books, config: Config, out: Output, wish: NewUser): Promise<void> => {
  const read = Wish.safeParse(wish)
  if (!read.success)
    throw new BadSetting(read.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`).join('; '))
  const { email, password, name } = read.data
  const { flow } = await openOperator(books, config)
  const { sub } = await registerUser(flow, {
    email,
    password,
    profile: name === undefined ? {} : { name },
    verified: wish.verified ?? false,
  })
  await out.tell({ sub }, sub)
}

/** The most users that are shown at once. */
const USERS_MAX = 1_000

/** Lists all users, as the log has them now, with their addresses: for the operator's eyes. */
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

type Credit = { to: AccountRef; usd: bigint; description?: string; id?: string }

/** Gives credit from nowhere, once for each id. */
export const credit = async (
  books: Books,
  config: Config,
  out: Output,
  { to, usd, description = 'Credit from Daybook', id }: Credit,
): Promise<void> => {
  const { flow } = await openOperator(books, config)
  const grant = id ?? flow.world.id('grant')
  const { ledgerRef, duplicate } = await grantCredit(flow, { to, amount: usd, id: grant, note: description })
  const amount = toDecimal(usd, FIAT_DECIMALS)
  const text = duplicate ? 'was given before' : 'is given'
  await out.tell(
    { id: grant, to, usd: amount, ledger_ref: ledgerRef, duplicate },
    `${amount} USD ${text} (${ledgerRef})`,
  )
}
