import type { Sql } from '../adapters/postgres/connect.ts'
import type { RatesReport } from '../adapters/rates/market.ts'
import { FIAT_DECIMALS, toDecimal } from '../domain/money.ts'
import type { EventStore } from '../domain/ports.ts'
import type { Queries } from '../projections/index.ts'
import { contestedAddresses } from './address-claims.ts'
import type { Readiness } from './app.ts'
import type { Forwarding } from './forwarded.ts'
import type { Heads } from './heads/publishing.ts'
import type { HeadsReport } from './heads/report.ts'
import type { Relayers, RelayersReport } from './relayers.ts'
import type { ChainReport, Watching } from './watching.ts'
import type { Workers } from './workers.ts'

/** No check may hold up the answer longer. */
const CHECK_MS = 1_000
/**
 * How long the read models may take to come to the head of the log as it is now; longer means that something is stuck.
 */
const LAG_CHECK_MS = 500

/**
 * What `/readyz` says: the log, Postgres, how far the read models are, every chain, the rates, the relayers, whether
 * callers behind a proxy can be told apart, receive addresses that several accounts have, and what the witnesses of the
 * log say. A chain that is down, a coin without a rate, a relayer without coin, a contested address or a witness that
 * refuses does not make us unready: what is sold is still booked.
 */
export const readinessOf =
  (parts: {
    store: EventStore
    writable(): boolean
    sql: Sql
    workers: Workers
    watch: Pick<Watching, 'health' | 'checked'>
    ratesReport(): RatesReport | undefined
    relayers: Pick<Relayers, 'report'>
    forwarding: Pick<Forwarding, 'report'>
    queries: Pick<Queries, 'addressClaims'>
    heads: Pick<Heads, 'report'>
  }) =>
  async (): Promise<Readiness> => {
    const { store, writable, sql, workers, watch, ratesReport, relayers, forwarding, queries, heads } = parts
    const [readable, postgres, readModels, addresses, relaying, sealing] = await Promise.all([
      answers(store.head()),
      answers(sql`select 1`),
      answers(
        store.head().then(async (head) => {
          if (!(await workers.projected(head, LAG_CHECK_MS))) throw new Error('behind')
        }),
      ),
      inTime(contestedAddresses(queries), []),
      inTime(relayers.report(), new Map()),
      inTime<HeadsReport | undefined>(heads.report(), undefined),
      answers(watch.checked),
    ])
    const eventStore = readable && writable()
    return {
      ready: eventStore && postgres && readModels,
      checks: {
        event_store: said(eventStore),
        postgres: said(postgres),
        read_models: said(readModels),
        chains: chainsShown(watch.health()),
        rates: ratesShown(ratesReport()),
        relayers: relayersShown(relaying),
        proxy: forwarding.report(),
        receive_addresses: { status: addresses.length > 0 ? 'contested' : 'ok', contested: addresses },
        sealing: sealing ? sealingShown(sealing) : { status: 'unknown' },
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

/** `stopped`: a witness has seen another history of this log, and nothing is sealed. */
const sealingShown = ({ stopped, witnesses, stamp }: HeadsReport) => ({
  status: stopped ? 'stopped' : 'ok',
  witnesses: Object.fromEntries(
    witnesses.map(({ name, status, size, age, behind, refusal, failure }) => [
      name,
      {
        status,
        cosigned_size: size,
        cosigned_age_seconds: age === null ? null : Math.round(age),
        behind_events: behind,
        refusal: refusal ? { reason: refusal.reason, seen: refusal.seen } : null,
        failure: failure ?? null,
      },
    ]),
  ),
  stamp: stamp
    ? {
        stamped_size: stamp.size,
        stamped_age_seconds: stamp.age === null ? null : Math.round(stamp.age),
        failure: stamp.failure ?? null,
      }
    : null,
})

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
