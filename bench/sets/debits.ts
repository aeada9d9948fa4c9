import { writeFileSync } from 'node:fs'
import type { Contestant } from '../comparison.ts'
import { debianProgram, sayLeftOut } from '../debian.ts'
import { load } from '../load.ts'
import { type Debtor, openOperator } from '../operator.ts'
import { openPgbench } from '../pgbench.ts'
import { startBenchService } from '../service.ts'
import type { BenchSet, Stage } from '../stage.ts'

/**
 * Debits of standing orders by HTTP, each one durable event, of one balance and of many, beside PostgreSQL's own way to
 * debit a row.
 */

const CONNECTIONS = 64
const BALANCES = 1_000
/** Idempotency keys of one round: more than a round debits. */
const KEYS_A_ROUND = 60_000
const WARM_UP_SECONDS = 2
/** Milliseconds that the app may take after a round to have its part. */
const CARRIED_MS = 120_000
const HOT = 'one balance'
const SPREAD = `${BALANCES} balances`

export const debits: BenchSet = {
  name: 'debits',
  title: 'Debits of standing orders',
  async run(stage) {
    const { url: databaseUrl } = await stage.database()
    const dataDir = `${stage.dir}/data`
    const service = await startBenchService({ dataDir, databaseUrl })
    stage.closing(() => service.stop())
    const operator = await openOperator({ dataDir, databaseUrl })
    stage.closing(() => operator.close())
    const app = await operator.app('https://app.test/cb')
    const debtors = await operator.debtors(app.clientId, BALANCES)
    const url = `${service.origin}/oauth2?op=mandate&act=debit`
    const seconds = stage.pick(2, 8)
    let rounds = 0
    const at = (name: string, payers: readonly Debtor[]) => {
      const debit = async (time: number) => {
        const bodies = `${stage.dir}/debits-${++rounds}`
        writeFileSync(bodies, lines(payers, app, rounds))
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        const before = await operator.debitsOf(payers)
        const figures = await load(
          { url, method: 'POST', headers, bodies, connections: CONNECTIONS, seconds: time },
          200,
        )
        const made = (await operator.debitsOf(payers)) - before
        // Debits that are under way at the end may be made although nobody waits for their answers.
        if (made < figures.answered || made > figures.answered + CONNECTIONS)
          throw new Error(`${figures.answered} debits were answered, and ${made} made`)
        await operator.carried(app.clientId, debtors, CARRIED_MS)
        return figures
      }
      return { name, round: () => debit(seconds), warmUp: () => debit(WARM_UP_SECONDS) }
    }
    const contestants = [at(HOT, debtors.slice(0, 1)), at(SPREAD, debtors)]
    for (const { warmUp } of contestants) await warmUp()
    await stage.compare({
      title: `op=mandate&act=debit, ${CONNECTIONS} connections`,
      unit: 'debits',
      contestants: [...contestants, ...(await inPostgres(stage, seconds))],
      goals: [],
    })
  },
}

const lines = (payers: readonly Debtor[], app: { clientId: string; clientSecret: string }, round: number): string =>
  Array.from({ length: KEYS_A_ROUND }, (_, n) => {
    const payer = payers[n % payers.length]
    return new URLSearchParams({
      client_id: app.clientId,
      client_secret: app.clientSecret,
      mandate_id: payer?.mandateId ?? '',
      amount: '0.01',
      description: 'A debit',
      idempotency_key: `${round}-${n}`,
    }).toString()
  }).join('\n')

/** A row that is debited if it covers the amount, and a line in its history, in one transaction. */
const SCRIPT = `\\set id random(1, :balances)
begin;
update balances set balance = balance - 1, spent = spent + 1 where id = :id and balance >= 1 and spent + 1 <= cap;
insert into history (balance_id, amount, key) values (:id, 1, gen_random_uuid());
end;
`
const TABLES = `
  create table balances (id int primary key, balance bigint not null, spent bigint not null, cap bigint not null);
  create table history (id bigint generated always as identity primary key, balance_id int not null, amount bigint not null, key uuid not null unique);
  insert into balances select id, 1000000000, 0, 1000000000 from generate_series(1, ${BALANCES}) as id`

const inPostgres = async (stage: Stage, seconds: number): Promise<readonly Contestant[]> => {
  const program = debianProgram('pgbench')
  const names = [HOT, SPREAD].map((name) => `PostgreSQL by pgbench, ${name}`)
  if (!program) {
    sayLeftOut('pgbench', names.join(', '))
    return []
  }
  const run = await openPgbench(stage, program, { tables: TABLES, script: SCRIPT, counts: 'history' })
  return names.map((name, i) => ({
    name,
    round: () => run({ clients: CONNECTIONS, seconds, variables: { balances: i === 0 ? 1 : BALANCES } }),
  }))
}
