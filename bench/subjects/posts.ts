/** Webhook POSTs without the product. Argument: the receiver's URL. */
import { Pool } from 'undici'
import { answering } from '../answering.ts'
import { type Flight, type Flown, fly } from '../flight.ts'
import { IN_FLIGHT, type Post, postOf } from '../posts.ts'

export type Sending = Flight & { readonly by: 'pool' | 'fetch'; readonly from: number }

const [url = ''] = process.argv.slice(2)
const pool = new Pool(url, { connections: IN_FLIGHT, pipelining: 1 })

const senders: Record<Sending['by'], (post: Post) => Promise<number>> = {
  pool: async ({ body, headers }) => {
    const answer = await pool.request({ method: 'POST', path: '/hook', headers, body })
    await answer.body.text()
    return answer.statusCode
  },
  fetch: async ({ body, headers }) => {
    const answer = await fetch(`${url}/hook`, { method: 'POST', headers, body })
    await answer.text()
    return answer.status
  },
}

await answering<Sending>(
  async ({ by, from, ...flight }): Promise<Flown> => {
    const posts = Array.from({ length: flight.count ?? 0 }, (_, n) => postOf(from + n))
    return fly(flight, async () => {
      const status = await senders[by](posts.pop() as Post)
      if (status !== 200) throw new Error(`the receiver answered ${status}`)
    })
  },
  () => pool.close(),
)
