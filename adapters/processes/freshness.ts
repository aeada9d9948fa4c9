/**
 * What a process keeps in memory of what others write: rows, and states of streams. Whoever writes waits until every
 * process that is alive has heard of it; and a process that cannot be waited for trusts in nothing that it keeps.
 */
import type { Feed, Progress } from '../../domain/kernel/following.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { createProgress } from '../following/progress.ts'
import { type Clocks, clocks, millisecondsSince } from '../postgres/watched-session.ts'
import type { LogStore } from '../store/base/origin.ts'
import type { Channels } from './channels.ts'
import type { Peers } from './homes.ts'
import { createOutbox, higher } from './outbox.ts'
import type { Presence } from './presence.ts'

export type Freshness = {
  /**
   * Whether the rows that are kept in memory, and states of the stream that is given, hold whatever was answered before
   * this moment, by any process.
   */
  isFresh(stream?: string): boolean
  /**
   * Resolves once every process that is alive has heard of an event at a position, of a stream or a row that others
   * keep, and of those before it; or trusts in nothing that it kept before. This one is among them.
   */
  heard(position: bigint): Promise<void>
  /** Whether that is so already, as far as the others have told. */
  hasHeard(position: bigint): boolean
  /** As `heard`, of all that was written up to a position, whichever streams these events are of. */
  heardUpTo(position: bigint): Promise<void>
  /** The newest event that has arrived here, and the newest of them that others may keep something of. */
  place(): HeardPlace
  /** Another process has told its place. */
  told(place: HeardPlace): void
  /** The log arrives here after this position. */
  follows(feed: Hearing): void
  /** Called with everything that arrives, once all in this process who keep something of it have heard. */
  arrived(events: readonly RecordedEvent[]): void
  /** All events arrive from now on, after some were left out. */
  missed(): void
  close(): void
}

export type HeardPlace = { readonly head: bigint; readonly kept: bigint }

/** How this process hears of the log. */
type Hearing = Pick<Feed, 'head' | 'hearsAll' | 'foundUpTo'>

type Message = {
  readonly from: string
  /** Everybody tells when the log has arrived there so far. */
  readonly asks?: string | undefined
  /** The log has arrived at the sender so far. */
  readonly head?: string | undefined
  /** A message like this was lost, or its answer was. */
  readonly again?: boolean | undefined
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
/**
 * Milliseconds after which a process that does not hear all looks up the end although nobody reads what it keeps: where
 * it begins to follow, it hears all that came since.
 */
const LOOK_ANYWAY_MS = 30_000
/** A question that was asked so many milliseconds ago may be lost, and is asked again for whoever still waits. */
const ASK_AGAIN_MS = 400

type Parts = {
  readonly channels: Channels
  readonly peers: Peers
  readonly presence: Presence
  readonly store: Pick<LogStore, 'head' | 'newestBeside'>
  /** Whether a process may rely on what it keeps of a stream. */
  isKept(stream: string): boolean
  /** Whether an event changes a row that every process keeps, whichever stream it is of: all have to hear of it. */
  changesRow(event: RecordedEvent): boolean
  /** The types of the events that do not arrive where the feed does not hear all. */
  readonly leftOut: ReadonlySet<string>
}

type Arriving = Parts & {
  /** How far the log has arrived in this process, but for what is left out. */
  readonly feed: Progress
  hearing(): Hearing
}

export const watchFreshness = (parts: Parts, lookAnywayMs = LOOK_ANYWAY_MS): Freshness => {
  const { presence, isKept, changesRow } = parts
  const feed = createProgress()
  let hearing: Hearing = NOTHING
  const arriving = { ...parts, feed, hearing: () => hearing }
  const { isHeard, told, close } = exchangeHeads(arriving)
  const looking = keepLooking(arriving)
  const anyway = setInterval(() => !hearing.hearsAll() && looking.look(), lookAnywayMs).unref()
  /** The newest event that others may keep something of, and when it arrived here. */
  let kept = { position: -1n, at: Number.NEGATIVE_INFINITY }
  /** What the process that hears all has told last. */
  let elsewhere: HeardPlace = { head: -1n, kept: -1n }

  const heard = async (position: bigint) => {
    if (position < 0n) return
    // What this process keeps itself hears of it by the same way.
    await feed.reached(position, HEARD_WAIT_MS)
    if (presence.isAlone()) return
    const waitMs = Math.max(kept.at + HEARD_WAIT_MS - performance.now(), presence.unknownMs())
    if (waitMs > 0 && !isHeard(kept.position)) await told(kept.position, waitMs)
  }
  return {
    isFresh: (stream) => looking.isFresh(stream === undefined || isKept(stream)),
    heard,
    hasHeard: (position) => feed.at() >= position && (presence.isAlone() || (presence.isKnown() && isHeard(position))),
    async heardUpTo(position) {
      if (position < 0n || presence.isAlone()) return
      if (hearing.hearsAll()) return heard(position)
      // Whoever runs the followers tells this together with their progress; a look is for when that was lost. One that
      // is under way may have asked too early.
      if (elsewhere.head >= position) return heard(elsewhere.kept)
      for (let looks = 0; looks < 2 && feed.at() < position; looks++) await looking.look()
      await heard(position)
    },
    place: () => ({ head: feed.at(), kept: kept.position }),
    told(place) {
      if (place.head > elsewhere.head) elsewhere = place
    },
    follows(feedHere) {
      hearing = feedHere
      feed.advance(feedHere.head())
    },
    arrived(events) {
      for (const event of events)
        if (isKept(event.stream) || changesRow(event)) kept = { position: event.position, at: performance.now() }
      feed.advance(events.at(-1)?.position ?? -1n)
    },
    missed: looking.forget,
    close() {
      clearInterval(anyway)
      close()
    },
  }
}

const NOTHING: Hearing = { head: () => -1n, hearsAll: () => true, foundUpTo: () => {} }

type Proof = {
  readonly at: Clocks
  readonly place: string | undefined
  /** Whether all events were heard; else those of the types that are left out may be missing. */
  readonly isOfAll: boolean
}

/** Looks up the end of the log while somebody asks whether what is kept is fresh. */
const keepLooking = ({ presence, feed, store, leftOut, hearing }: Arriving) => {
  /** When it was asked for the end that the log has since arrived up to, and in which place of this process. */
  let proof: Proof | undefined
  let looking: Promise<void> | undefined
  /** Counts how often all events began to arrive again: a look that was begun before proves nothing of that. */
  let changes = 0

  const prove = async () => {
    const [isOfAll, before] = [hearing().hearsAll(), changes]
    const asked = { at: clocks(), place: presence.place(), isOfAll }
    const head = await store.head()
    const newest = isOfAll ? head : await newestBeside(head)
    if (!(await feed.reached(newest, FRESH_MS)) || changes !== before || hearing().hearsAll() !== isOfAll) return
    proof = asked
    if (isOfAll) return
    feed.advance(head)
    hearing().foundUpTo(head)
  }
  /** Where the store cannot say, everything has to arrive. */
  const newestBeside = async (head: bigint) =>
    feed.at() >= head ? head : ((await store.newestBeside?.(leftOut, feed.at())) ?? head)
  const look = (): Promise<void> => {
    // A store that does not answer proves nothing: what is kept gets old, and is then not used.
    looking ??= prove()
      .catch(() => {})
      .finally(() => (looking = undefined))
    return looking
  }
  return {
    look,
    forget() {
      changes++
      proof = undefined
    },
    isFresh(isHeard: boolean): boolean {
      if (presence.isSole) return true
      // Where such events do not arrive, no look could show that none is missing.
      if (!isHeard && !hearing().hearsAll()) return false
      const place = presence.place()
      const covers = isHeard || proof?.isOfAll === true
      const proven = covers && place !== undefined && proof?.place === place
      if (proven && presence.isAlone()) return true
      const age = proof && proven ? millisecondsSince(proof.at) : Number.POSITIVE_INFINITY
      if (place !== undefined && age > LOOK_AFTER_MS) void look()
      return age < FRESH_MS && presence.isKnown()
    },
  }
}

type Waiter = { readonly position: bigint; finish(): void }

/** Asks everybody how far the log has arrived, and tells it whoever asks. */
const exchangeHeads = ({ channels, peers, presence, feed }: Arriving) => {
  const heads = new Map<string, bigint>()
  const waiting = new Set<Waiter>()
  let asked = { position: -1n, at: 0 }
  const others = () => presence.members().flatMap(({ id }) => (id === presence.id ? [] : [id]))
  /** A connection between two processes costs less than a message of PostgreSQL, which reaches whoever has none. */
  const tell = async (to: readonly string[], { again, ...message }: Omit<Message, 'from'>) => {
    const text = JSON.stringify({ from: presence.id, again, ...message } satisfies Message)
    const untold = to.filter((id) => again || !peers.tell(id, text))
    if (untold.length > 0) await channels.tell(CHANNEL, text)
  }
  const questions = createOutbox<{ asks: string; again: boolean }>(
    (one, other) => ({ asks: higher(one.asks, other.asks) ?? one.asks, again: one.again || other.again }),
    (message) => tell(others(), message),
  )
  /** Who is to be told where the log has arrived here. */
  const answers = createOutbox<{ to: readonly string[]; again: boolean }>(
    (one, other) => ({ to: [...new Set([...one.to, ...other.to])], again: one.again || other.again }),
    ({ to, again }) => tell(to, { head: String(feed.at()), again }),
  )
  const isHeard = (position: bigint) =>
    presence.isHere() && presence.members().every(({ id }) => id === presence.id || (heads.get(id) ?? -1n) >= position)
  const look = () => {
    for (const waiter of waiting) if (isHeard(waiter.position)) waiter.finish()
  }
  const ask = (position: bigint) => {
    const again = position <= asked.position
    if (again && performance.now() - asked.at < ASK_AGAIN_MS) return
    asked = { position, at: performance.now() }
    questions.put({ asks: String(position), again })
  }
  const heard = (text: string) => {
    const { from, asks, head, again = false } = JSON.parse(text) as Message
    if (from === presence.id) return
    if (head !== undefined && BigInt(head) > (heads.get(from) ?? -1n)) heads.set(from, BigInt(head))
    if (head !== undefined) look()
    if (asks === undefined) return
    void feed.reached(BigInt(asks), HEARD_WAIT_MS).then((came) => came && answers.put({ to: [from], again }))
  }
  const endings = [channels.listen(CHANNEL, { heard }), peers.listen(heard)]
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
      for (const end of endings) end()
      unchanged()
    },
  }
}
