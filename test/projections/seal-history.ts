import { SEALS } from '../../domain/audit/seals.ts'
import type { EventStore } from '../../domain/kernel/ports.ts'
import { ledgerOn } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'

/** Two keys, each with a seal; what they say is enough for a read model, which checks nothing of it. */
export const sealHistory = async (store: EventStore): Promise<void> => {
  const { seals } = ledgerOn(store, fixedWorld('seals'))
  const hash = Buffer.alloc(32, 7).toString('base64')
  const head = { log: 'first', root: hash, chain: hash, sealedAt: '2026-03-02T10:00:00.000Z', signature: hash }
  for (const [i, keyId] of ['one', 'two'].entries()) {
    const previous = i === 0 ? null : 'one'
    await seals.publish(SEALS, { keyId, publicKey: hash, privateKey: 'v1.k', previous, endorsement: previous && hash })
    const covered = { from: i, size: i + 1, order: String(100 * (i + 1)), leaves: hash, frontier: hash }
    await seals.seal(SEALS, { ...head, ...covered, keyId, nodes: [[10, i, hash]] })
  }
}
