/**
 * Whoever waits for followers that run in another process asks that process, which tells those who asked as soon as
 * they have come so far. Nothing is told while nobody waits.
 *
 * Who knows where the followers run asks that process over their own connection, and is answered so: a message of
 * PostgreSQL costs each side a statement. Each listens to a channel of its own for whoever has no connection to it. The
 * common channel, which wakes every process, is for who does not know yet where the followers run, asks again, or is of
 * a former release.
 */
import type { Channels } from './channels.ts'
import type { HeardPlace } from './freshness.ts'
import type { Peers } from './homes.ts'
import { createOutbox, higher, type Outbox } from './outbox.ts'

/** How far the followers of one process have come. */
export type FollowersPlace = {
  /** Everything up to here was reacted to by the policies. */
  readonly policies?: bigint
  /** What the policies wrote by that is at most here. */
  readonly newest?: bigint
  /** Everything up to here is in the rows of the read models. */
  readonly rows: bigint
  /** The names of the followers that have not come so far. */
  readonly behind: readonly string[]
  /** What has arrived where they run; a former release does not tell it. */
  readonly heard?: HeardPlace | undefined
}

/** The followers of this process, as far as others wait for them. */
export type LedFollowers = {
  /** Whether they run here. */
  leads(): boolean
  /** Waits for policies and what followed from them, as a call of this process would. */
  settled(position: bigint): Promise<FollowersPlace>
  /** Waits for the rows alone. */
  projected(position: bigint): Promise<FollowersPlace>
}

export type FollowersExchange = {
  /** Asks whoever runs the followers to tell when they have come to a position. May be called again and again. */
  ask(what: 'settled' | 'projected', position: bigint): void
  close(): void
}

type Message = {
  readonly from: string
  /** Whoever sends it listens to a channel of its own. */
  readonly own?: true
  readonly settled?: string | undefined
  readonly projected?: string | undefined
  readonly place?: PlaceText | undefined
}

type PlaceText = {
  readonly policies: string | undefined
  readonly newest: string | undefined
  readonly rows: string
  readonly behind: readonly string[]
  readonly heard?: { readonly head: string; readonly kept: string } | undefined
}

const CHANNEL = 'daybook_followers'
/** PostgreSQL takes 63 bytes for the name of a channel. */
const ownChannel = (id: string) => `${CHANNEL}_${id}`
/** A question that was asked so many milliseconds ago may be lost, and is asked again for whoever still waits. */
const ASK_AGAIN_MS = 400
/** Names of followers that one message tells to be behind; were there more, nothing is told, and a look finds them. */
const BEHIND_MAX = 50
/** Processes that are told at the same time; of those above it the ones that were told longest ago are forgotten. */
const OUTBOXES_MAX = 100

/** The ways from this process to others. */
type Ways = {
  readonly channels: Channels
  readonly peers: Peers
  readonly presence: { readonly id: string }
}

/** @param told hears of the followers of other processes */
export const openFollowersExchange = (
  ways: Ways,
  led: LedFollowers,
  told: (place: FollowersPlace) => void,
): FollowersExchange => {
  const { id } = ways.presence
  const outboxOf = createOutboxes(ways)
  const asked = { settled: { position: -1n, at: 0 }, projected: { position: -1n, at: 0 } }
  /** The process that has answered last. */
  let leader: string | undefined
  const answer = async (to: string | undefined, waiting: Promise<FollowersPlace>) => {
    const place = await waiting
    if (led.leads() && place.behind.length <= BEHIND_MAX) outboxOf(to).put({ place: textOf(place) })
  }
  const heard = (text: string) => {
    const { from, own, settled, projected, place } = JSON.parse(text) as Message
    if (from === id) return
    const sender = own ? from : undefined
    if (place) {
      leader = sender
      told(placeOf(place))
    }
    if (!led.leads()) return
    if (settled !== undefined) void answer(sender, led.settled(BigInt(settled)))
    if (projected !== undefined) void answer(sender, led.projected(BigInt(projected)))
  }
  const endings = [CHANNEL, ownChannel(id)].map((channel) => ways.channels.listen(channel, { heard }))
  endings.push(ways.peers.listen(heard))
  return {
    ask(what, position) {
      const last = asked[what]
      const isAgain = position <= last.position
      if (isAgain && performance.now() - last.at < ASK_AGAIN_MS) return
      asked[what] = { position, at: performance.now() }
      // Nobody has answered: the followers may run elsewhere by now.
      if (isAgain) leader = undefined
      outboxOf(leader).put({ [what]: String(position) })
    },
    close() {
      for (const end of endings) end()
    },
  }
}

/** What is told to a process at about the same moment is one message; to all where no process is named. */
const createOutboxes = ({ channels, peers, presence: { id: from } }: Ways) => {
  const outboxes = new Map<string | undefined, Outbox<Omit<Message, 'from' | 'own'>>>()
  const tell = async (to: string | undefined, text: string) => {
    if (to === undefined) return channels.tell(CHANNEL, text)
    if (!peers.tell(to, text)) await channels.tell(ownChannel(to), text)
  }
  const open = (to: string | undefined) =>
    createOutbox<Omit<Message, 'from' | 'own'>>(
      (one, other) => ({
        settled: higher(one.settled, other.settled),
        projected: higher(one.projected, other.projected),
        place: furtherPlace(one.place, other.place),
      }),
      (message) => tell(to, JSON.stringify({ from, own: true, ...message } satisfies Message)),
    )
  return (to: string | undefined) => {
    const outbox = outboxes.get(to) ?? open(to)
    outboxes.delete(to)
    outboxes.set(to, outbox)
    const [oldest] = outboxes.keys()
    if (outboxes.size > OUTBOXES_MAX) outboxes.delete(oldest)
    return outbox
  }
}

/** Who is behind in either of two places is behind in what they say together. */
const furtherPlace = (one: PlaceText | undefined, other: PlaceText | undefined): PlaceText | undefined => {
  if (!one || !other) return one ?? other
  return {
    policies: higher(one.policies, other.policies),
    newest: higher(one.newest, other.newest),
    rows: higher(one.rows, other.rows) ?? one.rows,
    behind: [...new Set([...one.behind, ...other.behind])],
    // What was told later holds for all that was told before.
    heard: other.heard ?? one.heard,
  }
}

const textOf = ({ policies, newest, rows, behind, heard }: FollowersPlace): PlaceText => ({
  policies: policies?.toString(),
  newest: newest?.toString(),
  rows: String(rows),
  behind,
  heard: heard && { head: String(heard.head), kept: String(heard.kept) },
})

const placeOf = ({ policies, newest, rows, behind, heard }: PlaceText): FollowersPlace => ({
  ...(policies !== undefined && { policies: BigInt(policies) }),
  ...(newest !== undefined && { newest: BigInt(newest) }),
  rows: BigInt(rows),
  behind,
  heard: heard && { head: BigInt(heard.head), kept: BigInt(heard.kept) },
})
