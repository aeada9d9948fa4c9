import type { Session } from '../../../../domain/commerce/session-state.ts'
import { millionthsOf } from '../../../../domain/kernel/currencies.ts'
import { takesCard } from '../../../../domain/use-cases/card/processor.ts'
import { setIdNow } from '../../../../domain/use-cases/commerce/pay-session.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { ChallengeOffer } from '../../../../domain/use-cases/selling/challenges/open-challenge.ts'
import { honestAccepts, signedAccepts } from '../../../x402/envelope.ts'
import { waysOf } from '../common/accepts.ts'
import { HANDLERS, type Handler, type paymentHandlers } from './ucp.ts'

/**
 * How a session is paid: by its challenges on a chain, by a signed payment of one of them, or by a person on their
 * page.
 */

/** `list` as the documents have it, `config` for the protocol's own `payment_handlers`. */
export type Ways = {
  readonly list: readonly Readonly<Record<string, unknown>>[]
  readonly config: Parameters<typeof paymentHandlers>[1]
}

/**
 * The ways to pay that are open for the session now; undefined before anybody completed it, and once nothing more can
 * be paid.
 */
export const waysNow = async (flow: UseCaseContext, session: Session): Promise<Ways | undefined> => {
  if (session.status !== 'ready_for_complete') return undefined
  const setId = setIdNow(flow, session)
  const set = await flow.ledger.challenge.recent(setId)
  return set.status === 'none' ? undefined : await waysToPay(flow, session, { ...set, setId })
}

export const waysToPay = async (flow: UseCaseContext, session: Session, minted: ChallengeOffer): Promise<Ways> => {
  const url = `${flow.origins.pay}/id/${session.requestId}`
  const ways = await waysOf(flow, minted, true)
  const sold = { url, description: session.lines[0]?.title ?? '' }
  const accepts = honestAccepts(ways, sold).map((each, index) => ({
    ...each,
    pay_to: ways[index]?.address,
    expires_at: minted.expiresAt,
  }))
  const signed = signedAccepts(ways)
  const card = (await isPaidByCard(flow, session)) && { url: cardUrl(flow, session) }
  return {
    list: [
      { id: 'onchain', handler: HANDLERS.onchain.name, accepts, url },
      ...(card ? [{ id: 'card', handler: HANDLERS.card.name, ...card }] : []),
      ...(signed.length > 0 ? [{ id: 'x402', handler: HANDLERS.x402.name, accepts: signed }] : []),
    ],
    config: {
      onchain: { accepts, url },
      ...(card && { card }),
      ...(signed.length > 0 && { x402: { accepts: signed } }),
    },
  }
}

/** Whether a session can be paid by card. */
export const isPaidByCard = ({ ledger }: UseCaseContext, session: Session): Promise<boolean> => {
  const { accountId, test, total, digits, currency } = session
  return takesCard(ledger, accountId, { amount: String(millionthsOf(BigInt(total), digits)), currency, test })
}

/** The handlers that are offered of a session, or of a store: those of cards where it takes them. */
export const handlersWith = (card: boolean): readonly Handler[] => [
  'x402',
  'onchain',
  ...(card ? (['card'] as const) : []),
]

/**
 * The link to the page of the seller's card processor, on which nothing is opened before the person follows the link.
 */
export const cardUrl = ({ origins }: UseCaseContext, { requestId }: Session): string =>
  `${origins.pay}/id/${requestId}?pay=card`
