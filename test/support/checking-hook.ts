import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver, type ReceivedDelivery } from '../../src/demo/reference-receiver.ts'

/** A merchant's endpoint that checks each delivery as we advise (W-SIG-02). */
export type CheckingHook = {
  readonly url: string
  /** What it took for genuine. */
  readonly taken: readonly ReceivedDelivery[]
  /** The secret that it checks by from now on. */
  trust(secret: string): void
}

/** As many such endpoints as a test asks for, on one port of this machine. */
export const startCheckingHooks = async () => {
  const hooks = new Map<string, { secret: string; taken: ReceivedDelivery[] }>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const raw = Buffer.concat(chunks).toString('utf8')
    const hook = hooks.get(request.url ?? '')
    const receiver = createReceiver(hook?.secret ?? '', () => {})
    const status = receiver.receive(raw, request.headers as Record<string, string>)
    if (status === 200) hook?.taken.push(JSON.parse(raw))
    response.writeHead(status).end(status === 200 ? 'taken' : 'refused')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const hostPort = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    hostPort,
    open(): CheckingHook {
      const path = `/hook/${hooks.size}`
      const hook = { secret: '', taken: [] as ReceivedDelivery[] }
      hooks.set(path, hook)
      const trust = (secret: string) => {
        hook.secret = secret
      }
      return { url: `http://${hostPort}${path}`, taken: hook.taken, trust }
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
