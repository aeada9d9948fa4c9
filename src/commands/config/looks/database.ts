import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type Sql } from '../../../../adapters/postgres/connect.ts'
import { readSharedSettings } from '../../../../adapters/postgres/shared-settings.ts'
import type { Config } from '../../../settings/config.ts'
import { reachDatabase } from '../../../settings/database-reach.ts'
import { sharingFaults } from '../../../settings/sharing.ts'
import { type Finding, failed, fine, type Looked, misfit } from './finding.ts'

/** The oldest release that ends sessions of processes that hang (`idle_session_timeout`), as PostgreSQL numbers it. */
const VERSION_MIN = 140_000
const WHAT = 'database'
const SETTING = 'DATABASE_URL'

/** PostgreSQL: whether it answers, its release, the rights of the user, and whether the settings are those it knows. */
export const lookAtDatabase = async (config: Config): Promise<Looked> => {
  const { databaseUrl, dataDir } = config
  if (databaseUrl === undefined) {
    const isThere = existsSync(join(dataDir, 'postgres', 'data'))
    const text = isThere ? 'embedded, in DATA_DIR/postgres' : 'embedded; the first start makes it in DATA_DIR/postgres'
    return { findings: [fine(WHAT, SETTING, text)] }
  }
  const sql = connect(databaseUrl, { max: 1 })
  try {
    await reachDatabase(sql, { url: databaseUrl, seconds: 0 })
    const { state, aheadMs } = await stateOf(sql)
    const noted = await readSharedSettings(sql)
    const findings = [...findingsOf(state, databaseUrl), ...sharingFaults(config, noted).map(sharedMisfit)]
    return { findings, noted, clocks: [{ of: 'PostgreSQL', aheadMs, lags: false }] }
  } catch (error) {
    return { findings: [failed(WHAT, SETTING, error)] }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

type DatabaseState = {
  readonly user: string
  readonly database: string
  readonly version: string
  readonly number: number
  readonly standby: boolean
  readonly creates: boolean
  readonly encoding: string
  /** Schemas of ours that belong to somebody else. */
  readonly foreign: string
}

const stateOf = async (sql: Sql): Promise<{ state: DatabaseState; aheadMs: number }> => {
  const before = Date.now()
  const [row] = await sql<(DatabaseState & { at: number })[]>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as at,
      current_user as user, current_database() as database, current_setting('server_version') as version,
      current_setting('server_version_num')::int as number, pg_is_in_recovery() as standby,
      has_database_privilege(current_database(), 'create') as creates,
      current_setting('server_encoding') as encoding,
      coalesce((select string_agg(nspname, ', ') from pg_namespace
        where nspname in ('daybook', 'daybook_run', 'daybook_vault', 'daybook_media', 'daybook_signin')
          and not has_schema_privilege(oid, 'create')), '') as foreign`
  if (!row) throw new Error(`${SETTING}: the server answered nothing`)
  return { state: row, aheadMs: Math.round((before + Date.now()) / 2 - row.at) }
}

const findingsOf = (state: DatabaseState, url: string): readonly Finding[] => {
  const { user, database, version } = state
  const wrong = [...misfitsOf(state)]
  if (wrong.length > 0) return wrong
  const host = URL.canParse(url) ? new URL(url).host : ''
  const at = `PostgreSQL ${version}${host && ` at ${host}`}, database ${database}`
  return [fine(WHAT, SETTING, `${at}; the user ${user} may make its schemas`)]
}

function* misfitsOf({ user, database, version, number, ...state }: DatabaseState): Generator<Finding> {
  if (number < VERSION_MIN)
    yield misfit(WHAT, SETTING, `PostgreSQL ${version} is too old`, 'Name one of release 14 or newer.')
  if (state.standby)
    yield misfit(WHAT, SETTING, 'the server is a standby, which takes no writes', 'Name the primary server.')
  if (state.encoding !== 'UTF8')
    yield misfit(
      WHAT,
      SETTING,
      `the database ${database} keeps texts as ${state.encoding}`,
      `Make another in UTF8: createdb --encoding=UTF8 --template=template0 …`,
    )
  if (!state.creates)
    yield misfit(
      WHAT,
      SETTING,
      `the user ${user} may not make schemas in the database ${database}`,
      `Make it the owner: alter database "${database}" owner to "${user}"`,
    )
  if (state.foreign !== '')
    yield misfit(
      WHAT,
      SETTING,
      `the user ${user} may not make tables in ${state.foreign}`,
      `Name the user that they belong to, or hand them over: alter schema … owner to "${user}"`,
    )
}

/** The line begins with its setting and says what to do. */
const sharedMisfit = (line: string): Finding => misfit('shared', /^[A-Z0-9_]+/.exec(line)?.[0], line)
