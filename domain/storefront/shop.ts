import { DEFAULT_STORE } from '../kernel/in-store.ts'

/** A store as the public knows it: under a handle that is part of addresses (J-CAT-01, C-SES-02). */

/**
 * Characters of the account's id in the handle: 60 bits, so that no two accounts share them, and less than half of the
 * id.
 */
const HANDLE_LENGTH = 12

/** The form of a handle, which is one label of a host name; no other text is looked up. */
export const SHOP_HANDLE = /^[a-z2-7]{12}(-[1-9]\d{0,6})?$/

/** The handle of a store. It is computed from ids, so that it never changes, and old stores have one, too. */
export const shopHandle = (accountId: string, storeId: number): string => {
  const start = accountId.indexOf('_') + 1
  const name = accountId.slice(start, start + HANDLE_LENGTH)
  return storeId === DEFAULT_STORE ? name : `${name}-${storeId}`
}

/**
 * `<handle>.<host of SHOP_URL>`, with its port where it has one; undefined where that host is an address, which has no
 * names below it.
 */
export const shopHost = (shop: string, handle: string): string | undefined => {
  const host = shop.slice(shop.indexOf('//') + 2)
  return /^[\d.:]+$|^\[/.test(host) ? undefined : `${handle}.${host}`
}

/** The URL of its public page. */
export const shopPage = (pay: string, handle: string): string => `${pay}/shop/${handle}`

/** The origin at which a store is the only one; undefined as for `shopHost`. */
export const shopOrigin = (shop: string, handle: string): string | undefined => {
  const host = shopHost(shop, handle)
  return host && `${shop.slice(0, shop.indexOf('//') + 2)}${host}`
}
