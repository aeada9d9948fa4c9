import { z } from 'zod'
import { mulDivFloor, RATE_DECIMALS, toDecimal } from '../../../../domain/kernel/money.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { gaslessOffers, whyNotGasless } from '../../../../domain/use-cases/selling/challenges/gasless-offers.ts'
import { offersFor } from '../../../../domain/use-cases/selling/challenges/offers.ts'
import { saleOf } from '../../../../domain/use-cases/selling/challenges/sales.ts'
import { endpoint } from '../../core/endpoint.ts'
import { fiatNumber } from '../common/amounts.ts'

/** The relayer that would carry out a signed payment of a resource, and whether it would do so now (J-GAS-08, N-43). */

/** Decimals of the coins that EVM networks have for gas. */
const GAS_COIN_DECIMALS = 18

const Shown = z
  .object({
    res_id: z.string(),
    configured: z.boolean(),
    active: z.boolean(),
    funding: z.literal('platform'),
    funded_address: z.string().nullable(),
    balance: z.string().nullable(),
    network: z.string().nullable(),
    pay_to: z.string().nullable(),
    max_gas_fee: z.number().nullable(),
    reason: z.string().nullable(),
  })
  .meta({
    id: 'Relayer',
    description:
      'The platform pays the gas from `funded_address`, which has `balance` coins for it (null while nobody knows). `configured`: a coin of this resource can be paid by a signature; `active`: it is offered right now. `max_gas_fee`: US dollars that the seller is billed for gas at most, of a challenge that is opened now. `reason`: why it is not active; null while it is.',
  })

const relayer = endpoint({
  method: 'get',
  path: '/relayer/:id',
  summary: 'The relayer of a resource: who pays the gas of signed payments, and whether they are taken now',
  auth: 'none',
  callers: { crossOrigin: true },
  limits: { keyless: true },
  waits: 'never',
  params: z.object({ id: z.string() }),
  returns: Shown,
  refusals: ['resource-not-found'],
  async answer({ params, flow, queries }) {
    const { resId, test } = (await queries.resource(params.id)) ?? refuse('resource-not-found')
    const found = await relayerOf(flow, resId)
    const { relayer: by, offer, payTo = null, reason = NONE } = found ?? {}
    const balance = by?.balance()
    return {
      res_id: resId,
      configured: by !== undefined,
      active: offer !== undefined,
      funding: 'platform' as const,
      funded_address: by?.address ?? null,
      balance: balance === undefined ? null : toDecimal(balance, GAS_COIN_DECIMALS),
      network: by?.network ?? null,
      pay_to: payTo,
      max_gas_fee: offer ? fiatNumber(offer.gasFeeMax) : null,
      reason: test ? TEST : offer ? null : reason,
    }
  },
})

/**
 * The relayer for the first coin that is offered, else for the first that could be; undefined when none could, as with
 * a test.
 */
const relayerOf = async (flow: UseCaseContext, resId: string) => {
  const sale = await saleOf(flow, resId)
  if (!sale) return undefined
  const { price, offers } = await offersFor(flow, sale)
  const usd = String(mulDivFloor(price.amount, price.fiatRate, 10n ** BigInt(RATE_DECIMALS)))
  const offered = await gaslessOffers(flow, { accountId: sale.accountId, usd, test: false })
  const able = offers.flatMap(({ asset, addresses: [payTo = null] }) => {
    const one = flow.relayers.get(asset.network)
    if (!one || one.tokens.get(asset.code)?.contract !== asset.contract) return []
    const { code, network, contract } = asset
    const offer = offered({ asset: code, network, ...(contract !== undefined && { contract }) })
    return [{ relayer: one, offer, payTo, asset }]
  })
  const offering = able.find(({ offer }) => offer !== undefined)
  const [first] = able
  if (offering) return { ...offering, reason: undefined }
  if (!first) return undefined
  const { code, network, contract } = first.asset
  const coin = { asset: code, network, ...(contract !== undefined && { contract }) }
  return { ...first, reason: await whyNotGasless(flow, { accountId: sale.accountId, usd }, coin) }
}

const NONE = 'No coin of this resource can be paid by a signature here.'
const TEST = 'Nobody is asked to sign for a test: its payment is played by POST /v1/simulate-payment.'

export const relayerEndpoints = [relayer]
