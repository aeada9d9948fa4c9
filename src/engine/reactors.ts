import type { Logger } from 'pino'
import type { Reactor } from '../../adapters/following/reactor.ts'
import type { SecondVoice } from '../../domain/chains/second-voice.ts'
import type { PostResult, RecordedEvent } from '../../domain/kernel/ports.ts'
import type { Effect, EffectContext } from '../../domain/reactions/subscriber/effect.ts'
import { type Policy, type PolicyTogether, reactionsOf } from '../../domain/reactions/subscriber/policy.ts'
import type { LedgerDoors } from '../../domain/write-side/ledger.ts'
import { belowReaction, correlationOf } from '../tracing/places.ts'
import { type Tracer, tracedReactions } from '../tracing/tracer.ts'

/** Policies and effects as whoever follows the log runs them. */

export type ReactorParts = {
  readonly doors: LedgerDoors
  readonly effectContext: Omit<EffectContext, 'ledger'>
  readonly secondVoice: Pick<SecondVoice, 'known'>
  readonly leases: { holds(name: string): boolean }
  readonly tracer: Tracer | undefined
  readonly log: Pick<Logger, 'info'>
}

/** Events that a policy answers at once, each of another key. */
const REACTIONS_AT_ONCE_MAX = 64

/** Makes the reactors of policies and effects, in their order. */
export const reactorsOf = (
  policies: readonly (Policy | PolicyTogether)[],
  effects: readonly Effect[],
  parts: ReactorParts,
): readonly Reactor[] => {
  const traced = tracedReactions(parts.tracer)
  return [
    ...policies.map((p) => policyReactor(p, parts, traced)),
    ...effects.map((e) => effectReactor(e, parts, traced)),
  ]
}

type Traced = ReturnType<typeof tracedReactions>

const policyReactor = (
  policy: Policy | PolicyTogether,
  { doors, effectContext: { world }, secondVoice }: ReactorParts,
  traced: Traced,
): Reactor => {
  const { name } = policy
  const contextOf = (event: RecordedEvent) => ({
    ledger: doors.open(answering(name, event)).ledger,
    world,
    secondVoice,
  })
  const { react, together, ...reactions } = reactionsOf(policy, contextOf)
  return {
    name,
    concurrency: REACTIONS_AT_ONCE_MAX,
    ...reactions,
    react: (event) => traced(name, 'policy', [event], () => react(event)),
    ...(together && {
      together: {
        max: together.max,
        react: (events: readonly RecordedEvent[]) => traced(name, 'policy', events, () => together.react(events)),
      },
    }),
  }
}

const effectReactor = (effect: Effect, parts: ReactorParts, traced: Traced): Reactor => {
  const { doors, effectContext, leases } = parts
  const { name } = effect
  const context = fenced(effectContext, () => leases.holds(name))
  return {
    name,
    concurrency: effect.concurrency,
    // What is done outside has an id of its own.
    keysOf: () => [],
    handles: (type) => Object.hasOwn(effect.on, type),
    react: (event) =>
      traced(name, 'effect', [event], async () => {
        const handler = effect.on[event.type as keyof Effect['on']] as Handler | undefined
        const outbound = { ...context.outbound, post: calling(name, event, context.outbound.post, parts) }
        await handler?.(event, { ...context, outbound, ledger: doors.open(answering(name, event)).ledger })
      }),
  }
}

type Post = EffectContext['outbound']['post']

/** Posts for a reaction: with a span of its own, and a line in the log that has the correlation id of its event. */
const calling =
  (name: string, event: RecordedEvent, post: Post, { tracer, log }: ReactorParts): Post =>
  async (url, body, headers, ...limits) => {
    const span = tracer?.begin(`call of ${name}`, 'call', belowReaction(name, event), { 'http.request.method': 'POST' })
    const joined = span?.traceparent === undefined ? headers : { ...headers, traceparent: span.traceparent }
    const answered = await post(url, body, joined, ...limits)
    span?.end(
      answered.status === undefined ? {} : { 'http.response.status_code': answered.status },
      failureOf(answered),
    )
    const { status, reason, durationMs } = answered
    log.info(
      {
        correlationId: correlationOf(event),
        effect: name,
        stream: event.stream,
        event: event.id,
        status: status ?? null,
        ...(reason !== undefined && { reason }),
        ms: durationMs,
      },
      'webhook',
    )
    return answered
  }

/** What the span of a call has failed by; undefined for an answer that takes it. */
const failureOf = ({ status }: PostResult): string | undefined =>
  status !== undefined && status >= 200 && status < 300 ? undefined : 'not taken'

/**
 * What an effect reaches outside by, as long as its turn is this process's: one that hung in the middle of a reaction
 * and wakes up must not send what another process has sent meanwhile.
 */
const fenced = <C extends Pick<EffectContext, 'outbound' | 'mail'>>(context: C, mayAct: () => boolean): C => {
  const { outbound, mail } = context
  const must = () => {
    if (!mayAct()) throw new Error('another process has taken over')
  }
  return {
    ...context,
    outbound: {
      ...outbound,
      post: async (...given) => {
        must()
        return outbound.post(...given)
      },
    },
    mail: {
      ...mail,
      send: async (...given) => {
        must()
        return mail.send(...given)
      },
    },
  }
}

type Handler = (event: RecordedEvent, context: EffectContext) => Promise<unknown>

const answering = (name: string, event: RecordedEvent) => ({
  actor: name,
  correlationId: correlationOf(event),
  causationId: event.id,
})
