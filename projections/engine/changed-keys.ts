import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import type { Change, Projection } from './projection.ts'

/**
 * Tells which rows of one of a read model's tables an event changes, by the first part of their key. One that cannot be
 * read changes none: the read model stops at it.
 */
export const changedKeys =
  ({ on }: Projection, table: string) =>
  (event: RecordedEvent): readonly string[] => {
    const handler = on[event.type as keyof Projection['on']] as ((e: RecordedEvent) => Change | Change[]) | undefined
    if (!handler || event.unreadable !== undefined) return []
    const changes = changesBy(handler, event)
    return changes.filter((change) => change.table === table).map(({ key }) => String(key[0]))
  }

const changesBy = (handler: (e: RecordedEvent) => Change | Change[], event: RecordedEvent): Change[] => {
  try {
    return [handler(event)].flat()
  } catch {
    return []
  }
}
