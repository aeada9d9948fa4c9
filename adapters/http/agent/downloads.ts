import { PassThrough, type Readable } from 'node:stream'
import { Refusal } from '../../../domain/refusal.ts'

/** Downloads at once: each holds a database connection until its reader has taken it all. */
export const DOWNLOADS_MAX = 8
/** Of them, for one account: nobody's slow readers take them all. */
const DOWNLOADS_PER_ACCOUNT_MAX = 2

/** Counts the downloads under way and refuses `busy` above the bounds. */
export const createDownloads = () => {
  const underWay = new Map<string, number>()
  let all = 0

  const count = (account: string, change: 1 | -1) => {
    all += change
    const left = (underWay.get(account) ?? 0) + change
    if (left === 0) underWay.delete(account)
    else underWay.set(account, left)
  }

  return {
    async start(account: string, open: () => Promise<Readable>): Promise<Readable> {
      if (all >= DOWNLOADS_MAX || (underWay.get(account) ?? 0) >= DOWNLOADS_PER_ACCOUNT_MAX)
        throw new Refusal('busy', 'Too many downloads at once. Try again when one has ended.')
      count(account, 1)
      try {
        const source = await open()
        source.once('close', () => count(account, -1))
        return abandonable(source)
      } catch (error) {
        count(account, -1)
        throw error
      }
    },
  }
}

/**
 * A stream out of the database holds its connection until it was read to its end. A caller who goes away does not read on, so what is
 * left is read for him and thrown away: a few broken downloads would else use up every connection.
 */
const abandonable = (source: Readable): Readable => {
  const out = new PassThrough()
  source.once('error', (error) => out.destroy(error))
  out.once('close', () => {
    source.unpipe(out)
    source.resume()
  })
  return source.pipe(out)
}
