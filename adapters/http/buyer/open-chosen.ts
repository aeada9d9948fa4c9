import type { Flow } from '../../../domain/flows/flow.ts'
import { refuse } from '../../../domain/refusal.ts'
import { isUnpaid, type Opened } from '../agent/accepts.ts'
import { termsOf } from '../agent/door.ts'
import type { createOpenSets } from '../agent/open-sets.ts'
import { chosenAmount, needsAmount, quoteOf } from './choice.ts'
import type { Sold } from './doors.ts'

export type OpenSets = ReturnType<typeof createOpenSets<Opened>>

type Chosen = {
  readonly flow: Flow
  readonly sold: Sold
  readonly ip: string
  readonly caller: string
  readonly asset: string
  /** As typed, where the payer says how much. */
  readonly amount?: string | undefined
  /** Names the page on which the coin was chosen. */
  readonly visit: string
}

/**
 * The challenge of the coin that a person chose: the one that is open for him, or a new one. Undefined when it cannot be chosen; refuses
 * `unavailable` when it can and still no payment of it could be told from somebody else's.
 */
export const openChosen = async (openSets: OpenSets, chosen: Chosen): Promise<string | undefined> => {
  const { flow, sold, ip, caller, asset, visit } = chosen
  const amount = needsAmount(sold) ? chosenAmount(chosen.amount) : undefined
  if (sold.status !== 'open' || (needsAmount(sold) && amount === undefined)) return undefined
  if (!(await quoteOf(flow, sold, amount)).some((quoted) => quoted.asset === asset)) return undefined
  // Browsers behind one address are told apart by the page that they looked at, so that no two people pay one challenge.
  const who = sold.shared ? '' : `${caller} ${visit}`
  const asked = {
    ...{ resource: `${sold.id} ${asset}`, ip, caller: `${who} ${amount ?? ''}` },
    ...{ terms: await termsOf(flow, sold.accountId), now: flow.world.now().getTime() },
  }
  const opened = await openSets.of(asked, () => sold.open({ asset, amount }), isUnpaid(flow))
  // In a crowd a set is shared, and another amount may have been chosen for it.
  if (amount !== undefined && opened.amount !== String(amount)) return refuse('busy')
  if (!opened.entries.some((entry) => entry.asset === asset)) return refuse('unavailable')
  return `${opened.setId}.${asset}`
}
