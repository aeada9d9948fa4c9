import { openedText } from '../kernel/opened-text.ts'
import type { Sealed, Vault } from '../kernel/ports.ts'

/** A text that somebody gave to a thing: sealed, and with a keyed hash by which saving the same again is seen. */
export type Named = { readonly text: Sealed; readonly print: string }

/** Null for the empty text. */
export const named = async (vault: Vault, accountId: string, text: string): Promise<Named | null> =>
  text === ''
    ? null
    : { text: await vault.seal(accountId, text), print: vault.fingerprint('name', `${accountId} ${text}`) }

/** The text again, `(erased)` when its key is gone. */
export const nameOf = async (vault: Vault, named: Named | null): Promise<string> =>
  named === null ? '' : await openedText(vault, named.text)
