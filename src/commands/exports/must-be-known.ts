import type { Sql } from '../../../adapters/postgres/connect.ts'
import { accountsProjection } from '../../../projections/account/accounts.ts'
import type { Projection } from '../../../projections/engine/projection.ts'
import { clientAppsProjection } from '../../../projections/signin/client-apps.ts'
import { usersProjection } from '../../../projections/signin/users.ts'
import { mustBeBuilt } from '../../books/verify-read-models.ts'
import { CommandFailure } from '../../console/failures.ts'

/** Whose name was mistyped must not look like one that sold nothing. */
export const mustBeKnown = async (sql: Sql, id: string): Promise<void> => {
  const [kind = ''] = id.split('_', 1)
  const found = holders[kind]
  if (!found) throw new CommandFailure(`not the id of an account, a user or an app: ${id}`)
  const { model, column, what } = found
  await mustBeBuilt(sql, model)
  const [row] = await sql`select from ${sql(model.name)} where ${sql(column)} = ${id}`
  if (!row) throw new CommandFailure(`there is no ${what} ${id}`)
}

const holders: Readonly<Record<string, { model: Projection; column: string; what: string }>> = {
  acc: { model: accountsProjection, column: 'account_id', what: 'account' },
  usr: { model: usersProjection, column: 'sub', what: 'user' },
  app: { model: clientAppsProjection, column: 'client_id', what: 'app' },
}
