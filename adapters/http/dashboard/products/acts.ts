import { Refusal } from '../../../../domain/kernel/refusal.ts'
import { sentenceOf } from '../../../../domain/kernel/refusals/refusal-words.ts'
import type { Reply } from '../../core/endpoint.ts'
import type { MemberRequest } from '../of-dashboard.ts'

/** What is done with a link by a button. */

/** A call of a member as the use cases of the API take it. */
export const contextOf = (request: MemberRequest) => ({ ...request, actor: request.actor.actor })

/** Does it; what it is refused for is said on the page that is shown then. */
export const acted = async (act: () => Promise<Reply>, shown: (fault: string) => Promise<Reply>): Promise<Reply> => {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof Refusal) || PASSED_ON.has(error.code)) throw error
    return await shown(sentenceOf(error))
  }
}

/** These are pages of their own. */
const PASSED_ON: ReadonlySet<string> = new Set([
  'checkout-not-found',
  'resource-not-found',
  'request-not-found',
  'rate-limited',
  'busy',
  'forbidden',
])
