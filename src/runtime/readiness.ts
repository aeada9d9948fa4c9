import type { RatesReport } from '../../adapters/rates/quotes/market.ts'
import type { UnreadablePlace } from '../../adapters/store/base/event-reading.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import { FIAT_DECIMALS, toDecimal } from '../../domain/kernel/money.ts'
import type { Engine } from '../engine/engine.ts'
import type { Foundation } from '../engine/foundation.ts'
import type { ChainReport, ChainWatches } from '../engine/watching.ts'
import type { HeadsReport } from '../heads/report.ts'
import type { Relayers, RelayersReport } from '../outside/relayers.ts'
import type { PartsReport } from '../parts/check.ts'
import { jsonOf } from '../parts/refusal.ts'
import { contestedAddresses } from './address-claims.ts'
import type { Readiness } from './app.ts'
import type { ForwardingWatch } from './forwarded.ts'

/** Milliseconds that a check may hold up the answer. */
const CHECK_MS = 1_000
/**
 * How long the read models may take to come to the head of the log as it is now; longer means that something is stuck.
 */
const LAG_CHECK_MS = 500

/**
 * What `/readyz` says: the log, the streams that it does not show whole, the events in it that cannot be read,
 * Postgres, whether the parts of the installation fit together, how far the read models are, whether the log is sealed
 * and what its witnesses say, every chain, the rates, the relayers, whether callers behind a proxy can be told apart,
 * and receive addresses that several accounts have. A stream that was cut, an event that cannot be read, a chain that
 * is down, a coin without a rate, a relayer without coin, a contested address or a witness that refuses does not make
 * us unready: what is sold is still booked. A log that is not the one that was sealed does, and parts that do not fit
 * do.
 *
 * Ready is said of this process alone, because whoever asks takes it out or leaves it in. Read models that are behind
 * are behind for every process, so they make the service degraded and no process unready; only one that starts is not
 * ready before they have come to the end of the log once.
 */
export const readinessOf = (given: {
  foundation: Pick<Foundation, 'store' | 'writable' | 'sql' | 'parts'>
  engine: Pick<Engine, 'workers' | 'caughtUp' | 'queries' | 'seals' | 'heads'> & {
    readonly watch: Pick<ChainWatches, 'health' | 'checked'>
  }
  ratesReport(): RatesReport | undefined
  relayers: Pick<Relayers, 'report'>
  forwarding: Pick<ForwardingWatch, 'report'>
}) => {
  let started = given.engine.caughtUp
  return async (): Promise<Readiness> => {
    const { ratesReport, relayers, forwarding } = given
    const { store, writable, sql, parts } = given.foundation
    const { workers, watch, queries, seals, heads } = given.engine
    const [readable, postgres, readModels, addresses, relaying, vouched, fitting] = await Promise.all([
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
      inTime<PartsReport | undefined>(parts(), undefined),
      answers(watch.checked),
    ])
    const eventStore = readable && writable()
    const sealing = seals.report()
    const stops = workers.stops()
    // A read model that stands at an event keeps nobody from starting: only an operator can move it.
    started ||= readModels || stops.size > 0
    const followers = followersShown(stops)
    const ready = eventStore && postgres && started && sealing.status !== 'refused' && fitting?.fits !== false
    return {
      ready,
      status: !ready ? 'unready' : readModels && stops.size === 0 ? 'ok' : 'degraded',
      checks: {
        event_store: said(eventStore),
        streams: streamsShown(store.cuts),
        events: eventsShown(store.reading),
        postgres: said(postgres),
        parts: fitting ? jsonOf(fitting) : { status: 'unknown', parts: [] },
        read_models: readModels ? 'ok' : started ? 'behind' : 'down',
        followers,
        seals: sealing,
        chains: chainsShown(watch.health()),
        rates: ratesShown(ratesReport()),
        relayers: relayersShown(relaying),
        proxy: forwarding.report(),
        receive_addresses: { status: addresses.length > 0 ? 'contested' : 'ok', contested: addresses },
        heads: vouched ? headsShown(vouched) : { status: 'unknown' },
      },
    }
  }
}

/** Events that are named; the count is of all. */
const EVENTS_SHOWN = 100

/** The events that this process has met and cannot read, and how many of other programs it has passed over. */
const eventsShown = ({ unreadable, foreign }: LogStore['reading']) => {
  const all = unreadable()
  return {
    status: all.length > 0 ? 'unreadable' : 'ok',
    count: all.length,
    unreadable: all.slice(0, EVENTS_SHOWN).map(placeShown),
    foreign: Object.fromEntries(foreign()),
  }
}

/** The followers of this process that stand at an event, and the events. */
const followersShown = (stops: ReturnType<Engine['workers']['stops']>) => ({
  status: stops.size > 0 ? 'stopped' : 'ok',
  stopped: Object.fromEntries([...stops].map(([name, stop]) => [name, placeShown(stop)])),
})

const placeShown = ({ id, stream, revision, type, reason }: UnreadablePlace) => ({
  id,
  stream,
  revision: String(revision),
  type,
  reason,
})

/** Streams that are named; the count is of all. */
const CUT_STREAMS_SHOWN = 100

const streamsShown = (cuts: LogStore['cuts']) => {
  const all = cuts.all()
  return { status: all.length > 0 ? 'cut' : 'ok', count: all.length, cut: all.slice(0, CUT_STREAMS_SHOWN) }
}

const chainsShown = (chains: ReadonlyMap<string, ChainReport>) =>
  Object.fromEntries(
    [...chains].map(([name, { status, head, headAgeSeconds, cursorBehindBlocks, answering, providers, ...own }]) => [
      name,
      {
        status,
        head,
        head_age_seconds: headAgeSeconds,
        cursor_behind_blocks: cursorBehindBlocks,
        providers_answering: answering,
        providers,
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
const headsShown = ({ stopped, witnesses, stamp }: HeadsReport) => ({
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
 * The state of the rates: down while a coin of a connected chain has no price, because sources are silent, disagree or
 * are not believed, or while a stablecoin is off its dollar. Those coins are not offered.
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

/** The answer to a check, or `otherwise` when it fails or comes too late. */
const inTime = async <T>(asked: Promise<T>, otherwise: T): Promise<T> => {
  const late = new Promise<T>((resolve) => setTimeout(resolve, CHECK_MS, otherwise).unref())
  return Promise.race([asked, late]).catch(() => otherwise)
}

const said = (ok: boolean) => (ok ? 'ok' : 'down')
