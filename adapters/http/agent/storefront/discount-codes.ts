import { z } from 'zod'
import { FIAT_DECIMALS, toDecimal } from '../../../../domain/kernel/money.ts'
import { deletedOr } from '../../../../domain/kernel/refusal.ts'
import {
  DISCOUNT_CODE_MAX,
  DISCOUNT_CODES_MAX,
  type DiscountCode,
  type Discounts,
  listedCodes,
} from '../../../../domain/storefront/discounts.ts'
import { endpoint } from '../../core/endpoint.ts'
import { FiatAmount, fiatUnits } from '../common/amounts.ts'

/** Discount codes, which hold in every store of the account (S-DSC-01 to S-DSC-04, Q-36). */

const Code = z.string().min(1).max(DISCOUNT_CODE_MAX)
const fields = { code: Code, multiplier: FiatAmount.max(1) }

const NewCode = z.strictObject(fields)

const Shown = z
  .object({ code: z.string(), multiplier: z.number() })
  .meta({ id: 'DiscountCode', description: 'A price is multiplied by `multiplier`: 0.8 is 20 % off.' })

const list = { discount_codes: z.array(Shown) }

const listCodes = endpoint({
  method: 'get',
  path: '/v1/discount-codes',
  summary: 'The discount codes',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'checkouts.view', sandbox: 'secret' },
  returns: z.object(list),
  async answer({ actor, flow }) {
    return shownList(await flow.ledger.discounts.read(actor.accountId))
  },
})

const addCode = endpoint({
  method: 'post',
  path: '/v1/discount-codes',
  summary: 'Take a discount code; one that is taken already gets the new multiplier',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'discounts.edit' },
  body: NewCode,
  returns: z.object({ ...list, added: Shown }),
  refusals: ['too-many-entries'],
  async answer({ body, actor, flow }) {
    const { state } = await flow.ledger.discounts.add(actor.accountId, kept(body))
    return { ...shownList(state), added: body }
  },
})

const replaceCodes = endpoint({
  method: 'put',
  path: '/v1/discount-codes',
  summary: 'Replace all discount codes by these; `replaced` says how many they are',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'discounts.edit' },
  body: z.array(NewCode).max(DISCOUNT_CODES_MAX),
  returns: z.object({ ...list, replaced: z.int() }),
  async answer({ body, actor, flow }) {
    const { state } = await flow.ledger.discounts.replace(actor.accountId, { codes: body.map(kept) })
    return { ...shownList(state), replaced: body.length }
  },
})

const removeCode = endpoint({
  method: 'delete',
  path: '/v1/discount-codes',
  summary: 'Take a discount code no more; `removed` says how many went',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'discounts.edit' },
  query: z.object({ code: Code }),
  returns: z.object({ removed: z.int(), ...list }),
  refusals: ['not-found'],
  async answer({ query: { code }, actor, flow }) {
    const { state, events } = deletedOr(
      await flow.ledger.discounts.remove(actor.accountId, { code }),
      'not-found',
      'There is no discount code of this name. Look for it in GET /v1/discount-codes.',
    )
    return { removed: events.length, ...shownList(state) }
  },
})

const kept = ({ code, multiplier }: z.output<typeof NewCode>): DiscountCode => ({
  code,
  multiplier: toDecimal(fiatUnits(multiplier), FIAT_DECIMALS),
})

const shownList = (state: Discounts) => ({
  discount_codes: listedCodes(state).map(({ code, multiplier }) => ({ code, multiplier: Number(multiplier) })),
})

export const discountCodeEndpoints = [listCodes, addCode, replaceCodes, removeCode]
