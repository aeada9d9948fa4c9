import type { Ask, openMarket } from './market.ts'

/**
 * A crowd of honest buyers, each from a network of its own, at one shared address, while one network floods the same
 * doors and posts whatever anybody has paid for the challenges that it got.
 */

/** Sets that the flooding network asks for in a minute, and hashes of others that it posts. */
const FLOOD_A_MINUTE = 20
const STOLEN_A_MINUTE = 3
/** A buyer pays within so many minutes. */
const SLOWEST_MINUTES = 45
const SELLERS_EVERY = 10

export type Crowd = { readonly buyers: number; readonly aMinute: number; readonly products: number }
export type Told = { readonly asked: number; readonly paid: number; readonly refusedFlood: number }

export const letIn = async (market: Awaited<ReturnType<typeof openMarket>>, crowd: Crowd): Promise<Told> => {
  const due = new Map<number, Ask[]>()
  const stolen: Ask[] = []
  const hashes: string[] = []
  let [asked, paid, refusedFlood] = [0, 0, 0]
  const honest = async () => {
    const n = asked++
    const isSellers = n % SELLERS_EVERY === 0
    const ask = await market.ask(n, n % crowd.products, !isSellers, isSellers ? undefined : `n${n}`)
    if (!ask) return
    const minute = market.minutes() + 1 + ((n * 7) % SLOWEST_MINUTES)
    due.set(minute, [...(due.get(minute) ?? []), ask])
  }
  const flood = async () => {
    const ask = await market.ask(-1, asked % crowd.products, true, 'flood')
    if (ask) stolen.push(ask)
    else refusedFlood++
  }
  while (asked < crowd.buyers || due.size > 0) {
    for (let n = 0; n < FLOOD_A_MINUTE; n++) await flood()
    for (let n = 0; n < crowd.aMinute && asked < crowd.buyers; n++) await honest()
    for (const { entry, challengeId } of due.get(market.minutes()) ?? []) {
      hashes.push(market.pay(entry.payTo, BigInt(entry.amount), challengeId))
      paid++
    }
    due.delete(market.minutes())
    const theirs = stolen.at(-1)
    for (const tx of hashes.slice(-STOLEN_A_MINUTE)) if (theirs) await market.verify(theirs.challengeId, tx)
    await market.tick()
  }
  for (let n = 0; n < 5; n++) await market.tick()
  return { asked, paid, refusedFlood }
}
