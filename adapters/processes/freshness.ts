/**
 * What a process keeps in memory of what others write: rows, and states of streams. Whoever writes waits until every
 * process that is alive has heard of it; and a process that cannot be waited for trusts in nothing that it keeps.
 */
import type { Progress, RecordedEvent } from '../../domain/kernel/ports.ts'
import { createProgress } from '../following/progress.ts'
import { type Clocks, clocks, millisecondsSince } from '../postgres/watched-session.ts'
import type { Channels } from './channels.ts'
import { createOutbox, higher } from './outbox.ts'
import type { Presence } from './presence.ts'

export type Freshness = {
  /** Whether what is kept in memory holds whatever was answered before this moment, by any process. */
  isFresh(): boolean
  /**
   * Resolves once every process that is alive has heard of what was written up to a position, or trusts in nothing that
   * it kept before.
   */
  heard(position: bigint): Promise<void>
  /** The log arrives here after this position. */
  startsAt(position: bigint): void
  /** Called with everything that arrives, once all in this process who keep something of it have heard. */
  arrived(events: readonly RecordedEvent[]): void
  close(): void
}

type Message = {
  readonly from: string
  /** Everybody tells when the log has arrived there so far. */
  readonly asks?: string | undefined
  /** The log has arrived at the sender so far. */
  readonly head?: string | undefined
}

const CHANNEL = 'daybook_feeds'
/** Milliseconds from its writing on that an event is waited for where a process does not answer. */
const HEARD_WAIT_MS = 2_000
/**
 * Milliseconds for which a process trusts in what it keeps once the log has arrived up to the end that the store had at
 * the beginning of that time. Shorter than every writer's wait: what a writer gives up waiting for is trusted no more.
 */
const FRESH_MS = 1_500
/** Milliseconds after which the end of the log is looked up again while somebody reads what is kept. */
const LOOK_AFTER_MS = 500
/** A question that was asked so many milliseconds ago may be lost, and is asked again for whoever still waits. */
const ASK_AGAIN_MS = 400

type Parts = {
  readonly channels: Channels
  readonly presence: Presence
  readonly store: { head(): Promise<bigint> }
  /** Whether a process may rely on what it keeps of the stream of an event. */
  isKept(event: RecordedEvent): boolean
}

type Arriving = Parts & {
  /** How far the log has arrived in this process. */
  readonly feed: Progress
}

export const watchFreshness = (parts: Parts): Freshness => {
  const feed = createProgress()
  const { isHeard, told, close } = exchangeHeads({ ...parts, feed })
  /** The newest event that others may keep something of, and when it arrived here. */
  let kept = { position: -1n, at: Number.NEGATIVE_INFINITY }
  return {
    isFresh: keepLooking({ ...parts, feed }),
    async heard(position) {
      if (position < 0n || parts.presence.isAlone()) return
      await feed.reached(position, HEARD_WAIT_MS)
      const waitMs = Math.max(kept.at + HEARD_WAIT_MS - performance.now(), parts.presence.unknownMs())
      if (waitMs > 0 && !isHeard(kept.position)) await told(kept.position, waitMs)
    },
    startsAt: feed.advance,
    arrived(events) {
      for (const event of events) if (parts.isKept(event)) kept = { position: event.position, at: performance.now() }
      feed.advance(events.at(-1)?.position ?? -1n)
    },
    close,
  }
}

/** Looks up the end of the log while somebody asks whether what is kept is fresh. */
const keepLooking = ({ presence, feed, store }: Arriving): (() => boolean) => {
  /** When it was asked for the end that the log has since arrived up to, and in which place of this process. */
  let proof: { readonly at: Clocks; readonly place: string | undefined } | undefined
  let looking = false
  const look = async () => {
    if (looking) return
    looking = true
    try {
      const asked = { at: clocks(), place: presence.place() }
      if (await feed.reached(await store.head(), FRESH_MS)) proof = asked
    } catch {
      // The store does not answer: what is kept gets old, and is then not used.
    } finally {
      looking = false
    }
  }
  return () => {
    if (presence.isSole) return true
    const place = presence.place()
    const proven = place !== undefined && proof?.place === place
    if (proven && presence.isAlone()) return true
    const age = proof && proven ? millisecondsSince(proof.at) : Number.POSITIVE_INFINITY
    if (place !== undefined && age > LOOK_AFTER_MS) void look()
    return age < FRESH_MS && presence.isKnown()
  }
}

type Waiter = { readonly position: bigint; finish(): void }

/** Asks everybody how far the log has arrived, and tells it whoever asks. */
const exchangeHeads = ({ channels, presence, feed }: Arriving) => {
  const heads = new Map<string, bigint>()
  const waiting = new Set<Waiter>()
  let asked = { position: -1n, at: 0 }
  const outbox = createOutbox<Omit<Message, 'from'>>(
    (one, other) => ({ asks: higher(one.asks, other.asks), head: higher(one.head, other.head) }),
    (message) => channels.tell(CHANNEL, JSON.stringify({ from: presence.id, ...message } satisfies Message)),
  )
  const isHeard = (position: bigint) =>
    presence.isHere() && presence.members().every(({ id }) => id === presence.id || (heads.get(id) ?? -1n) >= position)
  const look = () => {
    for (const waiter of waiting) if (isHeard(waiter.position)) waiter.finish()
  }
  const ask = (position: bigint) => {
    if (position <= asked.position && performance.now() - asked.at < ASK_AGAIN_MS) return
    asked = { position, at: performance.now() }
    outbox.put({ asks: String(position) })
  }
  const unlisten = channels.listen(CHANNEL, {
    heard(text) {
      const { from, asks, head } = JSON.parse(text) as Message
      if (from === presence.id) return
      if (head !== undefined && BigInt(head) > (heads.get(from) ?? -1n)) heads.set(from, BigInt(head))
      if (head !== undefined) look()
      if (asks !== undefined)
        void feed.reached(BigInt(asks), HEARD_WAIT_MS).then((came) => came && outbox.put({ head: String(feed.at()) }))
    },
  })
  const unchanged = presence.changed(() => {
    const alive = new Set(presence.members().map(({ id }) => id))
    for (const id of heads.keys()) if (!alive.has(id)) heads.delete(id)
    look()
  })
  return {
    isHeard,
    told: (position: bigint, waitMs: number) =>
      new Promise<void>((resolve) => {
        const finish = () => {
          clearTimeout(late)
          clearInterval(again)
          waiting.delete(waiter)
          resolve()
        }
        const late = setTimeout(finish, waitMs)
        const again = setInterval(() => ask(position), ASK_AGAIN_MS)
        const waiter: Waiter = { position, finish }
        waiting.add(waiter)
        ask(position)
      }),
    close() {
      unlisten()
      unchanged()
    },
  }
}
