import { createSignInRows } from '../../../adapters/postgres/sign-in/rows.ts'
import { maskedAddress } from '../../../domain/account/members/masked-address.ts'
import type { SealedText, Vault } from '../../../domain/kernel/ports.ts'
import { type Factors, isEnrolled } from '../../../domain/signin/factors.ts'
import { usersProjection } from '../../../projections/signin/users.ts'
import type { Books } from '../../books/books.ts'
import { type Operator, openOperator } from '../../books/operator-use-cases.ts'
import { readModel } from '../../books/read-model.ts'
import type { Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'

/** What support does with one person: looked up, seen, and stopped. Each act is an event that says who and why. */

/** Who decided something, and why. */
export type Decision = { readonly by: string; readonly reason: string }

/** People that a search by name reads; whoever came before the newest of them is found by address or id alone. */
export const READ_MAX = 10_000
/** People that a search shows unless it says another number. */
export const FOUND_SHOWN = 20

/** The operator's ledger, with the rows of sessions. */
export const openSupport = async (books: Books, config: Config, out: Output) => {
  const operator = await openOperator(books, config)
  const signIn = await createSignInRows(await readModel(books, out, usersProjection))
  return { ...operator, signIn }
}
export type Support = Operator & { readonly signIn: Awaited<ReturnType<typeof createSignInRows>> }

/** An address as support sees it: masked unless it is to be revealed, null where it was erased. */
export const addressShown = async (
  vault: Pick<Vault, 'open'>,
  sealed: SealedText | undefined,
  reveal: boolean,
): Promise<string | null> => {
  const email = sealed === undefined ? undefined : await vault.open(sealed)
  if (email === undefined) return null
  return reveal ? email : maskedAddress(email)
}

/** Which second factors a person has, by number; nothing that proves anything. */
export const factorsShown = (factors: Factors) => ({
  second_factor: isEnrolled(factors),
  passkeys: Object.keys(factors.passkeys).length,
  totp: factors.totp !== null,
  recovery_codes: factors.recoveryCodes.length,
})

/** The same as a line. */
export const factorLine = (factors: Factors): string => {
  const { second_factor, passkeys, totp, recovery_codes } = factorsShown(factors)
  if (!second_factor) return 'none'
  const keys = passkeys === 0 ? [] : [`${passkeys} ${passkeys === 1 ? 'passkey' : 'passkeys'}`]
  const left = `${recovery_codes} recovery ${recovery_codes === 1 ? 'code' : 'codes'} left`
  return [...keys, ...(totp ? ['an authenticator app'] : []), left].join(', ')
}

/** Whether a name has the words that are looked for, whatever their case. */
export const isCalled = (text: string, ...names: readonly (string | null | undefined)[]): boolean => {
  const wanted = text.normalize('NFKC').toLowerCase()
  return names.some((name) => name?.normalize('NFKC').toLowerCase().includes(wanted) ?? false)
}
