import type { ExecutionContext } from 'ava'
import { type AnyDecider, type Decider, type EventsOf, fold } from '../../domain/kernel/decider.ts'
import { Refusal, type RefusalCode } from '../../domain/kernel/refusal.ts'

type CommandsOf<D> = D extends Decider<infer _E, infer C, infer _S> ? C : never

export const NOW = '2026-03-02T10:00:00.000Z'

/** given(t, decider, ...history).when(command, data).yields(...events) | .yieldsNothing() | .isRefused(code) */
export const given = <D extends AnyDecider>(t: ExecutionContext, decider: D, ...history: EventsOf<D>[]) => ({
  when<C extends keyof CommandsOf<D> & string>(command: C, data: CommandsOf<D>[C], now = NOW) {
    const decide = () => decider.decide[command]?.(fold(decider, history), data, now) as readonly EventsOf<D>[]
    return {
      yields: (...expected: EventsOf<D>[]) => t.deepEqual(decide(), expected),
      yieldsNothing: () => t.deepEqual(decide(), []),
      isRefused: (code: RefusalCode) => t.is(t.throws(decide, { instanceOf: Refusal })?.code, code),
    }
  },
})
