import type { Sealed, Vault } from '../../ports.ts'

/** What a cart says of its buyer, as it was sent: kept sealed under the seller, and opened for those who sent it and for the seller. */
export type Person = { readonly buyer?: object; readonly context?: object }

export const sealedPerson = async (vault: Vault, accountId: string, person: Person): Promise<Sealed | null> =>
  Object.keys(person).length === 0 ? null : await vault.seal(accountId, JSON.stringify(person))

/** Empty when nothing was said, or its key is gone. */
export const openedPerson = async (vault: Vault, sealed: Sealed | null): Promise<Person> => {
  const text = sealed === null ? undefined : await vault.open(sealed)
  return text === undefined ? {} : (JSON.parse(text) as Person)
}
