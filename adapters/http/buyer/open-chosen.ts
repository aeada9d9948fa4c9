import { refuse } from '../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { ChallengeOffer } from '../../../domain/use-cases/selling/challenges/open-challenge.ts'
import { isUnpaid } from '../agent/common/accepts.ts'
import type { createOpenSets } from '../agent/common/open-sets.ts'
import { termsOf } from '../agent/selling/door.ts'
import { networkMark } from '../core/network-of.ts'
import { chosenAmount, needsAmount, quoteOf } from './choice.ts'
import type { SaleItem } from './doors.ts'

export type OpenSets = ReturnType<typeof createOpenSets<ChallengeOffer>>

type CoinRequest = {
  readonly flow: UseCaseContext
  readonly sold: SaleItem
  readonly ip: string
  readonly caller: string
  readonly asset: string
  /** The amount as it was typed, where the payer chooses it. */
  readonly amount?: string | undefined
  /** Names the browser by the page's own cookie, or the page on which the coin was chosen. */
  readonly visit: string
}

/**
 * The challenge of the coin that a person chose: the one that is open for them, or a new one. Undefined when the coin
 * cannot be chosen. Refuses `no-free-amount` when it can, but no payment of it could be told from somebody else's, and
 * `rate-limited`.
 */
export const openChosen = async (openSets: OpenSets, chosen: CoinRequest): Promise<string | undefined> => {
  const { flow, sold, ip, caller, asset, visit } = chosen
  const amount = needsAmount(sold) ? chosenAmount(chosen.amount) : undefined
  if (sold.status !== 'open' || (needsAmount(sold) && amount === undefined)) return undefined
  if (!(await quoteOf(flow, sold, amount)).some((quoted) => quoted.asset === asset)) return undefined
  // Browsers behind one address are told apart by what their page left with them, so that no two people pay one
  // challenge.
  const who = sold.shared ? '' : `${caller} ${visit}`
  const asked = {
    resource: `${sold.id} ${asset}`,
    ip,
    caller: `${who} ${amount ?? ''}`,
    terms: await termsOf(flow, sold.accountId),
    now: flow.world.now().getTime(),
  }
  const opened = await openSets.of(asked, () => sold.open({ asset, amount }, networkMark(flow, ip)), isUnpaid(flow))
  if (!opened.entries.some((entry) => entry.asset === asset))
    return refuse('unavailable', `There is no price of ${asset} right now. Try again in a moment.`)
  return `${opened.setId}.${asset}`
}
