import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import { AUTHORIZATION_SECONDS } from '../../x402/envelope.ts'
import { type Requirements, readRequirements } from '../../x402/requirements.ts'
import { base64Json } from '../../x402/responses.ts'
import { tokenDomainOf } from '../../x402/tokens.ts'

/** A small x402 client of version 1, which the sandbox and the demo buy with. */

/** Milliseconds for one question. */
const ASK_MS = 20_000
/** Milliseconds until a payment that is still under way is sent again, and how often that is done. */
const AGAIN_MS = 1_000
const SENT_MAX = 20

export type SandboxPurchase = {
  /** The requirements that were signed for. */
  readonly entry: Requirements
  /** The header that was sent. */
  readonly payment: string
  readonly status: number
  readonly body: string
  /** The outcome of the payment; undefined while nobody knows. */
  readonly settlement: Settlement | undefined
}

type Settlement = z.infer<typeof Settlement>
const Settlement = z.looseObject({ success: z.boolean(), transaction: z.string(), errorReason: z.string().optional() })

/**
 * Asks for a URL, signs what its 402 wants on the chain (CAIP-2), and sends it until the outcome is known. Throws when
 * it asks for no signature there.
 */
export const buySigned = async (url: string, caip2: string, privateKey: Hex): Promise<SandboxPurchase> => {
  const asked = await ask(url)
  const entry = asked.status === 402 ? entryOf(await asked.json().catch(() => undefined), caip2) : undefined
  if (!entry) throw new Error(`${url} answered ${asked.status} and asks for no signature on ${caip2}`)
  const { scheme, network } = entry
  const payment = base64Json({
    x402Version: 1,
    scheme,
    network,
    payload: await signedPayload(entry, caip2, privateKey),
  })
  for (let sent = 1; ; sent++) {
    const answer = await ask(url, { 'x-payment': payment })
    const body = await answer.text()
    if (answer.status !== 202 || sent === SENT_MAX)
      return { entry, payment, status: answer.status, body, settlement: settlementOf(answer) }
    await pause(AGAIN_MS)
  }
}

const ask = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    headers: { accept: 'application/json', ...headers },
    redirect: 'error',
    signal: AbortSignal.timeout(ASK_MS),
  })

const entryOf = (body: unknown, caip2: string): Requirements | undefined => {
  const { data } = z.object({ paymentRequirements: z.array(z.unknown()) }).safeParse(body)
  return data?.paymentRequirements
    .flatMap((each) => readRequirements(1, each) ?? [])
    .find((each) => each.caip2 === caip2 && tokenDomainOf(caip2, each.asset))
}

/**
 * The `payload` of a payment of either version: a signed permission to move exactly that amount to the payee, valid for
 * some minutes.
 */
export const signedPayload = async ({ asset, amount, payTo }: Requirements, caip2: string, privateKey: Hex) => {
  const payer = privateKeyToAccount(privateKey)
  const domain = tokenDomainOf(caip2, asset)
  const validBefore = Math.floor(Date.now() / 1_000) + AUTHORIZATION_SECONDS
  const nonce: Hex = `0x${randomBytes(32).toString('hex')}`
  const signature = await payer.signTypedData({
    domain: { ...domain, verifyingContract: asset as Hex },
    types: { TransferWithAuthorization: FIELDS },
    primaryType: 'TransferWithAuthorization',
    message: {
      from: payer.address,
      to: payTo as Hex,
      value: BigInt(amount),
      nonce,
      validAfter: 0n,
      validBefore: BigInt(validBefore),
    },
  })
  const authorization = {
    from: payer.address,
    to: payTo,
    value: amount,
    validAfter: '0',
    validBefore: String(validBefore),
    nonce,
  }
  return { signature, authorization }
}

const settlementOf = ({ headers }: Response): Settlement | undefined => {
  const header = headers.get('x-payment-response')
  return header === null ? undefined : Settlement.parse(JSON.parse(Buffer.from(header, 'base64').toString()))
}

/** The fields that are signed (EIP-3009). */
const FIELDS = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const
