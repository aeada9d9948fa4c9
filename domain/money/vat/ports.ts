/** What is known of a VAT number (M-VAT-02). */
export type VatNumber = {
  /** The number in capitals, without separators, with its country before it: `DE136695976`. */
  readonly number: string
  /**
   * The country of the number (ISO 3166, but XI for Northern Ireland); empty for one whose numbers cannot be checked.
   */
  readonly country: string
  /** Null: its form is right, and the registry that would know more did not tell. */
  readonly valid: boolean | null
  /** What `valid` rests on: the number's form and check digits alone, or the registry of its country. */
  readonly checked: 'format' | 'registry'
  /** The name of the number's owner, where the registry says it. */
  readonly name?: string
  /** The reference under which the registry keeps that it was asked: the seller's evidence. */
  readonly consultation?: string
}

/**
 * Checks VAT numbers. Never rejects and never takes long, so that no payment waits for it; `requester` is the seller's
 * own number.
 */
export type VatRegistry = { check(number: string, requester?: string): Promise<VatNumber> }
