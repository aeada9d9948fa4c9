import type { SealedText, Vault } from '../../kernel/ports.ts'
import { refuse } from '../../kernel/refusal.ts'
import { checkedFields, FAULT_WORDS } from '../../storefront/custom-fields.ts'
import type { Ledger } from '../../write-side/ledger.ts'

/** What a cart says of its buyer: kept sealed under the seller, and opened for those who sent it and for the seller. */
export type BuyerDetails = {
  /** The `buyer` and `context` objects as they were sent. */
  readonly buyer?: object
  readonly context?: object
  /** Answers to the seller's custom fields (S-FLD-04). */
  readonly fields?: readonly Answer[]
}

type Answer = { readonly label: string; readonly value: string }

export const sealedPerson = async (
  vault: Vault,
  accountId: string,
  person: BuyerDetails,
): Promise<SealedText | null> =>
  Object.keys(person).length === 0 ? null : await vault.seal(accountId, JSON.stringify(person))

/** The details, unsealed; empty when none were given, or their key is gone. */
export const openedPerson = async (vault: Vault, sealed: SealedText | null): Promise<BuyerDetails> => {
  const text = sealed === null ? undefined : await vault.open(sealed)
  return text === undefined ? {} : (JSON.parse(text) as BuyerDetails)
}

/**
 * The given answers, and the labels of the required fields that have no answer yet. Refuses `invalid-request` for an
 * answer that its field does not allow.
 */
export const answersTo = async (
  ledger: Ledger,
  accountId: string,
  given: Readonly<Record<string, string>>,
): Promise<{ answers: readonly Answer[]; unanswered: readonly string[] }> => {
  const { fields } = await ledger.customFields.recent(accountId)
  const optional = fields.map((field) => ({ ...field, required: false }))
  const checked = checkedFields(optional, given)
  if ('wrong' in checked) {
    const [first] = checked.wrong
    return refuse(
      'invalid-request',
      `custom_fields: ${JSON.stringify(first?.label)}: ${first && FAULT_WORDS[first.fault]}`,
    )
  }
  const answered = new Set(checked.values.map(({ label }) => label))
  const missing = fields.filter(({ required, label }) => required && !answered.has(label))
  return { answers: checked.values, unanswered: missing.map(({ label }) => label) }
}
