import type { SealedText, Vault } from './ports.ts'

/** The part of a vault that opens sealed values, and that may also tell which keys were lost. */
export type Opener = Pick<Vault, 'open'> & Partial<Pick<Vault, 'isLost'>>

/**
 * Sealed text as people are shown it: `(erased)` when its key was destroyed on purpose, `(lost)` when the operator has
 * accepted that it is gone (N-74).
 */
export const openedText = async (vault: Opener, sealed: SealedText): Promise<string> =>
  (await vault.open(sealed)) ?? ((await vault.isLost?.(sealed)) ? '(lost)' : '(erased)')
