/** A seller on a log in memory, for what it signs and what it is shown: the ledger is real, the vault keeps text as it is. */
import type { Keys } from '../../../adapters/ap2/merchant-keys.ts'
import type { Vault } from '../../../domain/ports.ts'
import { ledgerOn } from '../ledger.ts'
import { memoryStore } from '../memory-store.ts'
import { type FixedWorld, fixedWorld } from '../world.ts'

export const SHOP = 'acc_1'

/** `again` is another process on the same log. */
export const keyFlow = (): { flow: Keys; world: FixedWorld; again: () => Keys } => {
  const store = memoryStore()
  const world = fixedWorld()
  const flow = { ledger: ledgerOn(store, world), world, vault: plainVault }
  return { flow, world, again: () => ({ ...flow, ledger: ledgerOn(store, fixedWorld('again')) }) }
}

const plainVault: Vault = {
  seal: async (subject, text) => `v1.${subject}.iv.${text}`,
  open: async (sealed) => sealed.split('.').at(-1),
  erase: async () => {},
  fingerprint: (_purpose, value) => value,
}
