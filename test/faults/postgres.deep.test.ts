import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { startEmbeddedPostgres } from '../../adapters/postgres/embedded.ts'
import { eventually } from '../../src/demo/stage.ts'
import { runs } from '../support/depth.ts'
import { PLAY_MS, plays } from './outcome.ts'
import { postgresElsewhere } from './postgres.ts'

test('while Postgres is killed and its backends are ended the service goes on, answers 503, and loses nothing', async (t) => {
  t.timeout(PLAY_MS)
  const { counts } = await plays(t, postgresElsewhere, runs({ quick: 2, deep: 6 }))
  t.true((counts['Postgres kills'] ?? 0) > 0 && (counts['backends ended'] ?? 0) > 0)
})

test('an embedded server that was killed is there again at the same place, and one that was stopped is not', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'daybook-revival-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const said: string[] = []
  const server = await startEmbeddedPostgres({ dir, durable: false, log: (message) => said.push(message) })
  const answers = async () => {
    const sql = connect(server.url, { max: 1 })
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`.catch(() => [])
    await sql.end({ timeout: 1 })
    return row !== undefined
  }
  const postmaster = () => Number(readFileSync(join(dir, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
  const first = postmaster()
  process.kill(first, 'SIGKILL')
  await eventually('the server again', answers, 30_000)
  t.not(postmaster(), first)
  t.deepEqual(said, ['PostgreSQL ended by itself, starting it again'])
  await server.stop()
  t.false(await answers())
})
