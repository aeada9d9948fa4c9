import { randomUUID } from 'node:crypto'
import type { EventMeta } from '../../domain/kernel/ports.ts'
import { EVENT_BYTES } from '../sizes.ts'

const meta: EventMeta = {
  v: 1,
  at: '2026-03-02T10:06:00.000Z',
  cause: { actor: 'bench', correlationId: 'bench' },
}
const empty = { ref: '', amount: '1' }
const data = { ...empty, ref: 'x'.repeat(EVENT_BYTES - JSON.stringify(empty).length) }

/** An event of EVENT_BYTES of JSON with an id of its own, for contestants that decide nothing. */
export const newBenchEvent = () => ({ id: randomUUID() as string, type: 'CreditDebited', data, meta })
