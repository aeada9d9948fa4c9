import { z } from 'zod'
import { FiatAmount, fiatUnits } from '../agent/common/amounts.ts'
import { openTopUp, TOP_UP_MIN } from '../agent/money/top-up.ts'
import { endpoint } from '../core/endpoint.ts'
import { topUpPage } from '../pages/dashboard/top-up.ts'
import { faultsOf } from './form-faults.ts'
import { csrf, ofMembers } from './of-dashboard.ts'

/** Buying credit: the same as `POST /v1/top-up`. */

const common = { ...ofMembers, path: '/dashboard/top-up', callers: { capability: 'billing.spend' } } as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The form in which credit is bought',
  answer: async ({ actor }) => topUpPage({ member: actor }),
})

const Amount = FiatAmount.min(TOP_UP_MIN)

const buy = endpoint({
  ...common,
  method: 'post',
  summary: 'Asks for credit, and says where it is paid',
  body: z.object({ csrf, amount: z.string().max(20) }),
  refusals: ['unavailable'],
  async answer({ body: { amount }, actor, flow, once }) {
    const given = Amount.safeParse(/^\d+(\.\d+)?$/.test(amount) ? Number(amount) : undefined)
    if (!given.success) return topUpPage({ member: actor, amount, fault: AMOUNT_FAULT })
    const units = fiatUnits(given.data)
    try {
      return topUpPage({ member: actor, ready: { url: await openTopUp(flow, once, actor.accountId, units), units } })
    } catch (error) {
      return topUpPage({ member: actor, amount, fault: faultsOf(error, [], 'amount').amount })
    }
  },
})

const AMOUNT_FAULT = `Write at least ${TOP_UP_MIN}, as a plain number with at most 6 digits after the point.`

export const topUpScreenEndpoints = [look, buy]
