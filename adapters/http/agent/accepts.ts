import { z } from 'zod'
import type { Flow } from '../../../domain/flows/flow.ts'
import type { OpenedChallenge } from '../../../domain/flows/open-challenge.ts'
import { toDecimal } from '../../../domain/money.ts'
import { coinFacts } from '../../../domain/sell/challenge-terms.ts'

/** Ways to pay, as every door shows them (N-02). */

export const Accept = z
  .object({
    challengeId: z.string(),
    rail: z.literal('onchain'),
    scheme: z.literal('onchain'),
    asset: z.string(),
    network: z.string(),
    chain: z.string(),
    payTo: z.string(),
    amount: z.string(),
    amountAtomic: z.string(),
    decimals: z.int(),
    contract: z.string().optional(),
    fiatAmount: z.string(),
    currency: z.string(),
    requiredConfirmations: z.int(),
    match: z.enum(['amount', 'address', 'hash']),
    expiresAt: z.string(),
    test: z.literal(true).optional(),
  })
  .meta({ id: 'Accept', description: 'One way to pay: send exactly `amount` of `asset` to `payTo`.' })

export type Opened = OpenedChallenge & { setId: string }

export const acceptsOf = ({ setId, entries, expiresAt, amount, currency, test }: Opened) =>
  entries.map((entry) => {
    const { decimals, contract } = coinFacts(entry)
    return {
      challengeId: `${setId}.${entry.asset}`,
      rail: 'onchain' as const,
      scheme: 'onchain' as const,
      asset: entry.asset,
      network: entry.network,
      chain: entry.chain,
      payTo: entry.payTo,
      amount: toDecimal(BigInt(entry.amount), decimals),
      amountAtomic: entry.amount,
      decimals,
      ...(contract !== undefined && { contract }),
      fiatAmount: toDecimal(BigInt(amount), 6),
      currency,
      requiredConfirmations: entry.confirmations,
      match: entry.match,
      expiresAt,
      ...marked({ test }),
    }
  })

/** What is for trying things out says so wherever it shows, so that nobody takes it for money. */
export const marked = ({ test }: { readonly test: boolean }): { test?: true } => (test ? { test } : {})

/** Whether a set can still be paid: its time is not up, and nobody has paid for any entry of it, nor is about to. */
export const isUnpaid =
  ({ ledger, world }: Flow) =>
  async ({ setId, expiresAt }: Opened): Promise<boolean> => {
    if (world.now().toISOString() > expiresAt) return false
    const set = await ledger.challenge.recent(setId)
    return (
      set.status === 'open' &&
      Object.keys({ ...set.detected, ...set.settled, ...set.underpaid, ...set.reserved, ...set.simulated }).length === 0
    )
  }
