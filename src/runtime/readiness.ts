import type { RatesReport } from '../../adapters/rates/quotes/market.ts'
import type { UnreadablePlace } from '../../adapters/store/base/event-reading.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import { inTime } from '../../adapters/timing/time-limit.ts'
import { FIAT_DECIMALS, toDecimal } from '../../domain/kernel/money.ts'
import type { BackupsReport } from '../clock/backups.ts'
import type { Engine } from '../engine/engine.ts'
import type { Foundation } from '../engine/foundation.ts'
import type { ChainReport, ChainWatches } from '../engine/watching.ts'
import type { HeadsReport } from '../heads/report.ts'
import type { Relayers, RelayersReport } from '../outside/relayers.ts'
import { jsonOf } from '../parts/refusal.ts'
import { contestedAddresses } from './address-claims.ts'
import type { Readiness } from './app.ts'
import type { ForwardingWatch } from './forwarded.ts'

/** Milliseconds that a check may hold up the answer which does not decide whether this process can serve. */
const CHECK_MS = 1_000
/**
 * Milliseconds that the log and PostgreSQL may take. On a busy machine their answers wait behind those to calls, and a
 * process that is late is not one that is away: taken out, it leaves its calls to others that are as busy. Whoever asks
 * (Caddy and Kubernetes by the files of `deploy/`) waits for 5 seconds.
 */
const NEEDED_CHECK_MS = 4_000
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
 * Ready is said of this process alone, because whoever asks takes it out or leaves it in (N-114). Read models that are
 * behind are behind for every process, so they make the service degraded and no process unready; only one that starts
 * is not ready before they have come to the end of the log once. Where one stands still at an event, in this process or
 * another, a start does not wait for it.
 */
export const readinessOf = (given: {
  foundation: Pick<Foundation, 'store' | 'writable' | 'sql' | 'parts'>
  engine: Pick<
    Engine,
    'workers' | 'feed' | 'presence' | 'reports' | 'caughtUp' | 'queries' | 'seals' | 'heads' | 'backups'
  > & {
    readonly watch: Pick<ChainWatches, 'health' | 'checked'>
  }
  ratesReport(): RatesReport | undefined
  relayers: Pick<Relayers, 'report'>
  forwarding: Pick<ForwardingWatch, 'report'>
}) => {
  let started = given.engine.caughtUp
  const look = async (): Promise<Readiness> => {
    const { ratesReport, relayers, forwarding } = given
    const { store, writable, sql, parts } = given.foundation
    const { workers, watch, queries, seals, heads, presence, backups } = given.engine
    const [readable, postgres, lagging, addresses, relaying, vouched, fitting, backedUp] = await Promise.all([
      answers(store.head()),
      answers(sql`select 1`),
      checked(laggingReadModels(store, workers), undefined),
      checked(contestedAddresses(queries), []),
      checked(relayers.report(), new Map()),
      checked(heads.report(), undefined),
      checked(parts(), undefined),
      checked(Promise.resolve(backups?.report()), undefined),
      checked(watch.checked, undefined),
    ])
    const eventStore = readable && writable()
    const sealing = seals.report()
    const stops = workers.stops()
    const readModels = lagging?.length === 0
    started ||= readModels || (lagging !== undefined && (await areStopped(given.engine, lagging)))
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
        followers: followersShown(given.engine),
        processes: { own: presence.id, alive: presence.members().length },
        seals: sealing,
        chains: chainsShown(watch.health()),
        rates: ratesShown(ratesReport()),
        relayers: relayersShown(relaying),
        proxy: forwarding.report(),
        receive_addresses: { status: addresses.length > 0 ? 'contested' : 'ok', contested: addresses },
        heads: vouched ? headsShown(vouched) : { status: 'unknown' },
        backups: backups ? backupsShown(backedUp) : { status: 'off' },
      },
    }
  }
  // Several ask every second or two; while one look is under way it serves them all.
  let underWay: Promise<Readiness> | undefined
  return (): Promise<Readiness> => {
    underWay ??= look().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

/** The read models that do not come to the head of the log as it is now. */
const laggingReadModels = async (store: Pick<LogStore, 'head'>, workers: Engine['workers']) => {
  const head = await store.head()
  return (await workers.projected(head, LAG_CHECK_MS)) ? [] : workers.lagging(head)
}

/**
 * Whether all of these stand still at an event, here or in another process. They keep nobody from starting: only an
 * operator can move them.
 */
const areStopped = async ({ workers, reports }: Pick<Engine, 'workers' | 'reports'>, names: readonly string[]) => {
  const elsewhere = await checked(reports.stopped(), new Set<string>())
  return names.every((name) => workers.stops().has(name) || elsewhere.has(name))
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

/** Followers that are named as being behind. */
const BEHIND_SHOWN = 10

/**
 * The followers of this process: whether it runs them or stands by, those that stand at an event, with the event, and
 * those that are behind the log, with the positions that they lack. What another process runs is that one's to tell.
 */
const followersShown = ({ workers, feed }: Pick<Engine, 'workers' | 'feed'>) => {
  const stops = workers.stops()
  const [head, positions, runs] = [feed.head(), workers.positions(), workers.running()]
  const behind = runs
    .map((name) => [name, Number(head - (positions.get(name) ?? -1n))] as const)
    .filter(([, lacks]) => lacks > 0)
    .toSorted(([, a], [, b]) => b - a)
  return {
    status: stops.size > 0 ? 'stopped' : 'ok',
    turn: runs.length === 0 ? 'stands-by' : 'runs',
    running: runs.length,
    standing_by: positions.size - runs.length,
    hears: feed.hearsAll() ? 'all' : 'kept',
    behind: Object.fromEntries(behind.slice(0, BEHIND_SHOWN)),
    stopped: Object.fromEntries([...stops].map(([name, stop]) => [name, placeShown(stop)])),
  }
}

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

/** `late`: the newest one is older than two rounds of the clock, so that a loss would be larger than was meant. */
const backupsShown = (report: BackupsReport | undefined) =>
  report
    ? {
        status: report.late ? 'late' : 'ok',
        age_seconds: report.age === null ? null : Math.round(report.age),
        count: report.count,
        failures: report.failures,
      }
    : { status: 'unknown' }

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
    NEEDED_CHECK_MS,
  )

const checked = <T, O>(check: Promise<T>, otherwise: O) => inTime(check, otherwise, CHECK_MS)

const said = (ok: boolean) => (ok ? 'ok' : 'down')
