import { createSignInRows } from '../../../adapters/postgres/sign-in/rows.ts'
import type { account } from '../../../domain/account/account.ts'
import { replaceOwnerKey } from '../../../domain/use-cases/account/owner-keys.ts'
import { accountQueries, accountsProjection } from '../../../projections/account/accounts.ts'
import type { Books } from '../../books/books.ts'
import { openOperatorLedger } from '../../books/operator-ledger.ts'
import { openOperator } from '../../books/operator-use-cases.ts'
import { readModel } from '../../books/read-model.ts'
import { CommandFailure } from '../../console/failures.ts'
import { columns, type Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { world } from '../../settings/world.ts'

/** What the operator does with accounts of sellers. Each change is an event that says who decided it and why. */

/** The most accounts that are read to list those that are suspended. */
const READ_MAX = 10_000
const SHOWN = 100

type AccountState = Exclude<typeof account.initial, { status: 'none' }>

/** How an account stands, in one word. */
export const statusOf = ({ status, erased, suspended, closed }: AccountState): string => {
  if (erased) return 'erased'
  if (closed) return 'closed'
  return suspended ? 'suspended' : status
}

/** Lists the accounts as the log has them now, with their addresses: for the operator's eyes. */
export const listAccounts = async (
  books: Books,
  config: Config,
  out: Output,
  { suspended = false, limit = SHOWN }: { suspended?: boolean; limit?: number },
): Promise<void> => {
  const { flow, ids } = await openOperator(books, config)
  const known = await ids('accounts', 'AccountSignedUp', async (queries) =>
    (await queries.accounts(suspended ? READ_MAX : limit)).map(({ accountId }) => accountId),
  )
  const found = []
  for (const id of known) {
    if (found.length >= limit) break
    const state = await flow.ledger.account.read(id)
    if (state.status === 'none' || (suspended && !state.suspended)) continue
    const email = (await flow.vault.open(state.email)) ?? null
    found.push({ account_id: id, status: statusOf(state), email, reason: state.suspended?.reason ?? null })
  }
  const rows = found.map((row) => [row.account_id, row.status, row.email ?? '(erased)', row.reason ?? ''])
  await out.tell(found, columns([['Account', 'Status', 'Email', 'Reason'], ...rows]))
}

/** Shows an account, and the owner keys that are still good, each with its last use. */
export const showAccount = async (books: Books, config: Config, out: Output, id: string): Promise<void> => {
  const { flow } = await openOperator(books, config)
  const state = await flow.ledger.account.read(id)
  if (state.status === 'none') throw missing(id)
  const sql = await readModel(books, out, accountsProjection)
  const { ownerKeys } = await createSignInRows(sql)
  const [rows, uses] = [await accountQueries(sql).ownerKeys(id), await ownerKeys.ownerKeyUses(id)]
  const now = world.now().toISOString()
  const keys = []
  for (const { keyId, hint, createdAt, endsAt } of rows) {
    if (endsAt !== null && endsAt <= now) continue
    const use = uses.find((each) => each.keyId === keyId)
    const network = (use && (await flow.vault.open(use.network))) ?? null
    const used = { last_used_at: use?.usedAt.toISOString() ?? null, last_used_network: network }
    keys.push({ key_hint: hint, created_at: createdAt, ends_at: endsAt, ...used })
  }
  const email = (await flow.vault.open(state.email)) ?? null
  const { suspended } = state
  const told = { account_id: id, status: statusOf(state), email, suspended_at: suspended?.at ?? null }
  const lines = [
    `${id}: ${told.status}${suspended ? ` since ${suspended.at}: ${suspended.reason}` : ''}`,
    `Email: ${email ?? '(erased)'}`,
    columns([
      ['Owner key', 'Made', 'Ends', 'Last used', 'From'],
      ...keys.map((k) => [k.key_hint, k.created_at, k.ends_at ?? '', k.last_used_at ?? '', k.last_used_network ?? '']),
    ]),
  ]
  await out.tell({ ...told, reason: suspended?.reason ?? null, keys }, lines.join('\n'))
}

type Decision = { readonly id: string; readonly by: string; readonly reason: string }

/** Replaces the owner key, and prints the new one this once. */
export const rotateKey = async (
  books: Books,
  config: Config,
  out: Output,
  { id, by, reason, oldKey }: Decision & { readonly oldKey: 'hour' | 'none' },
): Promise<void> => {
  const { flow } = await openOperator(books, config)
  await mustBeThere(flow.ledger, id)
  const keepsOld = oldKey === 'hour'
  const { apiKey, hint, oldEndsAt } = await replaceOwnerKey(flow, id, { keepsOld, by, reason })
  const ended = keepsOld ? `The old key is good until ${oldEndsAt}.` : 'The old key has ended.'
  await out.tell(
    { account_id: id, api_key: apiKey, key_hint: hint, old_key_ends_at: oldEndsAt },
    `${apiKey}\n${ended} The new one is not shown again.`,
  )
}

/** Stops every key of an account. A running service refuses them at once. */
export const suspend = async (books: Books, out: Output, { id, ...decision }: Decision): Promise<void> => {
  const ledger = await openOperatorLedger(books)
  await mustBeThere(ledger, id)
  const changed = (await ledger.account.suspend(id, decision)).events.length > 0
  await out.tell(
    { account_id: id, suspended: true, changed },
    changed ? `${id} is suspended: ${decision.reason}` : `${id} was suspended before`,
  )
}

/** Lets the keys of a suspended account work again. */
export const reinstate = async (books: Books, out: Output, { id, ...decision }: Decision): Promise<void> => {
  const ledger = await openOperatorLedger(books)
  await mustBeThere(ledger, id)
  const changed = (await ledger.account.reinstate(id, decision)).events.length > 0
  await out.tell(
    { account_id: id, suspended: false, changed },
    changed ? `${id} is open again` : `${id} was not suspended`,
  )
}

type Accounts = Awaited<ReturnType<typeof openOperatorLedger>>

const mustBeThere = async (ledger: Pick<Accounts, 'account'>, id: string): Promise<void> => {
  const state = await ledger.account.read(id)
  if (state.status === 'none' || state.erased) throw missing(id)
}

const missing = (id: string): CommandFailure => new CommandFailure(`there is no account ${id}`)
