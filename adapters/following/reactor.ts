import { setTimeout as pause } from 'node:timers/promises'
import type { Feed, Progress, RecordedEvent } from '../../domain/kernel/ports.ts'
import { UnreadableEvent } from '../../domain/kernel/recorded-event.ts'
import { isFinal } from '../../domain/kernel/refusal.ts'

/**
 * Follows the log and reacts to each event it knows, from where it left off. Every reaction may run twice, so the
 * checkpoint may lag; it never runs ahead: it stands before the oldest event whose reaction has not come to an end.
 */
export type Reactor = {
  readonly name: string
  /** Reactions under way at once. 1 keeps the order of the log. */
  readonly concurrency: number
  handles(type: string): boolean
  react(event: RecordedEvent): Promise<unknown>
  /** Used in place of `react`: takes up to `max` events that have come by now, in the order of the log. */
  readonly together?: { readonly max: number; react(events: readonly RecordedEvent[]): Promise<unknown> }
}

export type Checkpoints = {
  load(name: string): Promise<bigint>
  /**
   * Resolves once the position is on the disk. `event` is the one at the position, which tells the log from another one
   * with the same positions. What may be written `soon` waits up to 200 ms for others, to be written with them.
   */
  save(name: string, position: bigint, event?: Pick<RecordedEvent, 'id' | 'at'>, when?: 'now' | 'soon'): Promise<void>
}

export type ReactorLog = { warn(fields: object, message: string): void }

/** What a reactor goes by, beside the log. */
export type ReactorRules = {
  /** Whether an event was set aside since it was read: then nothing has to be done about it. */
  isSetAside(id: string): boolean
  /** Whether this process may still react; asked before each reaction, because a process may have hung for long. */
  mayReact(): boolean
  /** Called with each failure of a reaction that only the event, or another one, can be the reason of. */
  stopped(error: UnreadableEvent): void
}

const FREE: ReactorRules = { isSetAside: () => false, mayReact: () => true, stopped: () => {} }

const RETRY_FIRST_MS = 100
const RETRY_LONGEST_MS = 10_000
/**
 * A checkpoint is given to be written soon at most this often, and so is written within half a second; what lies
 * between may be reacted to again after a crash.
 */
const CHECKPOINT_EVERY_MS = 300
/** Milliseconds that a stop waits for reactions under way; one that takes longer is done again at the next start. */
const STOP_WAIT_MS = 8_000

export const runReactor = async (
  reactor: Reactor,
  deps: { feed: Feed; checkpoints: Checkpoints; progress: Progress; log: ReactorLog; rules?: ReactorRules },
  signal: AbortSignal,
): Promise<void> => {
  const { feed, checkpoints, progress, log, rules = FREE } = deps
  const failing = new AbortController()
  const stop = AbortSignal.any([signal, failing.signal])
  /** `before` is the place up to which the log was dispatched when the reaction began: one that the store knows. */
  const underWay = new Set<{ before: Place; done: Promise<void> }>()
  let dispatched: Place = { position: await checkpoints.load(reactor.name) }
  let saved = dispatched.position
  let later: NodeJS.Timeout | undefined
  let failed: unknown
  /** Called when a reaction has ended, and at the stop. Only one side ever waits: the dispatching, for room. */
  let wake = () => {}
  const change = () => new Promise<void>((resolve) => (wake = resolve))
  stop.addEventListener('abort', () => wake(), { once: true })
  progress.advance(dispatched.position)

  const finished = () => {
    let low = dispatched
    for (const { before } of underWay) if (before.position < low.position) low = before
    return low
  }
  const save = async (when: 'now' | 'soon') => {
    const { position, event } = finished()
    if (position <= saved) return
    await checkpoints.save(reactor.name, position, event, when)
    if (position > saved) saved = position
  }
  /** Saves also when the log goes quiet: other processes see by the checkpoint how far this reactor has come. */
  const saveLater = () => {
    if (stop.aborted) return
    later ??= setTimeout(() => {
      later = undefined
      save('soon').catch((error: unknown) => {
        failed = error
        failing.abort()
      })
    }, CHECKPOINT_EVERY_MS).unref()
  }
  const start = (events: readonly RecordedEvent[]) => {
    const task = { before: dispatched, done: Promise.resolve() }
    underWay.add(task)
    task.done = untilDone(reactor, events, { log, rules }, stop).then((done) => {
      // A reaction cut off by the stop stays in the set, so that the checkpoint stays before it.
      if (done) underWay.delete(task)
      wake()
      progress.advance(finished().position)
      saveLater()
    })
  }

  try {
    for await (const page of feed.after(dispatched.position, stop)) {
      for (const events of inReactions(reactor, page)) {
        while (underWay.size >= reactor.concurrency && !stop.aborted) await change()
        if (stop.aborted) break
        start(events)
        dispatched = placeAfter(events) ?? dispatched
      }
      if (!stop.aborted) dispatched = placeAfter(page) ?? dispatched
      progress.advance(finished().position)
      saveLater()
    }
  } finally {
    // The wait is needed also when a checkpoint could not be written: whoever starts again must not react beside a
    // reaction that is still under way.
    failing.abort()
    clearTimeout(later)
    await atMost(STOP_WAIT_MS, Promise.all([...underWay].map((task) => task.done)))
  }
  if (failed) throw failed
  await save('now')
}

/** The place that a reactor has come to; the event is unknown only where it began. */
type Place = { readonly position: bigint; readonly event?: RecordedEvent }

const placeAfter = (events: readonly RecordedEvent[]): Place | undefined => {
  const event = events.at(-1)
  return event && { position: event.position, event }
}

/** The events of a page that are reacted to, as many together as the reactor takes. */
const inReactions = ({ handles, together }: Reactor, page: readonly RecordedEvent[]): (readonly RecordedEvent[])[] => {
  const events = page.filter(({ type }) => handles(type))
  const size = together?.max ?? 1
  return Array.from({ length: Math.ceil(events.length / size) }, (_, i) => events.slice(i * size, (i + 1) * size))
}

const atMost = async (ms: number, work: Promise<unknown>) => {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))])
  clearTimeout(timer)
}

/** Tries for ever: a reaction that fails holds up what comes after it, and says so, rather than being skipped. */
const untilDone = async (
  reactor: Reactor,
  events: readonly RecordedEvent[],
  { log, rules }: { readonly log: ReactorLog; readonly rules: ReactorRules },
  signal: AbortSignal,
): Promise<boolean> => {
  const [event] = events
  if (!event) return true
  const facts = { reactor: reactor.name, event: event.id, type: event.type, position: String(event.position) }
  for (let wait = RETRY_FIRST_MS; !signal.aborted; wait = Math.min(wait * 2, RETRY_LONGEST_MS)) {
    if (!rules.mayReact()) return false
    try {
      await reactTo(
        reactor,
        events.filter(({ id }) => !rules.isSetAside(id)),
      )
      return true
    } catch (error) {
      // None of several events may be passed over because another one was refused.
      if (!reactor.together && isFinal(error)) {
        log.warn({ ...facts, refusal: error.code }, 'reaction refused')
        return true
      }
      const fault = faultOf(event, error)
      if (fault) rules.stopped(fault)
      log.warn({ ...facts, err: error }, 'reaction failed, trying again')
      await pause(wait, undefined, { signal }).catch(() => {})
    }
  }
  return false
}

const reactTo = async ({ react, together }: Reactor, events: readonly RecordedEvent[]): Promise<unknown> => {
  for (const event of events) if (event.unreadable !== undefined) throw new UnreadableEvent(event, event.unreadable)
  const [event] = events
  if (!event) return undefined
  return together ? together.react(events) : react(event)
}

/** The fault of an event behind a failure; undefined where it may be one of the outside, which passes. */
const faultOf = (event: RecordedEvent, error: unknown): UnreadableEvent | undefined => {
  if (error instanceof UnreadableEvent) return error
  const isOfData = [TypeError, SyntaxError, RangeError].some((kind) => error instanceof kind)
  return isOfData ? new UnreadableEvent(event, (error as Error).message, { cause: error }) : undefined
}
