import type { Vault, World } from '../../domain/kernel/ports.ts'

/** Seals nothing, so that nothing is kept from anybody, and asks nobody, so that it is no step of a schedule. */
export const openVault = (world: Pick<World, 'digest'>): Vault => ({
  seal: async (_, text) => text,
  open: async (sealed) => sealed,
  isLost: async () => false,
  erase: async () => {},
  fingerprint: (purpose, value) => world.digest(`${purpose}|${value}`),
})
