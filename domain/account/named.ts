import { openedText } from '../kernel/opened-text.ts'
import type { SealedText, Vault } from '../kernel/ports.ts'

/** A text that somebody gave to a thing: sealed, and with a keyed hash by which saving the same again is seen. */
export type SealedName = { readonly text: SealedText; readonly print: string }

/** Seals a text that somebody gave to a thing; null for the empty text. */
export const sealedName = async (vault: Vault, accountId: string, text: string): Promise<SealedName | null> =>
  text === ''
    ? null
    : { text: await vault.seal(accountId, text), print: vault.fingerprint('name', `${accountId} ${text}`) }

/** The text of a sealed name; `(erased)` or `(lost)` when its key is gone. */
export const nameOf = async (vault: Vault, named: SealedName | null): Promise<string> =>
  named === null ? '' : await openedText(vault, named.text)
