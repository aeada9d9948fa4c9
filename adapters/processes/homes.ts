import { hash } from 'node:crypto'
import type { Homes } from '../../domain/write-side/homes.ts'
import { createHomeClient, HOME_LIMITS, type HomeClient, type HomeLimits } from './home-client.ts'
import type { PeerProof } from './peer-proof.ts'
import type { Member, Presence } from './presence.ts'

/** A process that takes commands; `address` is where, as host:port. */
type HomeMember = { readonly id: string; readonly address: string }

/** Streams whose homes are remembered; they are looked for again once there are more. */
const HOMES_KEPT_MAX = 10_000

/** What one process tells another over the connection between the two. */
type PeerMessages = {
  /**
   * False when the process of this id cannot be told so now, as while its connection is being opened. What is told may
   * be lost.
   */
  tell(id: string, message: string): boolean
}

/** The way to single processes and from them. */
export type Peers = PeerMessages & {
  /** Calls the listener with what others tell this process alone, and answers how to end that. */
  listen(heard: (message: string) => void): () => void
}

/**
 * Finds the home of each stream among the processes that are alive, and hands commands over to it; carries messages to
 * single ones of them as well.
 */
export const openHomes = (
  group: Pick<Presence, 'id' | 'members' | 'changed'>,
  proof: PeerProof,
  limits: HomeLimits = HOME_LIMITS,
): Homes & PeerMessages & { close(): void } => {
  const clients = new Map<string, HomeClient>()
  const homes = new Map<string, HomeMember | undefined>()
  const clientOf = (member: HomeMember): HomeClient => {
    const known = clients.get(member.id)
    if (known) return known
    const client = createHomeClient(member, proof, limits)
    clients.set(member.id, client)
    return client
  }
  const homeOf = (stream: string): HomeMember | undefined => {
    if (homes.has(stream)) return homes.get(stream)
    if (homes.size >= HOMES_KEPT_MAX) homes.clear()
    const home = homeAmong(group.members(), stream)
    homes.set(stream, home)
    return home
  }
  const unheard = group.changed(() => {
    homes.clear()
    const alive = new Set(group.members().map(({ id }) => id))
    for (const [id, client] of clients) {
      if (alive.has(id)) continue
      clients.delete(id)
      client.close()
    }
  })
  return {
    handOver(message) {
      const home = homeOf(message.stream)
      return home && home.id !== group.id ? clientOf(home).decide(message) : undefined
    },
    contended(stream, revision) {
      for (const member of homesAmong(group.members()))
        if (member.id !== group.id) clientOf(member).contended(stream, revision)
    },
    tell(id, message) {
      const member = homesAmong(group.members()).find((each) => each.id === id)
      return member !== undefined && clientOf(member).tell(message)
    },
    close() {
      unheard()
      for (const client of clients.values()) client.close()
      clients.clear()
    },
  }
}

/**
 * The member with the highest number for a stream. All who know the same members find the same one, and when one comes
 * or goes only its own streams move.
 */
export const homeAmong = (members: readonly Member[], stream: string): HomeMember | undefined => {
  let best: { member: HomeMember; weight: string } | undefined
  for (const member of homesAmong(members)) {
    const weight = hash('sha256', JSON.stringify([member.id, stream]))
    if (!best || weight > best.weight) best = { member, weight }
  }
  return best?.member
}

const homesAmong = (members: readonly Member[]): HomeMember[] =>
  members.flatMap(({ id, address }) => (address === undefined ? [] : [{ id, address }]))
