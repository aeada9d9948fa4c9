import { caip2Of, type Version, v1NameOf } from './networks.ts'
import { type PaymentRefusal, wordFor } from './reasons.ts'

/** The answers to a payer and to a facilitator's caller, in either version's shapes. */

/** The end of a payment, as it stands in the answers. */
export type Settlement =
  | { readonly success: true; readonly transaction: string; readonly payer: string }
  | { readonly success: false; readonly reason: PaymentRefusal; readonly transaction?: string; readonly payer?: string }

/** The version and the network's name that the payment used; an answer uses the same ones. */
type ProtocolDialect = { readonly version: Version; readonly network: string }

/**
 * The body of an answer to a settle call, which the payment response header carries too. In a failure without a
 * transaction that field is empty.
 */
export const settleBody = ({ version, network }: ProtocolDialect, settlement: Settlement) => ({
  success: settlement.success,
  ...(!settlement.success && { errorReason: wordFor(version, settlement.reason) }),
  transaction: settlement.transaction ?? '',
  network,
  ...(settlement.payer !== undefined && { payer: settlement.payer }),
})

/**
 * The header that tells a payer what became of the payment (W-GAS-01). It is not sent for an unknown outcome: clients
 * take its presence for an end.
 */
export const settlementHeader = (spoken: ProtocolDialect, settlement: Settlement): Readonly<Record<string, string>> => {
  const name = spoken.version === 1 ? 'X-PAYMENT-RESPONSE' : 'PAYMENT-RESPONSE'
  return { [name]: base64Json(settleBody(spoken, settlement)) }
}

/** The body of an answer to a verify call (J-GAS-05). */
export const verifyBody = (
  version: Version,
  { payer, refusal }: { readonly payer?: string; readonly refusal?: PaymentRefusal },
) => ({
  isValid: refusal === undefined,
  ...(refusal !== undefined && { invalidReason: wordFor(version, refusal) }),
  ...(payer !== undefined && { payer }),
})

/**
 * The kinds of payment that a facilitator can settle, each chain in both versions where version 1 can name it, and the
 * addresses that send the transactions.
 */
export const supportedBody = (
  chains: readonly string[],
  { extensions, signers }: { readonly extensions: readonly string[]; readonly signers: readonly string[] },
) => ({
  kinds: chains.flatMap((chain) => [
    ...[v1NameOf(chain) ?? []].flat().map((network) => kind(1, network)),
    ...[caip2Of(2, chain) ?? []].flat().map((network) => kind(2, network)),
  ]),
  extensions: [...extensions],
  signers: { 'eip155:*': [...signers] },
})

/** JSON as x402 headers carry it. */
export const base64Json = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')

const kind = (x402Version: Version, network: string) => ({ x402Version, scheme: 'exact' as const, network })
