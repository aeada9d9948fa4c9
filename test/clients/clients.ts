/** The payment clients that buyers run, each set up as its README says. None of them knows anything of Daybook. */

import { wrapAxiosWithPaymentFromConfig } from '@x402/axios'
import { decodePaymentResponseHeader } from '@x402/core/http'
import { ExactEvmScheme, registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment as wrapFetch, wrapFetchWithPaymentFromConfig, x402Client } from '@x402/fetch'
import axios, { type AxiosInstance } from 'axios'
import type { privateKeyToAccount } from 'viem/accounts'
import { withPaymentInterceptor } from 'x402-axios'
import { decodeXPaymentResponse, wrapFetchWithPayment } from 'x402-fetch'

type Paid = {
  status: number
  headers: Record<string, string>
  body: unknown
  /** What the client's own reader makes of the payment response header. */
  settlement?: unknown
}

type Account = ReturnType<typeof privateKeyToAccount>
type Client = (account: Account) => (url: string) => Promise<Paid>

/** By name; those of version 1 first. */
export const clients: Readonly<Record<string, Client>> = {
  'x402-fetch': (account) => viaFetch(wrapFetchWithPayment(fetch, account, MAX_VALUE)),
  'x402-axios': (account) => viaAxios(withPaymentInterceptor(axios.create() as never, account) as AxiosInstance),
  '@x402/fetch': (account) => viaFetch(wrapFetchWithPaymentFromConfig(fetch, { schemes: [schemeOf(account)] })),
  '@x402/fetch for both versions': (account) =>
    viaFetch(wrapFetch(fetch, registerExactEvmScheme(new x402Client(), { signer: account }))),
  '@x402/axios': (account) =>
    viaAxios(
      wrapAxiosWithPaymentFromConfig(axios.create() as never, { schemes: [schemeOf(account)] as never }) as never,
    ),
}

/** Clients pay no more than ten cents unless they are told to. */
const MAX_VALUE = 10_000_000n

const schemeOf = (account: Account) => ({ network: 'eip155:*' as const, client: new ExactEvmScheme(account) })

const viaFetch = (pay: typeof fetch) => async (url: string) => {
  const response = await pay(url)
  const text = await response.text()
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: jsonOf(text), settlement: settlementOf(headers) }
}

const viaAxios = (pay: AxiosInstance) => async (url: string) => {
  const { status, headers, data } = await pay.get(url)
  const plain = { ...headers } as Record<string, string>
  return { status, headers: plain, body: data, settlement: settlementOf(plain) }
}

const settlementOf = (headers: Record<string, string>): unknown => {
  const [v1, v2] = [headers['x-payment-response'], headers['payment-response']]
  if (v1 !== undefined) return decodeXPaymentResponse(v1)
  return v2 === undefined ? undefined : decodePaymentResponseHeader(v2)
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
