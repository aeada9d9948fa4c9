import { z } from 'zod'
import { DEFAULT_STORE } from '../../../domain/kernel/in-store.ts'
import { isRefusal } from '../../../domain/kernel/refusal.ts'
import type { Payout } from '../../../domain/selling/payout.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { givePayoutDetails, payoutAt } from '../../../domain/use-cases/selling/challenges/payouts.ts'
import type { Queries } from '../../../projections/index.ts'
import { PAYOUT_DETAILS_MAX } from '../agent/selling/payout-info.ts'
import { endpoint, Reply } from '../core/endpoint.ts'
import { missingPage } from '../pages/store/missing.ts'
import { payoutPage } from '../pages/store/payout.ts'
import { faceOf } from './face.ts'

/** The link of a payout, for whoever is paid: they say where to, and see when it was made (J-PAY-02, N-38). */

const TYPED_MAX = 8_000

const common = {
  path: '/payout/:id',
  auth: 'none',
  limits: { keyless: true },
  page: 'always',
  ignores: 'query',
  params: z.object({ id: z.string().max(64) }),
  returns: z.string(),
  produces: 'text/html',
  waits: 'before',
} as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The page of a payout, for whoever is paid',
  async answer({ params: { id }, languages, ...request }) {
    const payout = await payoutAt(request.flow, id)
    return payout ? shown({ ...request, languages }, id, payout) : missingPage(languages, 'payout')
  },
})

const say = endpoint({
  ...common,
  method: 'post',
  summary: 'Whoever is paid says where to, once; leads back to the page of the payout',
  body: z.object({ details: z.string().max(TYPED_MAX).default('') }),
  otherwise: {
    303: { description: 'The page of the payout' },
    400: { description: 'The page again, with what is wrong' },
    409: { description: 'The page again: something else was said before, and stands' },
  },
  async answer({ params: { id }, body: { details: typed }, flow, queries, languages }) {
    const payout = await payoutAt(flow, id)
    if (payout === undefined) return missingPage(languages, 'payout')
    const details = typed.replaceAll('\r\n', '\n').trim()
    if (details === '' || details.length > PAYOUT_DETAILS_MAX)
      return shown({ flow, queries, languages }, id, payout, {
        status: 400,
        typed,
        wrong: details === '' ? 'Please say where you want to be paid.' : 'Please write less.',
      })
    try {
      await givePayoutDetails(flow, id, details)
    } catch (error) {
      const now = isRefusal(error, 'state-forbids') ? await payoutAt(flow, id) : undefined
      if (now === undefined) throw error
      // Whoever was second must not wait for money that goes where the first one said.
      return shown({ flow, queries, languages }, id, now, {
        status: 409,
        typed,
        wrong: 'What you have sent now was not taken.',
      })
    }
    return new Reply(303, '', { Location: `/payout/${id}`, 'Cache-Control': 'no-store' })
  },
})

type RefusedDetails = { readonly status: number; readonly typed: string; readonly wrong: string }

const shown = async (
  { flow, queries, languages }: { flow: UseCaseContext; queries: Queries; languages: string },
  id: string,
  { accountId, storeId = DEFAULT_STORE, asset, status, givenAt, completedAt }: Payout,
  { status: code, ...refused }: Partial<RefusedDetails> = {},
): Promise<Reply> => {
  const { face } = await faceOf(flow, queries, { accountId, storeId }, languages)
  const of = { face, asset, isOpen: status === 'requested', givenAt, completedAt, detailsMax: PAYOUT_DETAILS_MAX }
  return payoutPage({ ...of, action: `/payout/${id}`, ...refused }, code)
}

export const payoutPageEndpoints = [look, say]
