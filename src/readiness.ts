import type { RatesReport } from '../adapters/rates/market.ts'
import { FIAT_DECIMALS, toDecimal } from '../domain/money.ts'
import { contestedAddresses } from './address-claims.ts'
import type { Readiness } from './app.ts'
import type { Engine } from './engine.ts'
import type { Forwarding } from './forwarded.ts'
import type { Foundation } from './foundation.ts'
import type { PartsReport } from './parts/check.ts'
import { jsonOf } from './parts/refusal.ts'
import type { Relayers, RelayersReport } from './relayers.ts'
import type { ChainReport, Watching } from './watching.ts'

/** No check may hold up the answer longer. */
const CHECK_MS = 1_000
/**
 * How long the read models may take to come to the head of the log as it is now; longer means that something is stuck.
 */
const LAG_CHECK_MS = 500

/**
 * What `/readyz` says: the log, Postgres, how far the read models are, every chain, the rates, the relayers, whether
 * callers behind a proxy can be told apart, receive addresses that several accounts have, and whether the parts of the
 * installation fit together. A chain that is down, a coin without a rate, a relayer without coin or a contested address
 * does not make us unready.
 */
export const readinessOf =
  (given: {
    foundation: Pick<Foundation, 'store' | 'writable' | 'sql' | 'parts'>
    engine: Pick<Engine, 'workers' | 'queries'> & { readonly watch: Pick<Watching, 'health' | 'checked'> }
    ratesReport(): RatesReport | undefined
    relayers: Pick<Relayers, 'report'>
    forwarding: Pick<Forwarding, 'report'>
  }) =>
  async (): Promise<Readiness> => {
    const { ratesReport, relayers, forwarding } = given
    const { store, writable, sql, parts } = given.foundation
    const { workers, watch, queries } = given.engine
    const [readable, postgres, readModels, addresses, relaying, fitting] = await Promise.all([
      answers(store.head()),
      answers(sql`select 1`),
      answers(
        store.head().then(async (head) => {
          if (!(await workers.projected(head, LAG_CHECK_MS))) throw new Error('behind')
        }),
      ),
      inTime(contestedAddresses(queries), []),
      inTime(relayers.report(), new Map()),
      inTime<PartsReport | undefined>(parts(), undefined),
      answers(watch.checked),
    ])
    const eventStore = readable && writable()
    return {
      ready: eventStore && postgres && readModels && fitting?.fits !== false,
      checks: {
        event_store: said(eventStore),
        postgres: said(postgres),
        parts: fitting ? jsonOf(fitting) : { status: 'unknown', parts: [] },
        read_models: said(readModels),
        chains: chainsShown(watch.health()),
        rates: ratesShown(ratesReport()),
        relayers: relayersShown(relaying),
        proxy: forwarding.report(),
        receive_addresses: { status: addresses.length > 0 ? 'contested' : 'ok', contested: addresses },
      },
    }
  }

const chainsShown = (chains: ReadonlyMap<string, ChainReport>) =>
  Object.fromEntries(
    [...chains].map(([name, { status, head, headAgeSeconds, cursorBehindBlocks, answering, providers, ...own }]) => [
      name,
      {
        ...{ status, head, head_age_seconds: headAgeSeconds, cursor_behind_blocks: cursorBehindBlocks },
        ...{ providers_answering: answering, providers },
        voices: own.voices,
        payments_unconfirmed: own.payments.waitingCount,
        payments_disputed: own.payments.disputedCount,
        disputed: own.payments.disputed,
      },
    ]),
  )

const relayersShown = (relayers: RelayersReport) =>
  Object.fromEntries(
    [...relayers].map(([network, { status, address, balance, waiting, oldestSeconds, lostUsd, limitUsd }]) => [
      network,
      {
        status,
        address,
        balance: balance === undefined ? null : String(balance),
        waiting,
        oldest_seconds: oldestSeconds ?? null,
        lost_usd_last_hour: toDecimal(lostUsd, FIAT_DECIMALS),
        lost_usd_limit: toDecimal(limitUsd, FIAT_DECIMALS),
      },
    ]),
  )

/**
 * Down while a coin of a connected chain has no price, for sources are silent, disagree or are not believed, or while a
 * stablecoin is off its dollar: those are not offered.
 */
const ratesShown = (report: RatesReport | undefined) =>
  report
    ? {
        status: said(report.missing.length === 0),
        sources: Object.fromEntries(report.sources.map(({ name, fresh }) => [name, said(fresh)])),
        missing: report.missing,
        held_back: report.heldBack,
      }
    : { status: 'fixed' }

const answers = (check: Promise<unknown>): Promise<boolean> =>
  inTime(
    check.then(() => true),
    false,
  )

/** What is asked for, or this when it does not come. */
const inTime = async <T>(asked: Promise<T>, otherwise: T): Promise<T> => {
  const late = new Promise<T>((resolve) => setTimeout(resolve, CHECK_MS, otherwise).unref())
  return Promise.race([asked, late]).catch(() => otherwise)
}

const said = (ok: boolean) => (ok ? 'ok' : 'down')
