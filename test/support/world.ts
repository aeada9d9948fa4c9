import type { World } from '../../domain/kernel/ports.ts'
import { world } from '../../src/settings/world.ts'

/**
 * A world that a test holds still and steps on. Ids and secrets follow from the seed, so two worlds of one seed say the
 * same.
 */
export type FixedWorld = World & { step(ms: number): void }

export const fixedWorld = (seed = 'seed', start = '2026-03-02T10:00:00.000Z'): FixedWorld => {
  let at = Date.parse(start)
  let count = 0
  const next = () => String(++count)
  return {
    ...world,
    now: () => new Date(at),
    id: (prefix) => world.idFrom(prefix, seed, next()),
    secret(bytes) {
      let hex = ''
      while (hex.length < 2 * bytes) hex += world.digest(`${seed}|${next()}`)
      return hex.slice(0, 2 * bytes)
    },
    // Nobody waits in a test: the clock jumps.
    pause: async (ms) => {
      at += ms
    },
    step(ms) {
      at += ms
    },
  }
}
