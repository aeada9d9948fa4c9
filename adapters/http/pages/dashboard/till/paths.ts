/** Where the till is. */

export const TILL = '/dashboard/till'

/** Where products are sold at the counter. */
export const TILL_PRODUCTS = `${TILL}/products`

/** What the service worker of the till shows without a network. */
export const TILL_OFFLINE = `${TILL}/offline`

/** The sales of today. */
export const TILL_SALES = `${TILL}/sales`

export const tillAt = (storeId: number): string => `${TILL}?store=${storeId}`

export const saleAt = (requestId: string): string => `${TILL_SALES}/${encodeURIComponent(requestId)}`
