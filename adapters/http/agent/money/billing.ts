import { z } from 'zod'
import { LANDER_PACKS_MAX } from '../../../../domain/money/billing.ts'
import { slotsTaken } from '../../../../domain/storefront/landers.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { endpoint } from '../../core/endpoint.ts'
import { fiatNumber } from '../common/amounts.ts'

/** Prepaid credit, and what it buys besides fees (J-BIL-01 to J-BIL-04, N-39). */

const Balances = z.object({ credit_balance: z.number(), native_points: z.int(), lander_slots: z.int() }).meta({
  id: 'Balances',
  description: 'Credit in US dollars, points that sales have earned, lander slots that are free.',
})

const balances = endpoint({
  method: 'get',
  path: '/v1/billing',
  summary: 'Credit, points and free lander slots',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'billing.view' },
  returns: Balances,
  async answer({ actor, flow, queries }) {
    return shown(flow, await queries.billing(actor.accountId))
  },
})

const buy = endpoint({
  method: 'post',
  path: '/v1/billing',
  summary: 'Buy lander packs, or turn points into credit',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'billing.spend' },
  idempotent: true,
  body: z.discriminatedUnion('action', [
    z.object({ action: z.literal('buy-lander-pack'), qty: z.int().min(1).max(LANDER_PACKS_MAX).default(1) }),
    z.object({ action: z.literal('redeem-points'), amount: z.int().min(1) }),
  ]),
  returns: Balances,
  refusals: ['insufficient-credit'],
  async answer({ body, actor: { accountId }, flow, once }) {
    const { creditAccount } = flow.ledger
    const purchaseId = once.id('bp')
    const purchase = { purchaseId, ...once.mark }
    const state = await once.make(
      async () => {
        const known = await creditAccount.read(accountId)
        const made = known.purchases.find(({ id }) => id === purchaseId)
        return made ? { ...known, ...made, status: 'made' } : { status: 'none' }
      },
      async () =>
        body.action === 'buy-lander-pack'
          ? (await creditAccount.buyLanderPack(accountId, { ...purchase, qty: body.qty })).state
          : (await creditAccount.redeemPoints(accountId, { ...purchase, points: body.amount })).state,
    )
    const landers = slotsTaken(await flow.ledger.landers.read(accountId))
    return shown(flow, { ...state, credit: state.balance, landers })
  },
})

type BillingFigures = { credit: bigint | string; points: number; landerSlots: number; landers: number }

/**
 * A slot that a lander has taken is no longer free. When the setting was lowered, there may be fewer slots than landers
 * (S-LAN-02).
 */
const shown = ({ landerFreeSlots }: UseCaseContext, { credit, points, landerSlots, landers }: BillingFigures) => ({
  credit_balance: fiatNumber(credit),
  native_points: points,
  lander_slots: Math.max(0, landerFreeSlots + landerSlots - landers),
})

export const billingEndpoints = [balances, buy]
