import type { Sql } from '../adapters/postgres/connect.ts'
import type { RatesReport } from '../adapters/rates/market.ts'
import type { Chain, EventStore } from '../domain/ports.ts'
import type { Readiness } from './app.ts'
import type { Workers } from './workers.ts'

/** No check may hold up the answer longer. */
const CHECK_MS = 1_000
/** How long the read models may take to come to the head of the log as it is now; longer means that something is stuck. */
const LAG_CHECK_MS = 500

/**
 * What `/readyz` says: the log, Postgres, how far the read models are, every chain and the rates. A chain that is down, or a coin without a
 * rate, does not make us unready.
 */
export const readinessOf =
  (parts: {
    store: EventStore
    writable(): boolean
    sql: Sql
    workers: Workers
    chains: ReadonlyMap<string, Chain>
    ratesReport(): RatesReport | undefined
  }) =>
  async (): Promise<Readiness> => {
    const { store, writable, sql, workers, chains, ratesReport } = parts
    const [readable, postgres, readModels, ...networks] = await Promise.all([
      answers(store.head()),
      answers(sql`select 1`),
      answers(
        store.head().then(async (head) => {
          if (!(await workers.projected(head, LAG_CHECK_MS))) throw new Error('behind')
        }),
      ),
      ...[...chains].map(async ([name, chain]) => [name, (await answers(chain.head())) ? 'ok' : 'down'] as const),
    ])
    const eventStore = readable && writable()
    return {
      ready: eventStore && postgres && readModels,
      checks: {
        event_store: said(eventStore),
        postgres: said(postgres),
        read_models: said(readModels),
        chains: Object.fromEntries(networks),
        rates: ratesShown(ratesReport()),
      },
    }
  }

/** Down while a coin of a connected chain has no price, or a stablecoin is off its dollar: those are not offered. */
const ratesShown = (report: RatesReport | undefined) =>
  report
    ? {
        status: said(report.missing.length === 0),
        sources: Object.fromEntries(report.sources.map(({ name, fresh }) => [name, said(fresh)])),
        missing: report.missing,
      }
    : { status: 'fixed' }

const answers = async (check: Promise<unknown>): Promise<boolean> => {
  const late = new Promise<false>((resolve) => setTimeout(resolve, CHECK_MS, false).unref())
  return Promise.race([check.then(() => true), late]).catch(() => false)
}

const said = (ok: boolean) => (ok ? 'ok' : 'down')
