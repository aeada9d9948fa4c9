/** Stands between a client and its server, and does to their connections what networks do. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { ExecutionContext } from 'ava'

export type WireProxy = {
  readonly address: string
  /** Connections of clients that are open. */
  open(): number
  /** Connections that clients have made so far. */
  made(): number
  /** From now on nothing passes on the connections there are, and neither side is told; new ones work. */
  silence(): void
  /** Cuts the connections there are. */
  cut(): void
}

/** `target` is the host:port of the server; without one, clients are accepted and never answered. */
export const wireProxy = async (t: ExecutionContext, target?: string): Promise<WireProxy> => {
  const pairs = new Set<{ client: Socket; server: Socket | undefined }>()
  let made = 0
  const listener = createServer((client) => {
    made++
    const [host, port] = (target ?? '').split(':')
    const server = target ? connect(Number(port), host) : undefined
    const pair = { client, server }
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      client.destroy()
      server?.destroy()
    }
    for (const socket of [client, server]) socket?.on('error', end).on('close', end)
    if (server) client.pipe(server).pipe(client)
    else client.resume()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const { client } of pairs) client.destroy()
  }
  t.teardown(() => {
    cut()
    listener.close()
  })
  return {
    address: `127.0.0.1:${(listener.address() as AddressInfo).port}`,
    open: () => pairs.size,
    made: () => made,
    silence: () => {
      for (const { client, server } of pairs) {
        client.unpipe().resume()
        server?.unpipe().resume()
      }
    },
    cut,
  }
}
