/** A wire that can be cut, held and slowed: TCP between the service and what it needs. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** `up` is towards the server, `down` back from it. */
export type Direction = 'up' | 'down'

export type Wire = {
  readonly port: number
  connections(): number
  /** Resets every connection, or one at random of `chance`; answers how many. */
  cut(which?: (count: number) => number): number
  /**
   * Lets no byte through in these directions, on open connections and on new ones, until `restore`. Nothing is lost
   * meanwhile.
   */
  hold(...directions: Direction[]): void
  /** Each piece of data waits so many milliseconds before it goes on; pieces stay in order. */
  slow(ms: () => number): void
  /** New connections are reset at once, as those before them, until `restore`. */
  refuse(): void
  restore(): void
  stop(): Promise<void>
}

/** Bytes that a held direction takes in before its sender feels it. */
const HELD_MAX_BYTES = 65_536

type Pair = { readonly near: Socket; readonly far: Socket }

export const startWire = async (target: { port: number; host?: string }): Promise<Wire> => {
  const pairs = new Set<Pair>()
  const held = new Set<Direction>()
  let delay: (() => number) | undefined
  let refusing = false
  let wake: () => void = () => undefined
  let change = new Promise<void>((resolve) => (wake = resolve))
  const changed = () => {
    wake()
    change = new Promise<void>((resolve) => (wake = resolve))
  }

  const forward = async (direction: Direction, from: Socket, to: Socket) => {
    for await (const piece of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const wait = delay?.() ?? 0
      if (wait > 0) await pause(wait)
      while (held.has(direction) && !to.destroyed) await change
      if (to.destroyed) return
      if (!to.write(piece)) await Promise.race([onceAny(to, 'drain', 'close'), onceAny(from, 'close')])
    }
    while (held.has(direction) && !to.destroyed) await change
    to.end()
  }
  const server = createServer({ allowHalfOpen: true, highWaterMark: HELD_MAX_BYTES }, (near) => {
    if (refusing) {
      near.resetAndDestroy()
      return
    }
    const far = connect({ port: target.port, host: target.host ?? '127.0.0.1', allowHalfOpen: true })
    const pair = { near, far }
    pairs.add(pair)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.setNoDelay(true)
      // The fate of one side is the fate of the other.
      one.on('error', () => drop(other))
      one.on('close', () => {
        pairs.delete(pair)
        changed()
        if (!other.destroyed && one.errored) drop(other)
      })
    }
    forward('up', near, far).catch(() => far.destroy())
    forward('down', far, near).catch(() => near.destroy())
  })
  const reset = (pair: Pair) => {
    drop(pair.near)
    drop(pair.far)
    pairs.delete(pair)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    port: (server.address() as AddressInfo).port,
    connections: () => pairs.size,
    cut(which) {
      const open = [...pairs]
      const chosen = which ? open.slice(which(open.length)).slice(0, 1) : open
      for (const pair of chosen) reset(pair)
      changed()
      return chosen.length
    },
    hold(...directions) {
      for (const direction of directions) held.add(direction)
    },
    slow(ms) {
      delay = ms
    },
    refuse() {
      refusing = true
      for (const pair of [...pairs]) reset(pair)
      changed()
    },
    restore() {
      held.clear()
      delay = undefined
      refusing = false
      changed()
    },
    async stop() {
      held.clear()
      for (const pair of [...pairs]) reset(pair)
      changed()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * By a reset; but one that is being ended, or is not open yet, cannot be reset, and would keep its process from ending.
 */
const drop = (socket: Socket) => {
  if (socket.writableEnded || socket.connecting) socket.destroy()
  else socket.resetAndDestroy()
}

const onceAny = (socket: Socket, ...events: string[]) =>
  new Promise<void>((resolve) => {
    for (const event of events) socket.once(event, () => resolve())
  })
