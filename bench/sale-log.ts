import type { EventStore } from '../domain/kernel/ports.ts'
import { world } from '../src/settings/world.ts'
import { SALES_AT_ONCE, type Step } from './sales.ts'

const AT = '2026-03-02T10:06:00.000Z'
const META = {
  v: 1,
  cause: {
    actor: 'record-transaction',
    correlationId: `req_${'a'.repeat(26)}`,
    causationId: '0198f3a1-7c4e-8d21-9b3f-5a6c7d8e9f01',
  },
}

/**
 * Writes sales number `from` to `to - 1` to a log, step by step as the product does, several of them at once; answers
 * how many events they are.
 */
export const writeSales = async (
  store: EventStore,
  stepsOf: (n: number) => readonly Step[],
  from: number,
  to: number,
  /** The time at which a sale is made; the same for all unless given. */
  atOf: (n: number) => string = () => AT,
  /** Revisions of the streams that earlier sales went to; needed by whoever writes sales in several calls. */
  revisions = new Map<string, bigint>(),
): Promise<number> => {
  let events = 0
  const lane = async (first: number) => {
    for (let n = first; n < to; n += SALES_AT_ONCE)
      for (const { stream, type, data } of stepsOf(n)) {
        const revision = revisions.get(stream) ?? -1n
        const id = world.uuidFrom(stream, String(revision))
        const appended = await store.append(stream, revision, [{ id, type, data, meta: { ...META, at: atOf(n) } }])
        revisions.set(stream, appended.revision)
        events++
      }
  }
  await Promise.all(Array.from({ length: SALES_AT_ONCE }, (_, i) => lane(from + i)))
  return events
}
