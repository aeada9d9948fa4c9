import type { Context } from 'koa'
import { Refusal } from '../../../domain/kernel/refusal.ts'
import { BODY_MAX_BYTES } from '../../input/body.ts'
import { within } from '../../timing/time-limit.ts'

/** Milliseconds in which a body has to have come, however it comes; less than what an answer may take. */
const BODY_LIMIT_MS = 15_000

/** The methods whose body is read; that of another is no part of a call. */
const BODIED: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/**
 * The text is kept as it came, so that duplicate keys and broken encodings can be seen before anything is made of it.
 */
const openReader = async () => {
  const { koaBody } = await import('koa-body')
  return koaBody({
    json: false,
    urlencoded: false,
    text: true,
    textLimit: BODY_MAX_BYTES,
    textTypes: ['application/json', 'application/x-www-form-urlencoded'],
  })
}

let opened: ReturnType<typeof openReader> | undefined

/**
 * Reads a body from the connection once it is known which surface answers, so that a refusal is in its words. Refuses
 * `body-too-slow`; nobody reads what comes later.
 */
export const receiveText = async (ctx: Context, limitMs = BODY_LIMIT_MS): Promise<void> => {
  if (!BODIED.has(ctx.method)) return
  opened ??= openReader()
  const reader = await opened
  const reading = reader(ctx, async () => {})
  await within(limitMs, reading, () => {
    const seconds = limitMs / 1_000
    const message = `The body did not arrive within ${seconds} seconds. Send it again over a better connection.`
    return new Refusal('body-too-slow', message)
  })
}
