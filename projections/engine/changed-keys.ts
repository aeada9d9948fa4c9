import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import type { Change, Projection } from './projection.ts'

/** Tells which rows of one of a read model's tables an event changes, by the first part of their key. */
export const changedKeys =
  ({ on }: Projection, table: string) =>
  (event: RecordedEvent): readonly string[] => {
    const handler = on[event.type as keyof Projection['on']] as ((e: RecordedEvent) => Change | Change[]) | undefined
    const changes = handler ? [handler(event)].flat() : []
    return changes.filter((change) => change.table === table).map(({ key }) => String(key[0]))
  }
