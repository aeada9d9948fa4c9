import { finalBlocks, type Network } from '../../../domain/kernel/networks.ts'
import type { Chain, ChainHead } from '../../../domain/kernel/ports.ts'
import { recheckRefund } from '../../../domain/use-cases/selling/refunds/recheck-refund.ts'
import {
  type BookedPlace,
  type RecheckContext,
  recheckBooked,
} from '../../../domain/use-cases/selling/settling/recheck-booked.ts'
import type { Ledger } from '../../../domain/write-side/ledger.ts'
import type { SecondVoices } from './second-voice.ts'

/**
 * Looks again at booked payments, and at refunds that were found, in blocks that the network may still replace (N-24):
 * first when the chain has grown so far that a lost payment can be told, again after each reorganisation, and for the
 * last time when the payment is so deep that it can no longer be lost. No payment escapes that: neither one booked
 * from a block that the watch had not read, nor one replaced while no process ran. The log tells how far the last
 * looks have come.
 */

/** Payments of one page; a turn goes through all pages. */
const PAGE_MAX = 500
/**
 * Times that last looks are taken while a payment becomes final: each waits until the read models are up to the log.
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
  /** Says that the chain was reorganised above this height: payments that were booked there are looked at again. */
  reorganised(above: number): void
  /** `readTo`: the newest block that was read. */
  turn(head: ChainHead, readTo: number): Promise<void>
}

export const createBookedWatch = (network: Network, chain: Chain, context: BookedContext): BookedWatch => {
  const { ledger } = context
  /**
   * Heights up to which everything was looked at: `looked` since the newest reorganisation, `final` for the last time.
   */
  let looked: number | undefined
  let final: number | undefined

  /**
   * The height up to which everything is decided; undefined when nothing can be said. Payments above an undecided one
   * are looked at all the same.
   */
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

/** The height above which last looks go on: the one in the log, or else the depth of finality below what is due now. */
const beginning = async (ledger: Ledger, network: Network, through: number): Promise<number> => {
  const { final } = await ledger.chainWatch.read(network.name)
  return final >= 0 ? final : Math.max(-1, through - finalBlocks(network))
}

/** A payment that cannot be looked at is not decided, and is tried again in the next turn. */
const isDecided = async (
  looking: RecheckContext,
  booked: BookedPlace,
  head: ChainHead,
  deep: number,
  { log }: BookedContext,
): Promise<boolean> => {
  try {
    const look = await (booked.refund ? recheckRefund : recheckBooked)(looking, booked)
    if (look.undecided) return false
    // In another block the payment may not be so deep.
    return look.height === undefined || head.height - look.height + 1 >= deep
  } catch (error) {
    log.warn({ transfer: booked.transferId, err: error }, 'a booked payment could not be looked at, trying again')
    return false
  }
}

/** Asks for the hash of a block only once, however many payments are in the block. */
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
