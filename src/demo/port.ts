import { randomInt } from 'node:crypto'
import { createServer } from 'node:http'

/** Ports below those that systems give to outgoing connections, which could take the port while its service is down. */
const PORTS = [15_000, 32_000] as const
const TRIES_MAX = 50

/** A port that was free a moment ago, for a service that has to come back on the same one. */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const port = randomInt(...PORTS)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port among ${TRIES_MAX} that were tried`)
}

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, resolve)
    })
  } catch {
    return false
  }
  await new Promise((resolve) => server.close(resolve))
  return true
}
