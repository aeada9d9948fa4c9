import type { Attempt } from '../../../selling/webhooks/delivery.ts'
import type { UseCaseContext } from '../../context.ts'

/** How long a caller waits for the receiver: its own seven seconds, and one for the way there. */
const ANSWER_WAIT_MS = 8_000
const LOOK_EVERY_MS = 50

/** What the receiver answered to a delivery that was scheduled; undefined when that is not known yet. */
export const awaitDelivery = async (
  { ledger, world }: Pick<UseCaseContext, 'ledger' | 'world'>,
  eventId: string,
): Promise<Attempt | undefined> => {
  for (let waited = 0; waited < ANSWER_WAIT_MS; waited += LOOK_EVERY_MS) {
    await world.pause(LOOK_EVERY_MS)
    const delivery = await ledger.delivery.read(eventId)
    if (delivery.status === 'done') return delivery.outcome
  }
  return undefined
}
