/**
 * Whoever waits for followers that run in another process asks that process, which tells everybody as soon as they have
 * come so far. Nothing is told while nobody waits.
 */
import type { Channels } from './channels.ts'
import type { HeardPlace } from './freshness.ts'
import { createOutbox, higher } from './outbox.ts'

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
/** A question that was asked so many milliseconds ago may be lost, and is asked again for whoever still waits. */
const ASK_AGAIN_MS = 400
/** Names of followers that one message tells to be behind; were there more, nothing is told, and a look finds them. */
const BEHIND_MAX = 50

/** @param told hears of the followers of other processes */
export const openFollowersExchange = (
  channels: Channels,
  id: string,
  led: LedFollowers,
  told: (place: FollowersPlace) => void,
): FollowersExchange => {
  const outbox = createOutbox<Omit<Message, 'from'>>(
    (one, other) => ({
      settled: higher(one.settled, other.settled),
      projected: higher(one.projected, other.projected),
      place: furtherPlace(one.place, other.place),
    }),
    (message) => channels.tell(CHANNEL, JSON.stringify({ from: id, ...message } satisfies Message)),
  )
  const asked = { settled: { position: -1n, at: 0 }, projected: { position: -1n, at: 0 } }
  const answer = async (waiting: Promise<FollowersPlace>) => {
    const place = await waiting
    if (led.leads() && place.behind.length <= BEHIND_MAX) outbox.put({ place: textOf(place) })
  }
  const unlisten = channels.listen(CHANNEL, {
    heard(text) {
      const { from, settled, projected, place } = JSON.parse(text) as Message
      if (from === id) return
      if (place) told(placeOf(place))
      if (!led.leads()) return
      if (settled !== undefined) void answer(led.settled(BigInt(settled)))
      if (projected !== undefined) void answer(led.projected(BigInt(projected)))
    },
  })
  return {
    ask(what, position) {
      const last = asked[what]
      if (position <= last.position && performance.now() - last.at < ASK_AGAIN_MS) return
      asked[what] = { position, at: performance.now() }
      outbox.put({ [what]: String(position) })
    },
    close: unlisten,
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
