import { commerceEndpoints } from '../agent/commerce/index.ts'
import { orderPageEndpoints } from '../buyer/order.ts'

/** What agents call who shop (document 2 of commerce), and the page of an order, which has the same address. */
export const shoppingEndpoints = [...commerceEndpoints, ...orderPageEndpoints]
