import type { Session } from '../../../../domain/commerce/session-state.ts'
import { type Minted, setIdNow } from '../../../../domain/flows/commerce/pay-session.ts'
import type { Flow } from '../../../../domain/flows/flow.ts'
import { honestAccepts, signedAccepts } from '../../../x402/envelope.ts'
import { waysOf } from '../accepts.ts'
import type { Ways } from './session-record.ts'
import { HANDLERS } from './ucp.ts'

/** How a session is paid: by its challenges on a chain, by a signed payment of one of them, or by a person on their page. */

/** What is minted for the session now; undefined before anybody completed it, and once nothing more can be paid. */
export const waysNow = async (flow: Flow, session: Session): Promise<Ways | undefined> => {
  if (session.status !== 'ready_for_complete') return undefined
  const setId = setIdNow(flow, session)
  const set = await flow.ledger.challenge.recent(setId)
  return set.status === 'none' ? undefined : await waysToPay(flow, session, { ...set, setId })
}

export const waysToPay = async (flow: Flow, session: Session, minted: Minted): Promise<Ways> => {
  const url = `${flow.origins.pay}/id/${session.requestId}`
  const ways = await waysOf(flow, minted, true)
  const sold = { url, description: session.lines[0]?.title ?? '' }
  const accepts = honestAccepts(ways, sold).map((each, index) => ({
    ...each,
    ...{ pay_to: ways[index]?.address, expires_at: minted.expiresAt },
  }))
  const signed = signedAccepts(ways)
  return {
    list: [
      { id: 'onchain', handler: HANDLERS.onchain.name, accepts, url },
      ...(signed.length > 0 ? [{ id: 'x402', handler: HANDLERS.x402.name, accepts: signed }] : []),
    ],
    config: { onchain: { accepts, url }, ...(signed.length > 0 && { x402: { accepts: signed } }) },
  }
}
