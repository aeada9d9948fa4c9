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
  /** Nobody begins another payment after so long; without it, everybody makes all. */
  readonly seconds?: number
}

export type Called = {
  /** Answered 200 while time was, and after it. */
  readonly paid: number
  readonly late: number
  /** What else was answered, how often. */
  readonly others: Readonly<Record<string, number>>
  /** Of the payments that were answered 200. */
  readonly nonces: readonly string[]
  /** Until the time was up, or everybody was answered. */
  readonly seconds: number
  readonly p50: number
  readonly p99: number
}

const ANSWER_MS = 120_000
/** Before a payment that is on its way is asked about again. */
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

const call = async (asked: Calling): Promise<Called> => {
  const { origin, pathname } = new URL(asked.url)
  const pool = new Pool(origin, { connections: asked.callers, headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS })
  const signed = sign(asked)
  const others: Record<string, number> = {}
  const taken: { nonce: string; at: number; ms: number }[] = []
  const began = performance.now()
  const isOver = () => asked.seconds !== undefined && performance.now() - began >= asked.seconds * 1_000

  const get = async (header: string): Promise<number> => {
    const { statusCode, body } = await pool.request({
      ...{ method: 'GET', path: pathname, headers: { 'payment-signature': header } },
    })
    await body.dump()
    if (statusCode !== 200) others[statusCode] = (others[statusCode] ?? 0) + 1
    return statusCode
  }
  const pay = async ({ nonce, header }: Payment) => {
    const from = performance.now()
    let status = await get(header)
    while (status === 202) {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
      status = await get(header)
    }
    const at = performance.now()
    if (status === 200) taken.push({ nonce, at, ms: at - from })
  }
  await Promise.all(
    signed.map(async (payments) => {
      for (const payment of payments) if (!isOver()) await pay(payment)
    }),
  )
  const seconds = asked.seconds ?? (performance.now() - began) / 1_000
  await pool.close()
  const paid = taken.filter(({ at }) => at - began <= seconds * 1_000).length
  const times = taken.map(({ ms }) => ms).sort((a, b) => a - b)
  const share = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN
  const nonces = taken.map(({ nonce }) => nonce)
  return { paid, late: taken.length - paid, others, nonces, seconds, p50: share(0.5), p99: share(0.99) }
}

await answering<Calling>(call)
