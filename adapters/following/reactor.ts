import { setTimeout as pause } from 'node:timers/promises'
import type { Feed, Progress } from '../../domain/kernel/following.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { UnreadableEvent } from '../../domain/kernel/recorded-event.ts'
import { isFinal } from '../../domain/kernel/refusal.ts'
import { atMost } from '../timing/time-limit.ts'
import { endingOf } from './ending.ts'
import { createKeyOrder, type KeyOrder, type Place, type Task } from './key-order.ts'

/**
 * Follows the log and reacts to each event it knows, from where it left off: to those of one key in the order of the
 * log, to others at once (N-110). Every reaction may run twice, so the checkpoint may lag; it never runs ahead: it
 * stands before the oldest event whose reaction has not come to an end.
 */
export type Reactor = {
  readonly name: string
  /** Reactions under way at once; as many that keep failing may be tried again beside them. */
  readonly concurrency: number
  handles(type: string): boolean
  /** A reaction begins once no earlier one that shares a key is under way; one without keys waits for none. */
  keysOf(event: RecordedEvent): readonly string[]
  react(event: RecordedEvent): Promise<unknown>
  /**
   * Takes up to `max` events of the same keys that have gathered, in the order of the log. When it fails, `react` takes
   * them one by one.
   */
  readonly together?: { readonly max: number; react(events: readonly RecordedEvent[]): Promise<unknown> } | undefined
}

export type Checkpoints = {
  load(name: string): Promise<bigint>
  /**
   * Resolves once the position is on the disk. `event` is the one at the position, which tells the log from another one
   * with the same positions. What may be written `soon` waits up to 200 ms for others, to be written with them.
   */
  save(name: string, position: bigint, event?: Pick<RecordedEvent, 'id' | 'at'>, when?: 'now' | 'soon'): Promise<void>
}

type ReactorLog = { warn(fields: object, message: string): void }

/** What a reactor goes by, beside the log. */
export type ReactorRules = {
  /** Whether an event was set aside since it was read: then nothing has to be done about it. */
  isSetAside(id: string): boolean
  /** Whether this process may still react; asked before each reaction, because a process may have hung for long. */
  mayReact(): boolean
  /** Called with each failure of a reaction to an event that only this, or another one, can be the reason of. */
  stopped(error: UnreadableEvent, event: RecordedEvent): void
}

const FREE: ReactorRules = { isSetAside: () => false, mayReact: () => true, stopped: () => {} }

const RETRY_FIRST_MS = 100
const RETRY_LONGEST_MS = 10_000
/**
 * A checkpoint is given to be written soon at most this often, and so is written within half a second; what lies
 * between may be reacted to again after a crash.
 */
const CHECKPOINT_EVERY_MS = 300
/** The most that a reactor takes upon itself, then the log is not read on; and the longest that a stop of it takes. */
export type ReactorBounds = {
  /** Events that are reacted to, or wait for an earlier one of their keys: they are kept in memory. */
  readonly open: number
  /** Events beyond the checkpoint: they are reacted to again after a restart. */
  readonly ahead: number
  /** Milliseconds that a stop waits for reactions under way; one that takes longer is done again at the next start. */
  readonly stopMs: number
}

const BOUNDS: ReactorBounds = { open: 1_000, ahead: 100_000, stopMs: 8_000 }
/** Times that a reaction fails, within some two seconds, until nobody waits for it any more. */
const FAILURES_WAITED_FOR = 5

type ReactorContext = {
  readonly feed: Feed
  readonly checkpoints: Checkpoints
  readonly progress: Progress
  readonly log: ReactorLog
  readonly rules?: ReactorRules
  /** Those that are not given are the usual ones. */
  readonly bounds?: Partial<ReactorBounds>
}

export const runReactor = async (reactor: Reactor, deps: ReactorContext, signal: AbortSignal): Promise<void> => {
  const { feed, checkpoints, progress, log, rules = FREE } = deps
  const bounds = { ...BOUNDS, ...deps.bounds }
  const failing = new AbortController()
  const stop = AbortSignal.any([signal, failing.signal])
  const order = createKeyOrder({ position: await checkpoints.load(reactor.name) })
  let failed: unknown
  /** Called when a reaction has ended, and at the stop. Only one side ever waits: the dispatching, for room. */
  let wake = () => {}
  const change = () => new Promise<void>((resolve) => (wake = resolve))
  const stopped = endingOf(stop, () => wake())

  const saving = createSaving(reactor.name, checkpoints, order.done, (error) => {
    failed = error
    failing.abort()
  })
  const moved = () => {
    progress.advance(order.done().position, order.passed().position)
    if (!stopped()) saving.soon()
  }
  const passed = (last: RecordedEvent) => {
    if (!stopped()) order.pass({ position: last.position, event: last })
    moved()
  }
  const reacting = createReacting(reactor, order, { log, rules, stop }, () => {
    wake()
    moved()
  })
  const isFull = () => {
    const { open, ahead } = order.size()
    return open >= bounds.open || ahead >= bounds.ahead || reacting.isFull()
  }
  progress.advance(order.done().position)

  try {
    for await (const page of feed.after(order.done().position, stop, { wants: reactor.handles, passed })) {
      const tasks: Task[] = []
      for (const event of page.filter(({ type }) => reactor.handles(type))) {
        for (; isFull() && !stopped(); await change()) reacting.start(tasks.splice(0))
        if (stopped()) break
        tasks.push(...order.add(event, keysOf(reactor, event), reactor.together?.max))
      }
      // What goes together gathers from the whole page.
      reacting.start(tasks)
      const last = page.at(-1)
      if (last) passed(last)
    }
  } finally {
    // The wait is needed also when a checkpoint could not be written: whoever starts again must not react beside a
    // reaction that is still under way.
    failing.abort()
    saving.stop()
    await atMost(bounds.stopMs, reacting.ended())
  }
  if (failed) throw failed
  await saving.now()
}

/** The keys of an event; undefined where they cannot be told, because it cannot be read or is not as it should be. */
const keysOf = (reactor: Reactor, event: RecordedEvent): readonly string[] | undefined => {
  if (event.unreadable !== undefined) return undefined
  try {
    return [...new Set(reactor.keysOf(event))]
  } catch {
    return undefined
  }
}

/** Starts reactions as far as there is room for them, one after the other where one waits for another. */
const createReacting = (
  reactor: Reactor,
  order: KeyOrder,
  trying: Pick<Trying, 'log' | 'rules' | 'stop'>,
  ended: () => void,
) => {
  const ready: Task[] = []
  const underWay = new Set<Promise<void>>()
  let running = 0
  /** Reactions that keep failing, and that leave their room to others. */
  let aside = 0

  const begin = async (task: Task): Promise<void> => {
    let isAside = false
    running++
    order.begin(task)
    const keepsFailing = () => {
      order.giveUp(task)
      ended()
      if (isAside || aside >= reactor.concurrency) return
      isAside = true
      aside++
      running--
      startReady()
    }
    // A reaction cut off by the stop keeps its place, so that the checkpoint stays before it.
    if (!(await untilAllDone(reactor, task.events, { ...trying, keepsFailing }))) return
    if (isAside) aside--
    else running--
    ready.push(...order.end(task))
    startReady()
    ended()
  }
  const startReady = () => {
    while (running < reactor.concurrency && !trying.stop.aborted) {
      const task = ready.shift()
      if (!task) return
      const work = begin(task).finally(() => underWay.delete(work))
      underWay.add(work)
    }
  }
  return {
    start(tasks: readonly Task[]) {
      ready.push(...tasks)
      startReady()
    },
    /** Whether more wait for room than would find some. */
    isFull: () => running >= reactor.concurrency && ready.length >= reactor.concurrency,
    ended: () => Promise.all(underWay),
  }
}

/** Writes down how far a reactor has come; the last one that was written is not written again. */
const createSaving = (name: string, checkpoints: Checkpoints, done: () => Place, failed: (error: unknown) => void) => {
  let saved = done().position
  let later: NodeJS.Timeout | undefined
  const save = async (when: 'now' | 'soon') => {
    const { position, event } = done()
    if (position <= saved) return
    await checkpoints.save(name, position, event, when)
    if (position > saved) saved = position
  }
  return {
    now: () => save('now'),
    /** Saves also when the log goes quiet: other processes see by the checkpoint how far this reactor has come. */
    soon() {
      later ??= setTimeout(() => {
        later = undefined
        save('soon').catch(failed)
      }, CHECKPOINT_EVERY_MS).unref()
    },
    stop: () => clearTimeout(later),
  }
}

type Trying = {
  readonly log: ReactorLog
  readonly rules: ReactorRules
  readonly stop: AbortSignal
  /** Called at failures of which the event is the reason, and from the one on after which nobody waits any more. */
  keepsFailing(): void
}

/** Reacts to events together, and to each by itself where that fails or there is one alone. */
const untilAllDone = async (reactor: Reactor, events: readonly RecordedEvent[], trying: Trying): Promise<boolean> => {
  const [first] = events
  if (reactor.together && first && events.length > 1) {
    if (!trying.rules.mayReact()) return false
    try {
      const left = events.filter(({ id }) => !trying.rules.isSetAside(id))
      if (left.length > 0) await reactor.together.react(left)
      return true
    } catch (error) {
      trying.log.warn({ ...factsOf(reactor, first), events: events.length, err: error }, 'trying each by itself')
    }
  }
  for (const event of events) if (!(await untilDone(reactor, event, trying))) return false
  return true
}

/** Tries for ever: a reaction that fails holds up what shares a key with it, and says so, rather than being skipped. */
const untilDone = async (
  reactor: Reactor,
  event: RecordedEvent,
  { log, rules, stop: signal, keepsFailing }: Trying,
): Promise<boolean> => {
  const facts = factsOf(reactor, event)
  let failures = 0
  for (let wait = RETRY_FIRST_MS; !signal.aborted; wait = Math.min(wait * 2, RETRY_LONGEST_MS)) {
    if (!rules.mayReact()) return false
    try {
      if (!rules.isSetAside(event.id)) await reactTo(reactor, event)
      return true
    } catch (error) {
      // What is taken together rests on what goes before it, so nothing of it is passed over.
      if (!reactor.together && isFinal(error)) {
        log.warn({ ...facts, refusal: error.code }, 'reaction refused')
        return true
      }
      const fault = faultOf(event, error)
      if (fault) rules.stopped(fault, event)
      log.warn({ ...facts, err: error }, 'reaction failed, trying again')
      if (++failures >= FAILURES_WAITED_FOR || fault) keepsFailing()
      await pause(wait, undefined, { signal }).catch(() => {})
    }
  }
  return false
}

const factsOf = ({ name: reactor }: Reactor, { id: event, type, position, cause }: RecordedEvent) => ({
  reactor,
  event,
  type,
  position: String(position),
  correlationId: cause.correlationId,
})

const reactTo = async ({ react }: Reactor, event: RecordedEvent): Promise<unknown> => {
  if (event.unreadable !== undefined) throw new UnreadableEvent(event, event.unreadable)
  return react(event)
}

/** The fault of an event behind a failure; undefined where it may be one of the outside, which passes. */
const faultOf = (event: RecordedEvent, error: unknown): UnreadableEvent | undefined => {
  if (error instanceof UnreadableEvent) return error
  const isOfData = [TypeError, SyntaxError, RangeError].some((kind) => error instanceof kind)
  return isOfData ? new UnreadableEvent(event, (error as Error).message, { cause: error }) : undefined
}
