import { z } from 'zod'
import { toDecimal } from '../../../domain/kernel/money.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import type { Once } from '../../../domain/use-cases/once.ts'
import { openChallenge } from '../../../domain/use-cases/selling/challenges/open-challenge.ts'
import { simulateLatePayment, simulatePayment } from '../../../domain/use-cases/selling/challenges/simulate-payment.ts'
import { NewResource } from '../agent/common/resource-shape.ts'
import { makeResource } from '../agent/selling/own-resources.ts'
import { type FollowedChallenge, followedChallenge, type PaymentProgress, progressOf } from '../buyer/progress.ts'
import { endpoint, type Reply } from '../core/endpoint.ts'
import { validInput } from '../core/valid.ts'
import { testSalePage } from '../pages/dashboard/test-sale.ts'
import { seeOther } from '../pages/people-page.ts'
import { coinOf } from '../pages/plain-words.ts'
import { faultsOf } from './form-faults.ts'
import { csrf, type MemberRequest, ofMembers } from './of-dashboard.ts'

/** A test sale before its seller, who plays the payment by a button: the same as `POST /v1/simulate-payment`. */

export const TEST_SALE = '/dashboard/test-sale'
const common = { ...ofMembers, path: TEST_SALE, callers: { capability: 'resources.edit' } } as const
const challenge = z.string().max(100)

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'A test sale of the account, with the buttons that play its payment',
  query: z.object({ challenge: challenge.default('') }),
  async answer({ query, ...request }) {
    if (query.challenge === '') return seeOther('/dashboard/first-steps')
    return await show(request, await ownTestSale(request, query.challenge))
  },
})

const payExactly = endpoint({
  ...common,
  method: 'post',
  when: { act: 'pay-exactly' },
  summary: 'Plays that a test sale was paid: all of it, or the rest after a part',
  body: z.object({ csrf, challenge }),
  answer: ({ body, ...request }) => play(request, body.challenge, (units) => units),
})

const payHalf = endpoint({
  ...common,
  method: 'post',
  when: { act: 'pay-half' },
  summary: 'Plays that half of what is still to be paid has come',
  body: z.object({ csrf, challenge }),
  answer: ({ body, ...request }) => play(request, body.challenge, (units) => units / 2n),
})

const payLate = endpoint({
  ...common,
  method: 'post',
  when: { act: 'pay-late' },
  summary: 'Plays that the time to pay of a test sale ended, and that its payment came afterwards',
  body: z.object({ csrf, challenge }),
  async answer({ body: { challenge: challengeId }, ...request }) {
    const known = await ownTestSale(request, challengeId)
    try {
      await simulateLatePayment(request.flow, challengeId)
    } catch (error) {
      return await show(request, known, faultsOf(error, [], 'sale').sale)
    }
    return seeOther(`${TEST_SALE}?challenge=${challengeId}`)
  },
})

export const testSaleEndpoints = [look, payExactly, payHalf, payLate]

/** What a test sale asks for where nothing has a price. */
export const TEST_TERMS = { amount: 10, currency: 'USD' }

type TestTerms = {
  readonly amount: number
  readonly currency: string
  readonly title?: string
  /** The only coin that it may be paid in. */
  readonly asset?: string | null | undefined
}

/** Opens a test sale, and leads to its page. Refuses as the making of a resource does. */
export const openTestSale = async (
  { flow, actor, once }: Pick<MemberRequest, 'flow' | 'actor'> & { readonly once: Once },
  { asset, ...terms }: TestTerms,
): Promise<Reply> => {
  const body = validInput(NewResource, { ...terms, test: true, ...(asset && { accepted_assets: [asset] }) })
  const { res_id } = await makeResource({ body, actor: actor.actor, flow, once })
  const { setId, entries } = await openChallenge(flow, res_id, { anonymous: false })
  return seeOther(`${TEST_SALE}?challenge=${setId}.${entries[0]?.asset ?? ''}`)
}

/** The test sale of this account. Refuses `challenge-not-found`, also for one of another account and for a live one. */
const ownTestSale = async ({ flow, actor }: MemberRequest, challengeId: string): Promise<FollowedChallenge> => {
  const known = await followedChallenge(flow, challengeId)
  return known?.set.test && known.set.accountId === actor.accountId ? known : refuse('challenge-not-found')
}

const play = async (request: MemberRequest, challengeId: string, partOf: (units: bigint) => bigint): Promise<Reply> => {
  const { flow } = request
  const known = await ownTestSale(request, challengeId)
  const progress = await progressOf(flow, known)
  const missing = progress.state === 'underpaid' ? progress.missing : BigInt(known.entry.amount)
  const amount = toDecimal(partOf(missing), coinOf(known.entry).decimals)
  // The rest after a half has the same amount, and is another payment.
  const payment = progress.state === 'underpaid' ? `part ${progress.parts + 1}` : undefined
  try {
    await simulatePayment(flow, challengeId, { confirmations: known.entry.confirmations, amount, payment })
  } catch (error) {
    return await show(request, known, faultsOf(error, [], 'sale').sale)
  }
  return seeOther(`${TEST_SALE}?challenge=${challengeId}`)
}

const show = async ({ flow, actor }: MemberRequest, known: FollowedChallenge, fault?: string): Promise<Reply> => {
  const { set, entry, challengeId } = known
  const progress = await progressOf(flow, known)
  return testSalePage({
    member: actor,
    challengeId,
    price: { units: BigInt(set.amount), currency: set.currency },
    coin: coinOf(entry),
    units: BigInt(entry.amount),
    missing: progress.state === 'underpaid' ? progress.missing : undefined,
    state: set.late?.[entry.asset] !== undefined && progress.state !== 'settled' ? 'late' : stateOf(progress),
    buyerAt: set.resId === null ? undefined : `/r/${set.resId}?challenge=${challengeId}`,
    fault,
  })
}

const stateOf = (progress: PaymentProgress) =>
  progress.state === 'underpaid' && progress.isOver ? 'expired' : progress.state
