/**
 * A seller on a log in memory, for what it signs and what it is shown: the ledger is real, the vault keeps text as it
 * is.
 */

import type { Vault } from '../../../domain/kernel/ports.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { flow as flowOn } from '../../domain/flow-setup.ts'
import { ledgerOn } from '../ledger.ts'
import { memoryStore } from '../memory-store.ts'
import { type FixedWorld, fixedWorld } from '../world.ts'

export const SHOP = 'acc_1'

/** `again` is another process on the same log. */
export const keyFlow = (): { flow: UseCaseContext; world: FixedWorld; again: () => UseCaseContext } => {
  const store = memoryStore()
  const world = fixedWorld()
  const flow = flowOn(store, world, plainVault)
  return { flow, world, again: () => ({ ...flow, ledger: ledgerOn(store, fixedWorld('again')) }) }
}

const plainVault: Vault = {
  seal: async (subject, text) => `v1.${subject}.iv.${Buffer.from(text).toString('base64url')}`,
  isLost: async () => false,
  open: async (sealed) => Buffer.from(sealed.split('.').at(-1) ?? '', 'base64url').toString(),
  erase: async () => {},
  fingerprint: (_purpose, value) => value,
}
