import { Readable } from 'node:stream'
import { Refusal } from '../../../../domain/kernel/refusal.ts'

/** Downloads at once: each holds a database connection until its reader has taken it all. */
export const DOWNLOADS_MAX = 8
/** Downloads at once for one account, so that the slow readers of one account do not take them all. */
const DOWNLOADS_PER_ACCOUNT_MAX = 2

export type Downloads = ReturnType<typeof createDownloads>

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
 * A stream out of the database holds its connection until it was read to its end. A caller who goes away does not read
 * on, so the rest is read and thrown away: otherwise a few broken downloads would use up every connection.
 */
const abandonable = (source: Readable): Readable => {
  let wanted = false
  const send = () => {
    // The database hands over row by row. `read` takes all that is there, so that not every row is a chunk of its own
    // on the wire.
    for (let piece = wanted ? source.read() : null; piece !== null; piece = wanted ? source.read() : null)
      wanted = out.push(piece)
  }
  const out = new Readable({
    read() {
      wanted = true
      send()
    },
  })
  source.on('readable', send)
  source.once('end', () => out.push(null))
  source.once('error', (error) => out.destroy(error))
  out.once('close', () => {
    source.off('readable', send)
    source.resume()
  })
  return out
}
