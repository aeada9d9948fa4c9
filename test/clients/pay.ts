/** A process that pays for others: they send `{ id, client, url, privateKey }` and are sent `{ id, paid }` or `{ id, error }`. */
import { privateKeyToAccount } from 'viem/accounts'
import { clients } from './clients.ts'

type Task = { id: number; client: string; url: string; privateKey: `0x${string}` }

process.on('message', async ({ id, client, url, privateKey }: Task) => {
  try {
    const pay = clients[client]
    if (!pay) throw new Error(`no such client: ${client}`)
    process.send?.({ id, paid: await pay(privateKeyToAccount(privateKey))(url) })
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) })
  }
})
process.send?.({ ready: Object.keys(clients) })
