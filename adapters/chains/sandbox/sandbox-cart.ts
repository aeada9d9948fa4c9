import { setTimeout as pause } from 'node:timers/promises'
import type { Hex } from 'viem'
import { z } from 'zod'
import { HANDLERS } from '../../http/agent/commerce/ucp.ts'
import { readRequirements } from '../../x402/requirements.ts'
import { tokenDomainOf } from '../../x402/tokens.ts'
import { signedPayload } from './sandbox-buyer.ts'

/**
 * A small buyer's program: it pays a checkout session that somebody has filled, by a signature (C-SES-06, C-SES-13).
 */

/** Milliseconds for one question: a signed payment is waited for. */
const ASK_MS = 30_000
/** Milliseconds between two looks at a payment that is under way, and how many there are. */
const AGAIN_MS = 1_000
const LOOKS_MAX = 20

const Session = z.looseObject({
  status: z.string(),
  payment_handlers: z.array(z.looseObject({ id: z.string(), accepts: z.array(z.unknown()).default([]) })).default([]),
  messages: z.array(z.looseObject({ code: z.string(), content: z.string() })).default([]),
  order: z.looseObject({ id: z.string(), permalink_url: z.string() }).optional(),
})

export type BoughtCart = {
  /** The status of the session in the end. */
  readonly status: string
  readonly order: { readonly id: string; readonly permalink_url: string } | undefined
  /** The reason why it was not paid, in the service's words. */
  readonly failed: string | undefined
}

/**
 * Completes the session at a URL, signs for what it asks on the chain (CAIP-2), and completes it with that. Throws when
 * it cannot be completed, or asks for no signature there.
 */
export const buyCart = async (url: string, caip2: string, privateKey: Hex): Promise<BoughtCart> => {
  const { payment_handlers: handlers } = await ask('POST', completionOf(url), {})
  const offers = handlers.find(({ id }) => id === HANDLERS.x402.instrument)?.accepts ?? []
  const chosen = offers
    .flatMap((accepted) => ({ accepted, entry: readRequirements(2, accepted) }))
    .find(({ entry }) => entry?.caip2 === caip2 && tokenDomainOf(caip2, entry.asset))
  if (!chosen?.entry) throw new Error(`${url} asks for no signature on ${caip2}`)
  const payload = {
    x402Version: 2,
    accepted: chosen.accepted,
    payload: await signedPayload(chosen.entry, caip2, privateKey),
  }
  const { instrument, name } = HANDLERS.x402
  const credential = { type: instrument, payload }
  const instruments = [{ id: name, handler_id: instrument, type: instrument, selected: true, credential }]
  let session = await ask('POST', completionOf(url), { payment: { instruments } })
  const failed = session.messages.find(({ code }) => code === 'payment_failed')?.content
  for (let look = 0; failed === undefined && session.order === undefined && look < LOOKS_MAX; look++) {
    await pause(AGAIN_MS)
    session = await ask('GET', url)
  }
  return { status: session.status, order: session.order, failed }
}

const completionOf = (url: string): string => {
  const at = new URL(url)
  at.pathname += '/complete'
  return at.href
}

const ask = async (method: string, url: string, body?: object): Promise<z.output<typeof Session>> => {
  const answer = await fetch(url, {
    method,
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    redirect: 'error',
    signal: AbortSignal.timeout(ASK_MS),
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${wordsIn(text)}`)
  return Session.parse(JSON.parse(text))
}

const wordsIn = (text: string): string => {
  try {
    return Refused.parse(JSON.parse(text)).message
  } catch {
    return text
  }
}

const Refused = z.object({ message: z.string() })
