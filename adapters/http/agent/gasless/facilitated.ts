import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Sale } from '../../../../domain/use-cases/selling/challenges/keep-challenge.ts'
import { saleElsewhere, saleOf } from '../../../../domain/use-cases/selling/challenges/sales.ts'
import type { Queries } from '../../../../projections/index.ts'
import { readPayment, type SignedPayment } from '../../../x402/header.ts'
import { differenceFrom } from '../../../x402/judge.ts'
import type { Version } from '../../../x402/networks.ts'
import type { PaymentRefusal } from '../../../x402/reasons.ts'
import { type Requirements, readRequirements } from '../../../x402/requirements.ts'
import type { Actor } from '../../core/endpoint.ts'
import { storeOf } from '../../core/stores.ts'
import { signedOn } from './signed.ts'

/** What a facilitator is asked about: a payment, and what it is said to be for (J-GAS-05, J-GAS-06). */

/** A request as x402's own clients post it. */
export type FacilitatorRequest = {
  readonly x402Version: number
  readonly paymentPayload: object
  readonly paymentRequirements: object
}

export type PaymentReading =
  | { readonly fault: PaymentRefusal; readonly version: Version; readonly network: string; readonly payer?: string }
  | { readonly fault?: undefined; readonly payment: SignedPayment; readonly requirements: Requirements }

/** Reads what was posted, and checks that the payment and its requirements agree. */
export const readPosted = ({
  x402Version,
  paymentPayload,
  paymentRequirements,
}: FacilitatorRequest): PaymentReading => {
  const read = readPayment(paymentPayload)
  const network = networkIn(paymentPayload, paymentRequirements)
  if (read.kind === 'malformed') return { fault: 'malformed', version: x402Version === 1 ? 1 : 2, network }
  if (read.kind === 'unacceptable') return { fault: read.reason, version: read.version, network }
  const { payment } = read
  const { version } = payment
  const who = { version, network: payment.network, payer: payment.authorization.from }
  if (version !== x402Version) return { fault: 'version', ...who }
  const requirements = readRequirements(version, paymentRequirements)
  if (!requirements) return { fault: 'requirements', ...who }
  const fault = differenceFrom(requirements, payment)
  return fault ? { fault, ...who } : { payment, requirements }
}

/**
 * What is sold at the URL that the requirements name, by this service's own books: a resource, or with a key what its
 * seller sells elsewhere for the posted amount. Undefined when nothing is: the posted price and address alone prove
 * nothing (J-GAS-07).
 */
export const saleAt = async (
  flow: UseCaseContext,
  queries: Queries,
  actor: Actor | undefined,
  { payment, requirements }: { payment: SignedPayment; requirements: Requirements },
): Promise<Sale | undefined> => {
  const place = placeOf(flow.origins, requirements.resourceUrl ?? payment.resourceUrl)
  if (place.at === 'elsewhere') {
    const signed = signedOn(flow, payment)
    if (!actor || signed.fault) return undefined
    const seller = { accountId: actor.accountId, storeId: await storeOf(flow, actor, undefined) }
    return saleElsewhere(flow, seller, signed.authorization.asset, requirements.amount)
  }
  const row =
    place.at === 'door' ? await queries.resource(place.id) : place.at && (await queries.resourceByCheckout(place.id))
  return row && saleOf(flow, row.resId)
}

type Place =
  | { readonly at: 'door' | 'checkout'; readonly id: string }
  | { readonly at: 'elsewhere' }
  | { readonly at: undefined; readonly id?: undefined }

/** On our own hosts only the two doors sell. */
const placeOf = ({ base, pay }: UseCaseContext['origins'], url: string | undefined): Place => {
  const asked = url !== undefined && URL.canParse(url) ? new URL(url) : undefined
  if (!asked || (asked.origin !== base && asked.origin !== pay)) return { at: 'elsewhere' }
  const [, path, id] = /^\/(r|checkout)\/([a-z0-9_]{1,64})$/.exec(asked.pathname) ?? []
  if (path === undefined || id === undefined) return { at: undefined }
  return { at: path === 'r' ? 'door' : 'checkout', id }
}

/** Characters of a posted network's name that an answer repeats. */
const NETWORK_SHOWN_MAX = 64

/** The network's name as it was posted, for the answer about a payment that cannot be read. */
const networkIn = (payload: { network?: unknown; accepted?: unknown }, requirements: { network?: unknown }): string => {
  const { network } = (payload.accepted ?? {}) as { network?: unknown }
  const said = [payload.network, network, requirements.network].find((each) => typeof each === 'string')
  return String(said ?? '').slice(0, NETWORK_SHOWN_MAX)
}
