import { z } from 'zod'
import { FIAT_DECIMALS, toDecimal } from '../../../../domain/kernel/money.ts'
import { type ChallengeEntry, coinFacts } from '../../../../domain/selling/challenge-terms.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { type GaslessOffer, gaslessOffers } from '../../../../domain/use-cases/selling/challenges/gasless-offers.ts'
import type { ChallengeOffer } from '../../../../domain/use-cases/selling/challenges/open-challenge.ts'
import { asksWhatItsRequestAsks } from '../../../../domain/use-cases/selling/challenges/requested-set.ts'
import { type Gasless, type PaymentWay, VEIL } from '../../../x402/envelope.ts'

/** Ways to pay, as every door shows them (N-02). */

export const Accept = z
  .object({
    challengeId: z.string(),
    code: z.string(),
    rail: z.enum(['onchain', 'exact']),
    chain: z.string(),
    address: z.string(),
    amount: z.string(),
    amountAtomic: z.string(),
    decimals: z.int(),
    contract: z.string().optional(),
    fiatAmount: z.string(),
    currency: z.string(),
    requiredConfirmations: z.int(),
    match: z.enum(['amount', 'address']),
    expiresAt: z.string(),
    test: z.literal(true).optional(),
    scheme: z.enum(['onchain', 'exact']),
    asset: z.string(),
    network: z.string(),
    payTo: z.string(),
    maxAmountRequired: z.string().optional(),
    resource: z.string().optional(),
    description: z.string().optional(),
    mimeType: z.string().optional(),
    maxTimeoutSeconds: z.int().optional(),
    veil: z.literal(VEIL).optional(),
    extra: z
      .object({ name: z.string(), version: z.string(), maxGasFeeUsd: z.string(), requiredConfirmations: z.int() })
      .optional(),
  })
  .meta({
    id: 'Accept',
    description:
      'One way to pay: send exactly `amount` of `code` on `chain` to `address`; on the rail `exact` a signed authorization does it too. From `scheme` on, the words of x402 clients. Where `veil` stands, those words are a veil over a way that such clients must not sign: they name a network where nobody is paid. `?accepts=plain` asks for the true words there too.',
  })

/**
 * What a set asks for in each coin, and which of them a signature pays now; at its own door a payment request takes
 * none, because it takes one payment.
 */
export const waysOf = async (
  flow: UseCaseContext,
  opened: ChallengeOffer,
  takesSigned = opened.resId !== null,
): Promise<readonly PaymentWay[]> => {
  const { setId, entries, expiresAt, amount, currency, test } = opened
  const offered = takesSigned ? await gaslessOffers(flow, opened) : () => undefined
  return entries.map((entry) => {
    const { decimals, contract } = coinFacts(entry)
    const offer = offered(entry)
    return {
      challengeId: `${setId}.${entry.asset}`,
      code: entry.asset,
      network: entry.network,
      chain: entry.chain,
      address: entry.payTo,
      amountAtomic: entry.amount,
      decimals,
      ...(contract !== undefined && { contract }),
      fiatAmount: toDecimal(BigInt(amount), FIAT_DECIMALS),
      currency,
      requiredConfirmations: entry.confirmations,
      match: matchOf(entry),
      expiresAt,
      ...marked({ test }),
      ...(offer && { gasless: gaslessOf(offer) }),
    }
  })
}

const gaslessOf = ({ token: { name, version }, gasFeeMax, confirmations }: GaslessOffer): Gasless => ({
  name,
  version,
  maxGasFeeUsd: toDecimal(BigInt(gasFeeMax), FIAT_DECIMALS),
  requiredConfirmations: confirmations,
})

/**
 * What a payment is recognised by: its amount or its address. What was opened for a signed payment, or before amounts
 * had to tell payments apart, goes by its amount.
 */
export const matchOf = ({ match }: Pick<ChallengeEntry, 'match'>): PaymentWay['match'] =>
  match === 'address' ? match : 'amount'

/** The mark of a test record, which it carries wherever it shows, so that nobody takes it for money. */
export const marked = ({ test }: { readonly test: boolean }): { test?: true } => (test ? { test } : {})

/** Whether a set can still be paid: its time is not up, and nobody has paid for any entry of it, nor is about to. */
export const isUnpaid =
  ({ ledger, world }: UseCaseContext) =>
  async ({ setId, expiresAt }: ChallengeOffer): Promise<boolean> => {
    if (world.now().toISOString() > expiresAt) return false
    const set = await ledger.challenge.recent(setId)
    return (
      set.status === 'open' &&
      (await asksWhatItsRequestAsks(ledger, set)) &&
      set.late === undefined &&
      Object.keys({ ...set.detected, ...set.settled, ...set.parts, ...set.reserved, ...set.simulated }).length === 0
    )
  }
