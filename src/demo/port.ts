import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A port that was free a moment ago, for a service that has to come back on the same one. */
export const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
