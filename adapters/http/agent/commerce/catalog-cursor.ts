import type { Vault } from '../../../../domain/kernel/ports.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { ProductPlace } from '../../../../projections/commerce/product-queries.ts'
import type { CloudCaller } from '../../core/endpoint.ts'

/**
 * Where the next page of a catalog begins, as text that only we can write and that is good in one store alone
 * (C-CAT-01, N-29).
 */

type CursorSealer = Pick<Vault, 'fingerprint'>

/** Characters of the seal: 96 bits of base 64, or of hexadecimal digits still 88. */
const SEAL_LENGTH = 22

export const cursorAt = (vault: CursorSealer, shop: CloudCaller, { createdAt, id }: ProductPlace): string => {
  const place = Buffer.from(JSON.stringify([createdAt, id])).toString('base64url')
  return `${place}.${sealOf(vault, shop, place)}`
}

/** Refuses `invalid-request` for what is no cursor of this store. */
export const placeAt = (vault: CursorSealer, shop: CloudCaller, cursor: string): ProductPlace => {
  const [place = '', seal, ...rest] = cursor.split('.')
  if (seal !== sealOf(vault, shop, place) || rest.length > 0)
    return refuse('invalid-request', 'pagination.cursor: send the cursor of the page before as it came')
  const [createdAt, id] = JSON.parse(Buffer.from(place, 'base64url').toString()) as [string, string]
  return { createdAt, id }
}

const sealOf = (vault: CursorSealer, { accountId, storeId }: CloudCaller, place: string): string =>
  vault.fingerprint('catalog-cursor', JSON.stringify([accountId, storeId, place])).slice(0, SEAL_LENGTH)
