import test from 'ava'
import { watchChain } from '../../adapters/chains/watch/watch.ts'
import { connect } from '../../adapters/postgres/connect.ts'
import { networkOf } from '../../domain/kernel/networks.ts'
import { createMissing, prepareSchema, SERVING } from '../../projections/engine/schema.ts'
import { createQueries } from '../../projections/index.ts'
import { challengesProjection } from '../../projections/selling/challenges.ts'
import { eventually } from '../../src/demo/stage.ts'
import { chain } from '../domain/flow-setup.ts'
import { CHALLENGE_ID } from '../domain/samples.ts'
import { ledgerOn, newStore } from '../support/ledger.ts'
import { createDatabase } from '../support/postgres.ts'

/** More than one turn looks at. */
const WAITING = 1_200
const HEAD = { height: 5_000, hash: '0x5000' }

test('N-24 payments that stay where they are do not hold up those behind them', async (t) => {
  const database = await createDatabase()
  const sql = connect(database.url, { schema: SERVING })
  const stopping = new AbortController()
  await prepareSchema(sql, SERVING)
  await createMissing(sql, challengesProjection)
  await sql`
    insert into pending_payments
    select 'eth:' || n || ':native', ${CHALLENGE_ID}, 'eth', n::text, '0xb', n / 2, n / 2, true
    from generate_series(1, ${WAITING}) as n`
  const looked = new Set<string>()
  const node = {
    ...chain(),
    head: async () => HEAD,
    hashAt: async () => '0xb',
    transfersOf: async (tx: string) => {
      looked.add(tx)
      return undefined
    },
  }
  const network = networkOf('eth')
  if (!network) return t.fail('there is no network eth')
  const resting = 'eth:7:native'
  const watching = watchChain(
    { ...network, blockSeconds: 1 },
    node,
    {
      ledger: ledgerOn(newStore(t)),
      watched: async () => ({ addresses: new Set(), contracts: new Set() }),
      pending: createQueries(sql).pendingPayments,
      booked: async () => [],
      mayCome: async () => false,
      secondVoice: { heard: async () => 1, rests: (id) => id === resting },
      stands: () => {},
      log: { warn: (fields, message) => t.fail(`${message} ${JSON.stringify(fields)}`) },
    },
    stopping.signal,
  )
  await eventually('a look at each', () => looked.size === WAITING - 1)
  t.false(looked.has('7'), 'one whose pause is not over is passed over')
  looked.clear()
  await eventually('another look at the first', () => looked.has('1'))
  stopping.abort()
  await watching
  await sql.end()
  database.drop()
})
