import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Gives memory back while nobody calls. What a start or a busy hour has left is collected by itself only when more is
 * needed: an idle service would hold twice of what it uses.
 */

/** Milliseconds between two looks at how much this process has worked. */
const LOOK_EVERY_MS = 15_000
/** The share of one processor below which a process is idle between two looks. */
const IDLE_SHARE = 0.1
/** Seconds of processor time since the start, and since the last time, below which there is little to give back. */
const WORK_MIN_S = 1
const WORK_AGAIN_MIN_S = 10
/**
 * Bytes that a process has to have grown by since the last time, where nobody has called it since, or this share of
 * what it held then: what it asks of its stores and chains by itself leaves a megabyte behind in some seconds. After
 * calls it waits for more work: a collection throws away what the next calls would go fast by.
 */
const GROWN_MIN_BYTES = 3_000_000
const GROWN_MIN_SHARE = 0.02
/**
 * Bytes of the heap, with what nobody uses any more, above which nothing is done: everybody would wait for it, some 2
 * ms for each megabyte that is in use.
 */
const HEAP_MAX_BYTES = 1_000_000_000

/** Where Node tells of each request that one of its servers takes. */
const CALLS = 'http.server.request.start'
/** What is asked of a process that nobody calls. */
const WATCHED = /^\/(healthz|readyz|metrics)(\?|$)/

/**
 * Begins to look; answers how to end that. A process that is called now and then works less than an idle one may, as
 * each of several does that share what one could answer: its callers would wait for a collection again and again.
 */
export const giveMemoryBack = ({ everyMs = LOOK_EVERY_MS }: { readonly everyMs?: number } = {}): (() => void) => {
  let given = 0
  let held = 0
  let before = workedSeconds()
  let isCalled = false
  let wasCalled = false
  const called = (message: unknown) => {
    const { request } = message as { readonly request: IncomingMessage }
    isCalled ||= !WATCHED.test(request.url ?? '')
  }
  const look = () => {
    const worked = workedSeconds()
    const isIdle = !isCalled && worked - before < (IDLE_SHARE * everyMs) / 1_000
    before = worked
    wasCalled ||= isCalled
    isCalled = false
    if (!isIdle || !isWorthIt(worked, { given, held, wasCalled }) || process.memoryUsage().heapUsed > HEAP_MAX_BYTES)
      return
    collect()
    given = workedSeconds()
    held = process.memoryUsage.rss()
    wasCalled = false
    before = given
  }
  const timer = setInterval(look, everyMs).unref()
  subscribe(CALLS, called)
  return () => {
    clearInterval(timer)
    unsubscribe(CALLS, called)
  }
}

type SinceLastTime = { readonly given: number; readonly held: number; readonly wasCalled: boolean }

/** Whether enough has come together, since the start or since the last time. */
const isWorthIt = (worked: number, { given, held, wasCalled }: SinceLastTime): boolean => {
  if (given === 0) return worked >= WORK_MIN_S
  if (worked - given >= WORK_AGAIN_MIN_S) return true
  return !wasCalled && process.memoryUsage.rss() - held > Math.max(GROWN_MIN_BYTES, GROWN_MIN_SHARE * held)
}

const workedSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/**
 * Collects all there is, and hands pages back that nothing lies in. What the cache of compiled code has been read into
 * goes as well: a start keeps all of it, for its end.
 */
const collect = (): void => {
  flushCompileCache()
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as (options: object) => void
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
