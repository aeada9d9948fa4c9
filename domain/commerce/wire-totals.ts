import type { AppliedDiscount, CartSums, CartTax, Sums } from './totals.ts'

/**
 * Sums as the commerce protocol tells them (UCP 2026-04-08, `totals`): JSON numbers of smallest units. The entries
 * before `total` add up to it, and the `lines` of an entry add up to the entry. `refuseTooDear` comes before, so each
 * is a safe integer.
 */

export type WireTotal = {
  readonly type: 'subtotal' | 'items_discount' | 'tax' | 'total'
  readonly display_text: string
  readonly amount: number
  readonly lines?: readonly { readonly display_text: string; readonly amount: number }[]
}

/**
 * The totals of the whole cart, or of one line of it. What was taken off lines is `items_discount`; VAT that the prices
 * contain has no entry.
 */
export const wireTotals = (
  { subtotal, discount, tax, total }: Sums,
  rule: CartTax | undefined,
): readonly WireTotal[] => [
  { type: 'subtotal', display_text: 'Subtotal', amount: Number(subtotal) },
  ...(discount > 0n ? [{ type: 'items_discount', display_text: 'Discount', amount: -Number(discount) } as const] : []),
  ...(rule && !rule.inclusive ? [{ type: 'tax', display_text: rule.label, amount: Number(tax) } as const] : []),
  {
    type: 'total',
    display_text: 'Total',
    amount: Number(total),
    ...(rule?.inclusive && {
      lines: [
        { display_text: 'Net', amount: Number(total - tax) },
        { display_text: `Included ${rule.label}`, amount: Number(tax) },
      ],
    }),
  },
]

export type WireDiscount = {
  readonly code: string
  readonly title: string
  readonly amount: number
  readonly method: 'across'
  /** The order of discounts: smaller numbers come first. */
  readonly priority: number
  readonly allocations: readonly { readonly path: string; readonly amount: number }[]
}

/** The `discounts.applied` of a session: amounts are positive there. */
export const wireDiscounts = ({ applied }: Pick<CartSums, 'applied'>): readonly WireDiscount[] =>
  applied.map(({ code, title, amount, allocations }: AppliedDiscount, index) => ({
    code,
    title,
    amount: Number(amount),
    method: 'across' as const,
    priority: index + 1,
    allocations: allocations.map((part) => ({ path: part.path, amount: Number(part.amount) })),
  }))
