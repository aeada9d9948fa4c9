import { fileURLToPath } from 'node:url'
import { startChild } from './child.ts'
import { load } from './load.ts'
import type { Pace } from './steady.ts'

/**
 * How fast the machine is, by the answers of Koa alone. Whoever did nothing for a minute is slow for some seconds, so
 * it is asked until two answers in a row say the same.
 */

const CONNECTIONS = 10
const SECONDS = 1
/** The share by which two looks in a row may differ. */
const SAME_MAX = 0.05
/** Looks that are made for one answer. */
const LOOKS_MAX = 8

export const startPace = async (): Promise<{ readonly pace: Pace; stop(): Promise<void> }> => {
  const koa = await startChild<{ url: string }>(fileURLToPath(new URL('subjects/koa-hello.ts', import.meta.url)))
  const look = async () => (await load({ url: koa.url, connections: CONNECTIONS, seconds: SECONDS }, 200)).rate
  const pace = async () => {
    let last = await look()
    for (let looks = 1; looks < LOOKS_MAX; looks++) {
      const next = await look()
      const same = Math.abs(next - last) <= last * SAME_MAX
      last = next
      if (same) break
    }
    return last
  }
  return { pace, stop: koa.stop }
}
