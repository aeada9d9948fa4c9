import { z } from 'zod'
import { callerId, isAtLimit } from '../../../../domain/gasless/caller.ts'
import { OutcomeUnknown } from '../../../../domain/kernel/ports.ts'
import { Refusal } from '../../../../domain/kernel/refusal.ts'
import type { Authorization } from '../../../../domain/selling/authorization-terms.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import {
  signedAndCovered,
  takenBefore,
  termsOfTaking,
} from '../../../../domain/use-cases/gasless/take-authorization.ts'
import type { Sale } from '../../../../domain/use-cases/selling/challenges/keep-challenge.ts'
import type { Queries } from '../../../../projections/index.ts'
import type { SignedPayment } from '../../../x402/header.ts'
import type { PaymentRefusal } from '../../../x402/reasons.ts'
import type { Requirements } from '../../../x402/requirements.ts'
import { type Settlement, settleBody, supportedBody, verifyBody } from '../../../x402/responses.ts'
import { type Actor, endpoint } from '../../core/endpoint.ts'
import { type FacilitatorRequest, type PaymentReading, readPosted, saleAt } from './facilitated.ts'
import { settleSigned } from './settle.ts'
import { signedOn } from './signed.ts'

/**
 * Checks and settles signed payments for whoever asks (J-GAS-05 to J-GAS-07), and under the names that sellers' x402
 * libraries call, for what those sellers sell elsewhere. Everything that is wrong with a payment is said in the
 * answer's own shape, with status 200: those libraries read no other.
 */

const Call = z.object({
  x402Version: z.int(),
  paymentPayload: z.looseObject({}),
  paymentRequirements: z.looseObject({}),
})

const Verified = z
  .object({ isValid: z.boolean(), invalidReason: z.string().optional(), payer: z.string().optional() })
  .meta({ id: 'VerifiedPayment' })

const Settled = z
  .object({
    success: z.boolean(),
    errorReason: z.string().optional(),
    transaction: z.string(),
    network: z.string(),
    payer: z.string().optional(),
  })
  .meta({
    id: 'SettledPayment',
    description:
      'With `settlement_pending` nobody knows yet: the same payment may be sent again, and no other one should be made.',
  })

const common = {
  method: 'post',
  limits: { keyless: true },
  callers: { crossOrigin: true },
  waits: 'never',
  body: Call,
  ignores: 'body',
} as const

const exactVerify = endpoint({
  ...common,
  path: '/v1/exact-verify',
  summary: 'Check a signed payment of a resource: its terms and its signature, without asking its chain',
  auth: 'none',
  returns: Verified,
  answer: ({ body, flow, queries }) => verified({ flow, queries, actor: undefined }, body, 'signature'),
})

const exactSettle = endpoint({
  ...common,
  path: '/v1/exact-settle',
  limits: { keyless: true, pays: true },
  summary: 'Settle a signed payment of a resource',
  auth: 'none',
  returns: Settled,
  answer: ({ body, flow, queries }) => settled({ flow, queries, actor: undefined }, body),
})

const facilitatorVerify = endpoint({
  ...common,
  path: '/v1/x402/verify',
  summary:
    'The facilitator of an x402 library checks a payment, on its chain too; with a key, of what is sold elsewhere',
  auth: 'offered',
  reach: 'store',
  returns: Verified,
  answer: ({ body, actor, flow, queries }) => verified({ flow, queries, actor }, body, 'chain'),
})

const facilitatorSettle = endpoint({
  ...common,
  path: '/v1/x402/settle',
  limits: { keyless: true, pays: true },
  summary: 'The facilitator of an x402 library settles a payment; with a key, of what is sold elsewhere, and then once',
  auth: 'offered',
  reach: 'store',
  callers: { capability: 'payment-links.create', crossOrigin: true },
  returns: Settled,
  answer: ({ body, actor, flow, queries }) => settled({ flow, queries, actor }, body),
})

const facilitatorSupported = endpoint({
  method: 'get',
  path: '/v1/x402/supported',
  summary: 'What the facilitator can settle, and who sends it to the chains',
  auth: 'offered',
  reach: 'store',
  callers: { sandbox: 'publishable', crossOrigin: true },
  limits: { keyless: true },
  waits: 'after',
  returns: z.object({
    kinds: z.array(z.object({ x402Version: z.int(), scheme: z.literal('exact'), network: z.string() })),
    extensions: z.array(z.string()),
    signers: z.record(z.string(), z.array(z.string())),
  }),
  async answer({ flow: { relayers, chains } }) {
    const served = [...relayers.keys()].flatMap((network) => chains.get(network)?.caip2 ?? [])
    const signers = [...new Set([...relayers.values()].map(({ address }) => address))]
    return supportedBody(served, { extensions: [], signers })
  },
})

type FacilitatorContext = {
  readonly flow: UseCaseContext
  readonly queries: Queries
  readonly actor: Actor | undefined
}

const verified = async ({ flow, queries, actor }: FacilitatorContext, posted: FacilitatorRequest, depth: Depth) => {
  const read = readPosted(posted)
  const { version, payer } = speakerOf(read)
  const said = (refusal: PaymentRefusal | undefined) =>
    verifyBody(version, { ...(payer !== undefined && { payer }), ...(refusal && { refusal }) })
  if (read.fault) return said(read.fault)
  try {
    const sale = await saleAt(flow, queries, actor, read)
    return said(sale ? await refusalOf(flow, sale, read, depth) : 'requirements')
  } catch (error) {
    if (error instanceof Refusal) return said('verify-error')
    throw error
  }
}

const settled = async ({ flow, queries, actor }: FacilitatorContext, posted: FacilitatorRequest) => {
  const read = readPosted(posted)
  const { version, network, payer } = speakerOf(read)
  const by = payer === undefined ? {} : { payer }
  const failed = (reason: PaymentRefusal, transaction?: string): Settlement => ({
    success: false,
    reason,
    ...by,
    ...(transaction !== undefined && { transaction }),
  })
  const settlement = read.fault ? failed(read.fault) : await settlementOf({ flow, queries, actor }, read, failed)
  return settleBody({ version, network }, settlement)
}

type ReadablePayment = Extract<PaymentReading, { fault?: undefined }>

const settlementOf = async (
  { flow, queries, actor }: FacilitatorContext,
  read: ReadablePayment,
  failed: (reason: PaymentRefusal, transaction?: string) => Settlement,
): Promise<Settlement> => {
  const { payment, requirements } = read
  try {
    const sale = await saleAt(flow, queries, actor, read)
    if (!sale) return failed('requirements')
    const outcome = await settleSigned(flow, sale, payment, { challenge: requirements.challengeId })
    if (outcome.status === 'pending') return failed('pending', outcome.transaction)
    if (outcome.status === 'refused') return failed(outcome.reason)
    // A seller elsewhere serves its buyer each time that it is told of success, so a payment succeeds once.
    if (sale.resId === null && (await flow.ledger.authorization.redeem(outcome.id, {})).events.length === 0)
      return failed('duplicate')
    return { success: true, transaction: outcome.transaction, payer: payment.authorization.from }
  } catch (error) {
    if (error instanceof OutcomeUnknown) return failed('pending')
    if (error instanceof Refusal) return failed('settle-error')
    throw error
  }
}

/** The version, the network and the payer that an answer repeats from the request. */
const speakerOf = (read: PaymentReading) =>
  read.fault
    ? read
    : { version: read.payment.version, network: read.payment.network, payer: read.payment.authorization.from }

export const exactEndpoints = [exactVerify, exactSettle, facilitatorVerify, facilitatorSettle, facilitatorSupported]

/** The check whether a signed payment would be taken, without taking it. */

/** What is checked besides the books: only the payment's signature (J-GAS-05), or its chain too. */
type Depth = 'signature' | 'chain'

/**
 * The reason why the payment would not be taken; undefined when it would be. Refuses `unavailable` when a rate is
 * missing, or the chain does not answer.
 */
const refusalOf = async (
  flow: UseCaseContext,
  sale: Sale,
  { payment, requirements }: { payment: SignedPayment; requirements: Requirements },
  depth: Depth,
): Promise<PaymentRefusal | undefined> => {
  const signed = signedOn(flow, payment)
  if (signed.fault) return signed.fault
  const { authorization, isOwnKey } = signed
  // Only its chain knows what a wallet that is a contract has signed.
  if (!isOwnKey && depth === 'signature') return 'signature'
  const challengeId = payment.accepted?.challengeId ?? requirements.challengeId
  const terms = await termsOfTaking(flow, sale, { authorization, challengeId, exactly: payment.version === 2 })
  if (terms.fault) return terms.fault
  const known = await takenFor(flow, sale, authorization)
  if (known) return known.refusal
  if (await isCapped(flow, sale, authorization)) return 'max-per-caller'
  return depth === 'chain' ? (await signedAndCovered(terms, authorization)).fault : undefined
}

/** Whether the payer has reached the cap; the answer that counts is given when the payment is taken. */
const isCapped = async (
  { ledger, world }: UseCaseContext,
  { resId, cap }: Sale,
  { from }: Authorization,
): Promise<boolean> =>
  resId !== null &&
  cap !== null &&
  isAtLimit(await ledger.caller.recent(callerId(resId, from)), cap, world.now().toISOString())

/** The outcome of a payment that was taken before; undefined for one that was not. */
const takenFor = async (
  flow: UseCaseContext,
  sale: Sale,
  authorization: Authorization,
): Promise<{ refusal: PaymentRefusal | undefined } | undefined> => {
  const taken = await takenBefore(flow, sale, authorization)
  if (!taken || taken.fault) return taken && { refusal: taken.fault }
  const { redeemed, status } = taken.authorization
  return { refusal: redeemed ? 'duplicate' : status === 'failed' ? 'reverted' : undefined }
}
