/** The ids of a session and of its order have the same random part, so that either leads to the stream of both. */

const SESSION_ID = /^cs_[a-z2-7]{26}$/
const ORDER_ID = /^ord_[a-z2-7]{26}$/

export const isSessionId = (id: string): boolean => SESSION_ID.test(id)

export const orderIdOf = (sessionId: string): string => `ord_${sessionId.slice('cs_'.length)}`

/** The session of an order; undefined when the id can be no order's. */
export const sessionOfOrder = (orderId: string): string | undefined =>
  ORDER_ID.test(orderId) ? `cs_${orderId.slice('ord_'.length)}` : undefined
