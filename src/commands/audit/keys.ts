import { rotateSealKey } from '../../../adapters/audit/sealer.ts'
import { SEALS_STREAM, type SealEvents } from '../../../domain/log/seals.ts'
import type { Books } from '../../books.ts'
import { openSealedLedger } from '../../operator-ledger.ts'
import { columns, type Output } from '../output.ts'
import { mustBeWitnessed } from './witnessed-log.ts'

/**
 * Shows the public keys as the log has them. Who is given them by another way can tell when somebody puts others in
 * their place.
 */
export const listKeys = async (books: Books, out: Output): Promise<void> => {
  const keys: { key_id: string; public_key: string; published_at: string }[] = []
  for await (const page of (await books.store()).read(SEALS_STREAM))
    for (const { type, data, at } of page)
      if (type === 'SealKeyPublished') {
        const { keyId, publicKey } = data as SealEvents['SealKeyPublished']
        keys.push({ key_id: keyId, public_key: publicKey, published_at: at })
      }
  const table = [['Key', 'Public key', 'Published'], ...keys.map((key) => Object.values(key))]
  await out.tell(keys, keys.length > 0 ? columns(table) : 'The log is not sealed yet.')
}

/** Publishes the next key, vouched for by the one before it. */
export const rotateKey = async (books: Books, out: Output, masterKey: Buffer, journal: string): Promise<void> => {
  await mustBeWitnessed(books, journal)
  const { ledger, vault } = await openSealedLedger(books, () => masterKey)
  const { keyId, publicKey } = await rotateSealKey({ ledger, vault })
  await out.tell({ key_id: keyId, public_key: publicKey }, `${keyId} seals from now on: ${publicKey}`)
}
