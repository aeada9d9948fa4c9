/**
 * Whoever waits for followers that run in another process asks that process, which tells those who asked as soon as
 * they have come so far. Nothing is told while nobody waits.
 *
 * A message wakes every process that listens to its channel. So each listens to a channel of its own beside the common
 * one, where it is asked by whoever knows that the followers run there, and is answered. The common channel is for who
 * does not know that yet, asks again, or is of a former release.
 */
import type { Channels } from './channels.ts'
import type { HeardPlace } from './freshness.ts'
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

/** @param told hears of the followers of other processes */
export const openFollowersExchange = (
  channels: Channels,
  id: string,
  led: LedFollowers,
  told: (place: FollowersPlace) => void,
): FollowersExchange => {
  const outboxOf = createOutboxes(channels, id)
  const asked = { settled: { position: -1n, at: 0 }, projected: { position: -1n, at: 0 } }
  /** The channel of the process that has answered last. */
  let leader = CHANNEL
  const answer = async (channel: string, waiting: Promise<FollowersPlace>) => {
    const place = await waiting
    if (led.leads() && place.behind.length <= BEHIND_MAX) outboxOf(channel).put({ place: textOf(place) })
  }
  const heard = (text: string) => {
    const { from, own, settled, projected, place } = JSON.parse(text) as Message
    if (from === id) return
    const channel = own ? ownChannel(from) : CHANNEL
    if (place) {
      leader = channel
      told(placeOf(place))
    }
    if (!led.leads()) return
    if (settled !== undefined) void answer(channel, led.settled(BigInt(settled)))
    if (projected !== undefined) void answer(channel, led.projected(BigInt(projected)))
  }
  const endings = [CHANNEL, ownChannel(id)].map((channel) => channels.listen(channel, { heard }))
  return {
    ask(what, position) {
      const last = asked[what]
      const isAgain = position <= last.position
      if (isAgain && performance.now() - last.at < ASK_AGAIN_MS) return
      asked[what] = { position, at: performance.now() }
      // Nobody has answered: the followers may run elsewhere by now.
      if (isAgain) leader = CHANNEL
      outboxOf(leader).put({ [what]: String(position) })
    },
    close() {
      for (const end of endings) end()
    },
  }
}

/** What is told to a channel at about the same moment is one message. */
const createOutboxes = (channels: Channels, id: string) => {
  const outboxes = new Map<string, Outbox<Omit<Message, 'from' | 'own'>>>()
  const open = (channel: string) =>
    createOutbox<Omit<Message, 'from' | 'own'>>(
      (one, other) => ({
        settled: higher(one.settled, other.settled),
        projected: higher(one.projected, other.projected),
        place: furtherPlace(one.place, other.place),
      }),
      (message) => channels.tell(channel, JSON.stringify({ from: id, own: true, ...message } satisfies Message)),
    )
  return (channel: string) => {
    const outbox = outboxes.get(channel) ?? open(channel)
    outboxes.delete(channel)
    outboxes.set(channel, outbox)
    const [oldest] = outboxes.keys()
    if (outboxes.size > OUTBOXES_MAX && oldest !== undefined) outboxes.delete(oldest)
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
