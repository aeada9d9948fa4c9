import type { AcceptedAuthorization } from '../../../gasless/authorization.ts'
import type { UseCaseContext } from '../../context.ts'

/**
 * How long a payer's call is held open, which is a few blocks of the networks that are paid on; clients do not ask
 * again.
 */
const WAIT_MS = 8_000
const LOOK_MS = 40

/**
 * Waits until a signed payment has settled or failed, and answers it, or as it is when the time is up (J-DOOR-06). Each
 * look reads what this process has in memory.
 */
export const awaitSettlement = async (
  { ledger, world }: Pick<UseCaseContext, 'ledger' | 'world'>,
  id: string,
  taken: AcceptedAuthorization,
): Promise<AcceptedAuthorization> => {
  let state = taken
  for (let look = 0; state.status === 'accepted' && look < WAIT_MS / LOOK_MS; look++) {
    await world.pause(LOOK_MS)
    const now = await ledger.authorization.recent(id)
    if (now.status !== 'none') state = now
  }
  return state
}
