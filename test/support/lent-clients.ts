/** Connections that stay open when a pool on them ends, for the next pool. */
import { type Clients, type PooledClient, poolEnded, type Turn } from '../../adapters/postgres/clients.ts'
import { atMost } from '../../adapters/timing/time-limit.ts'

export type Lender = {
  /** The connections for one pool more. Whoever ends it has none of them any more, as if they were closed. */
  lend(): Clients
  /** Those that are open. */
  open(): readonly PooledClient[]
}

const END_LIMIT_S = 5

export const createLender = (real: Clients): Lender => {
  const known = new Set<PooledClient>()

  const lend = (): Clients => {
    const [waiting, held] = [new Set<Turn>(), new Set<PooledClient>()]
    let ended = false
    let free = () => {}
    return {
      take(turn) {
        if (ended) return turn.refuse(poolEnded())
        waiting.add(turn)
        real.take({
          use(client) {
            known.add(client)
            // It was refused when the pool ended.
            if (!waiting.delete(turn)) return real.giveBack(client)
            held.add(client)
            turn.use(client)
          },
          refuse(error) {
            if (waiting.delete(turn)) turn.refuse(error)
          },
        })
      },
      giveBack(client) {
        held.delete(client)
        real.giveBack(client)
        if (held.size === 0) free()
      },
      async end({ timeout = END_LIMIT_S } = {}) {
        ended = true
        for (const turn of waiting) turn.refuse(poolEnded())
        waiting.clear()
        if (held.size > 0) await atMost(timeout * 1_000, new Promise<void>((resolve) => (free = resolve)))
        for (const client of held) client.lose(poolEnded())
      },
    }
  }
  return { lend, open: () => [...known].filter((client) => client.lost() === undefined) }
}
