import { finalBlocks, type Network } from '../../../domain/kernel/networks.ts'
import type { Chain, ChainHead } from '../../../domain/kernel/ports.ts'
import {
  type BookedPlace,
  type RecheckContext,
  recheckBooked,
} from '../../../domain/use-cases/selling/settling/recheck-booked.ts'
import type { Ledger } from '../../../domain/write-side/ledger.ts'
import type { SecondVoices } from './second-voice.ts'

/**
 * Looks again at payments that were booked, in blocks that the network may still replace (N-24): once the chain has
 * grown so much that one which is gone can be told, again after each reorganisation, and each for the last time when it
 * is so deep that it can be lost no more. Nothing escapes that: not what was booked from a block that the watch had not
 * read, and not what was replaced while no process ran. How far the last look has come is in the log.
 */

/** Payments of one page; all pages are gone through in a turn, but for what nobody can say anything of yet. */
const PAGE_MAX = 500
/**
 * Last looks are taken so many times while a payment becomes final: each waits until the read models are up to the log.
 */
const LAST_LOOKS = 8

export type BookedContext = {
  readonly ledger: Ledger
  /** Pages of payments that were booked, by height; undefined while the read model is behind the log. */
  booked(network: string, range: BookedRange, limit: number): Promise<readonly BookedPlace[] | undefined>
  /** Whether a transfer that carried out an authorization may yet be mined. */
  readonly mayCome: RecheckContext['mayCome']
  readonly secondVoice: Pick<SecondVoices, 'heard'>
  readonly log: { warn(fields: object, message: string): void }
}
type BookedRange = {
  readonly above: number
  readonly through: number
  readonly after?: { readonly height: number; readonly id: string } | undefined
}

export type BookedWatch = {
  /** The chain was reorganised above this height: what was booked there is looked at again. */
  reorganised(above: number): void
  /** `readTo`: the newest block that was read. */
  turn(head: ChainHead, readTo: number): Promise<void>
}

export const createBookedWatch = (network: Network, chain: Chain, context: BookedContext): BookedWatch => {
  const { ledger } = context
  /** Up to where everything was looked at since the newest reorganisation, and for the last time. */
  let looked: number | undefined
  let final: number | undefined

  /** Up to where everything is decided; undefined when nothing can be said. One that is not holds up no other. */
  const decidedIn = async (range: BookedRange, head: ChainHead, deep: number) => {
    const { mayCome, secondVoice } = context
    const looking = { ledger, chain: asking(chain), network, head, mayCome, hear: secondVoice.heard }
    let after: BookedRange['after']
    let through = range.through
    let any = false
    for (;;) {
      const page = await context.booked(network.name, { ...range, after }, PAGE_MAX)
      if (page === undefined) return undefined
      for (const booked of page) {
        any = true
        after = { height: booked.height, id: booked.transferId }
        if (!(await isDecided(looking, booked, head, deep, context))) through = Math.min(through, booked.height - 1)
      }
      if (page.length < PAGE_MAX) return { through, any }
    }
  }

  const firstLooks = async (head: ChainHead, readTo: number) => {
    const through = Math.min(head.height, readTo) - network.confirmations
    looked ??= Math.max(-1, through - finalBlocks(network))
    if (through <= looked) return
    const decided = await decidedIn({ above: looked, through }, head, 1)
    if (decided) looked = Math.max(looked, decided.through)
  }

  const lastLooks = async (head: ChainHead, readTo: number) => {
    const deep = finalBlocks(network)
    const through = Math.min(head.height, readTo) - deep + 1
    final ??= await beginning(ledger, network, through)
    if (through < final + Math.ceil(deep / LAST_LOOKS)) return
    const decided = await decidedIn({ above: final, through }, head, deep)
    if (!decided || decided.through <= final) return
    final = decided.through
    if (decided.any) await ledger.chainWatch.final(network.name, { network: network.name, height: final })
  }

  return {
    reorganised(above) {
      if (looked !== undefined) looked = Math.min(above, looked)
    },
    async turn(head, readTo) {
      await firstLooks(head, readTo)
      await lastLooks(head, readTo)
    },
  }
}

/** Where nobody has looked yet, at what would just now have been looked at. */
const beginning = async (ledger: Ledger, network: Network, through: number): Promise<number> => {
  const { final } = await ledger.chainWatch.read(network.name)
  return final >= 0 ? final : Math.max(-1, through - finalBlocks(network))
}

/** One that cannot be looked at holds up its own last look, and is tried again in the next turn. */
const isDecided = async (
  looking: RecheckContext,
  booked: BookedPlace,
  head: ChainHead,
  deep: number,
  { log }: BookedContext,
): Promise<boolean> => {
  try {
    const look = await recheckBooked(looking, booked)
    if (look.undecided) return false
    // In another block it is not so deep.
    return look.height === undefined || head.height - look.height + 1 >= deep
  } catch (error) {
    log.warn({ transfer: booked.transferId, err: error }, 'a booked payment could not be looked at, trying again')
    return false
  }
}

/** Many payments of one block are one question. */
const asking = (chain: Chain): Chain => {
  const hashes = new Map<number, Promise<string | undefined>>()
  return {
    ...chain,
    hashAt(height) {
      const known = hashes.get(height) ?? chain.hashAt(height)
      hashes.set(height, known)
      return known
    },
  }
}
