import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { isCardPaymentId } from '../../../domain/selling/transactions/card-payment-id.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { NamedId } from '../core/bounds/named-id.ts'
import { createStreams, EVENT_STREAM } from '../core/bounds/streams.ts'
import { endpoint, Reply } from '../core/endpoint.ts'
import { followedChallenge, isOver, nameOf, progressOf } from './progress.ts'
import { cardState } from './watch-card.ts'

/** Server-sent events that say how far a payment is, as it changes; at each, a page fetches itself anew. */

/** Streams at once in this process, and of one address: a page that gets none asks again now and then instead. */
const STREAMS = { all: 2_000, each: 50 }
/**
 * Milliseconds between two looks of a stream. It looks at what is in memory, and asks the chain only while a payment
 * waits for confirmations.
 */
const LOOK_MS = 1_000
/** Milliseconds between signs of life: proxies cut a stream that is silent for longer. */
const HEARTBEAT_MS = 15_000
/** Milliseconds after which a stream ends; a page that is still open begins the next one. */
const STREAM_LIFE_MS = 3_600_000

export const eventEndpoints = () => {
  const streams = createStreams(STREAMS)

  const events = endpoint({
    method: 'get',
    path: '/pay/:challenge/events',
    summary:
      'How far the payment of a challenge is, as server-sent events: `state` at each change, `end` when nothing more comes',
    auth: 'none',
    waits: 'before',
    params: z.object({ challenge: NamedId }),
    returns: z.string(),
    produces: 'text/event-stream',
    refusals: ['challenge-not-found', 'busy'],
    async answer({ params: { challenge }, ip, flow, stopping }) {
      if (!(await standing(flow, challenge))) return refuse('challenge-not-found')
      return new Reply(
        200,
        streams.start(ip, stopping, (left) => follow(flow, challenge, left)),
        EVENT_STREAM,
      )
    },
  })
  return [events]
}

/** Follows a challenge until the signal aborts, because the listener has left or the service stops. */
async function* follow(flow: UseCaseContext, challengeId: string, left: AbortSignal): AsyncGenerator<string> {
  const end = performance.now() + STREAM_LIFE_MS
  let told = ''
  let toldAt = performance.now()
  while (!left.aborted && performance.now() < end) {
    const now = await standing(flow, challengeId)
    const name = now?.name ?? told
    if (name !== told) yield `event: state\ndata: ${name}\n\n`
    else if (performance.now() - toldAt >= HEARTBEAT_MS) yield ':\n\n'
    if (name !== told || performance.now() - toldAt >= HEARTBEAT_MS) toldAt = performance.now()
    told = name
    if (!now || now.isOver) {
      yield 'event: end\ndata:\n\n'
      return
    }
    await pause(LOOK_MS, undefined, { signal: left }).catch(() => {})
  }
}

/** How far a challenge is, or a payment by card. */
const standing = async (flow: UseCaseContext, id: string): Promise<{ name: string; isOver: boolean } | undefined> => {
  if (isCardPaymentId(id)) {
    const payment = await flow.ledger.cardPayment.recent(id)
    if (payment.status === 'none') return undefined
    const name = cardState(payment)
    return { name, isOver: name !== 'open' }
  }
  const known = await followedChallenge(flow, id)
  const progress = known && (await progressOf(flow, known))
  return progress && { name: nameOf(progress), isOver: isOver(progress) }
}
