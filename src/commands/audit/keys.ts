import { rotateSealKey } from '../../../adapters/audit/sealer.ts'
import { logKeyOf, originOf } from '../../../adapters/audit/witness/log-note.ts'
import { vkeyOf } from '../../../adapters/audit/witness/note.ts'
import type { MasterKeys } from '../../../adapters/postgres/vault/master-key.ts'
import { COSIGNATURES } from '../../../domain/audit/cosignatures.ts'
import { SEALS, SEALS_STREAM, type SealEvents } from '../../../domain/audit/seals.ts'
import type { Books } from '../../books/books.ts'
import { openSealedLedger, operatorLedger } from '../../books/operator-ledger.ts'
import { columns, type Output } from '../../console/output.ts'
import { mustBeWitnessed } from './witnessed-log.ts'

/**
 * Shows the public keys as the log has them, each also as a verifier key, which has the name of the log in it. Whoever
 * got them in another way can tell when somebody puts others in their place.
 * @param host names a log that has no checkpoint yet
 */
export const listKeys = async (books: Books, out: Output, host: string): Promise<void> => {
  const store = await books.store()
  const ledger = operatorLedger(store)
  const { head } = await ledger.seals.read(SEALS)
  const [newest] = (await ledger.cosignatures.read(COSIGNATURES)).checkpoints
  const origin = newest?.origin ?? (head && originOf(host, head.log))
  const keys: { key_id: string; public_key: string; published_at: string; vkey: string | null }[] = []
  for await (const page of store.read(SEALS_STREAM))
    for (const { type, data, at } of page)
      if (type === 'SealKeyPublished') {
        const { keyId, publicKey } = data as SealEvents['SealKeyPublished']
        const vkey = origin === undefined ? null : vkeyOf(logKeyOf({ origin, publicKey }))
        keys.push({ key_id: keyId, public_key: publicKey, published_at: at, vkey })
      }
  const rows = keys.map((key) => [key.key_id, key.public_key, key.published_at, key.vkey ?? ''])
  const table = [['Key', 'Public key', 'Published', 'Verifier key'], ...rows]
  await out.tell(keys, keys.length > 0 ? columns(table) : 'The log is not sealed yet.')
}

/** Publishes the next key, vouched for by the one before it. */
export const rotateKey = async (books: Books, out: Output, masterKey: MasterKeys, journal: string): Promise<void> => {
  await mustBeWitnessed(books, journal)
  const { ledger, vault } = await openSealedLedger(books, masterKey)
  const { keyId, publicKey } = await rotateSealKey({ ledger, vault })
  await out.tell({ key_id: keyId, public_key: publicKey }, `${keyId} seals from now on: ${publicKey}`)
}
