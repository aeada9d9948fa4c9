import type { Outbound } from '../../domain/kernel/ports.ts'

/**
 * JSON documents of strangers, read rarely: whoever names an address must not be able to make this process call it at
 * will.
 */

/**
 * Milliseconds for which a document is not read again, whatever it says of itself, and after which it is read at the
 * latest.
 */
const KEPT_MIN_MS = 60_000
const KEPT_MAX_MS = 3_600_000
/** Characters of an answer, and milliseconds of a whole reading. */
const CHARACTERS_MAX = 65_536
const READING_MS = 3_000
/** Documents and hosts remembered; the one used longest ago makes room. */
const KEPT_MAX = 500
/** Readings: of all hosts at the same time, of all hosts in a minute, and of one host in a minute. */
const AT_ONCE_MAX = 16
const PER_MINUTE_MAX = 120
const PER_HOST_AND_MINUTE_MAX = 10
const MINUTE_MS = 60_000
/** Milliseconds for which a host that fails is left alone, doubled with each further failure, and the most of them. */
const REST_MS = 5_000
const REST_MAX_MS = 300_000

export type DocumentFault = 'unreachable' | 'malformed' | Busy
/** Too many documents are being read; seconds after which there is room again. */
type Busy = { readonly busyS: number }
export type DocumentResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: DocumentFault }

type KeptDocument<T> = { value: T | undefined; readAt: number; until: number }
type Entry<T> = { kept: KeptDocument<T> | undefined; reading: Promise<DocumentFault | undefined> | undefined }
type Count = { from: number; asked: number }
type Host = Count & { failures: number; restUntil: number }

/**
 * `parse` answers undefined for what is no such document. What it answers is kept, not the text. A document that is not
 * `enough` for the one who asks is read again once it is a minute old.
 */
export const createKeptDocuments = <T>(
  { outbound, now = () => performance.now() }: { outbound: Pick<Outbound, 'get'>; now?: (() => number) | undefined },
  parse: (json: unknown) => T | undefined,
): ((url: string, enough?: (value: T) => boolean) => Promise<DocumentResult<T>>) => {
  const entries = new Map<string, Entry<T>>()
  const mayAsk = createBounds(now)

  const ask = async (url: string, entry: Entry<T>): Promise<DocumentFault | undefined> => {
    const done = mayAsk(new URL(url).host)
    if (typeof done !== 'function') return done
    const { status, body, maxAgeS } = await outbound.get(url, CHARACTERS_MAX, READING_MS)
    done(status === 200)
    if (status !== 200) return 'unreachable'
    const keptMs = Math.min(Math.max((maxAgeS ?? 0) * 1_000, KEPT_MIN_MS), KEPT_MAX_MS)
    entry.kept = { value: parsed(body, parse), readAt: now(), until: now() + keptMs }
    return undefined
  }

  return async (url, enough = () => true) => {
    const entry = usedLast(entries, url, () => ({ kept: undefined, reading: undefined }))
    const isGood = (kept: KeptDocument<T> | undefined): kept is KeptDocument<T> =>
      kept !== undefined && now() < kept.until
    const { kept } = entry
    const isYoung = kept !== undefined && now() < kept.readAt + KEPT_MIN_MS
    if (isGood(kept) && (isYoung || (kept.value !== undefined && enough(kept.value)))) return readOf(kept)
    entry.reading ??= ask(url, entry).finally(() => {
      entry.reading = undefined
    })
    const fault = await entry.reading
    return isGood(entry.kept) ? readOf(entry.kept) : { ok: false, fault: fault ?? 'unreachable' }
  }
}

/** Says whether a host may be asked now: answers why not, or a function that is told how it went. */
const createBounds = (now: () => number) => {
  const hosts = new Map<string, Host>()
  const all: Count = { from: now(), asked: 0 }
  let atOnce = 0
  return (name: string): DocumentFault | ((answered: boolean) => void) => {
    const host = usedLast(hosts, name, () => ({ from: now(), asked: 0, failures: 0, restUntil: 0 }))
    if (now() < host.restUntil) return 'unreachable'
    const waitMs = Math.max(
      // Whatever is being read now has ended by then.
      atOnce >= AT_ONCE_MAX ? READING_MS : 0,
      untilRoom(host, PER_HOST_AND_MINUTE_MAX, now()),
      untilRoom(all, PER_MINUTE_MAX, now()),
    )
    if (waitMs > 0) return { busyS: Math.ceil(waitMs / 1_000) }
    for (const count of [host, all]) count.asked++
    atOnce++
    return (answered) => {
      atOnce--
      host.failures = answered ? 0 : host.failures + 1
      host.restUntil = answered ? 0 : now() + Math.min(REST_MS * 2 ** (host.failures - 1), REST_MAX_MS)
    }
  }
}

/** Milliseconds until one more may be asked for; a count begins anew once its minute is over. */
const untilRoom = (count: Count, max: number, now: number): number => {
  if (now - count.from >= MINUTE_MS) Object.assign(count, { from: now, asked: 0 })
  return count.asked < max ? 0 : count.from + MINUTE_MS - now
}

const readOf = <T>({ value }: KeptDocument<T>): DocumentResult<T> =>
  value === undefined ? { ok: false, fault: 'malformed' } : { ok: true, value }

const parsed = <T>(body: string, parse: (json: unknown) => T | undefined): T | undefined => {
  try {
    return parse(JSON.parse(body))
  } catch {
    return undefined
  }
}

const usedLast = <V>(map: Map<string, V>, key: string, make: () => V): V => {
  const value = map.get(key) ?? make()
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (oldest !== undefined && map.size > KEPT_MAX) map.delete(oldest)
  return value
}
