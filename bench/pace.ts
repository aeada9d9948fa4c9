import { fileURLToPath } from 'node:url'
import { startChild } from './child.ts'
import { load } from './load.ts'
import type { Pace } from './steady.ts'

/** How fast the machine is, by the answers of Koa alone. */

const CONNECTIONS = 10
const SECONDS = 1

export const startPace = async (): Promise<{ readonly pace: Pace; stop(): Promise<void> }> => {
  const koa = await startChild<{ url: string }>(fileURLToPath(new URL('subjects/koa-hello.ts', import.meta.url)))
  const pace = async () => (await load({ url: koa.url, connections: CONNECTIONS, seconds: SECONDS }, 200)).rate
  // The first answers come from code that is not compiled yet.
  await pace()
  return { pace, stop: koa.stop }
}
