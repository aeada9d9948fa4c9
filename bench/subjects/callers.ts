/** Callers who pay for what they GET, each of them again and again, with payments that they signed before. */
import { Pool } from 'undici'
import { answering } from '../answering.ts'
import { payer, signedPayment, type Wanted } from '../signed-payments.ts'

export type Calling = {
  readonly url: string
  readonly wanted: Wanted
  readonly callers: number
  /** Payments that each caller makes at most. */
  readonly each: number
  /**
   * Answers count during `seconds` after the first `uncounted` seconds, and nobody begins another payment after that.
   * Without `seconds` every caller makes all payments.
   */
  readonly seconds?: number
  readonly uncounted?: number
  /**
   * URL of a chain: the callers begin right after one of its blocks, so that all rounds end between two blocks or none
   * does.
   */
  readonly afterBlockOf?: string
}

export type Called = {
  /** Payments that were answered 200 in the time that counts. */
  readonly paid: number
  /** The number of other answers, by status. */
  readonly others: Readonly<Record<string, number>>
  /** Nonces of the payments that were answered 200. */
  readonly nonces: readonly string[]
  /** The seconds that count; without a limit those until everybody was answered. */
  readonly seconds: number
  readonly p50: number
  readonly p99: number
}

const ANSWER_MS = 120_000
const LOOK_MS = 10
/** Milliseconds before a payment that is on its way is asked about again. */
const AGAIN_MS = 500

type Payment = { readonly nonce: string; readonly header: string }

const sign = ({ callers, each, wanted, url }: Calling): Payment[][] =>
  Array.from({ length: callers }, (_, n) => {
    const by = payer(n)
    return Array.from({ length: each }, () => {
      const payment = signedPayment(by, wanted, url)
      const header = Buffer.from(JSON.stringify(payment)).toString('base64')
      return { nonce: payment.payload.authorization.nonce, header }
    })
  })

const nextBlock = async (chain: string): Promise<void> => {
  const height = async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
    const response = await fetch(chain, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return ((await response.json()) as { result: string }).result
  }
  const before = await height()
  while ((await height()) === before) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
}

const call = async (asked: Calling): Promise<Called> => {
  const { origin, pathname } = new URL(asked.url)
  const pool = new Pool(origin, { connections: asked.callers, headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS })
  const signed = sign(asked)
  if (asked.afterBlockOf !== undefined) await nextBlock(asked.afterBlockOf)
  const others: Record<string, number> = {}
  const taken: { nonce: string; at: number; ms: number }[] = []
  const began = performance.now()
  const from = began + 1_000 * (asked.uncounted ?? 0)
  const until = from + 1_000 * (asked.seconds ?? Number.POSITIVE_INFINITY)

  const get = async (header: string): Promise<number> => {
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path: pathname,
      headers: { 'payment-signature': header },
    })
    await body.dump()
    if (statusCode !== 200) others[statusCode] = (others[statusCode] ?? 0) + 1
    return statusCode
  }
  const pay = async ({ nonce, header }: Payment) => {
    const asked = performance.now()
    let status = await get(header)
    while (status === 202) {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
      status = await get(header)
    }
    const at = performance.now()
    if (status === 200) taken.push({ nonce, at, ms: at - asked })
  }
  await Promise.all(
    signed.map(async (payments) => {
      for (const payment of payments) if (performance.now() < until) await pay(payment)
    }),
  )
  const seconds = asked.seconds ?? (performance.now() - began) / 1_000
  await pool.close()
  const paid = taken.filter(({ at }) => at >= from && at < until).length
  const times = taken.map(({ ms }) => ms).sort((a, b) => a - b)
  const share = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN
  const nonces = taken.map(({ nonce }) => nonce)
  return { paid, others, nonces, seconds, p50: share(0.5), p99: share(0.99) }
}

await answering<Calling>(call)
