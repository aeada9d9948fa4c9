import { quarantinedBy } from '../../domain/audit/quarantine.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'

/**
 * Rows of a read model that every request needs, kept in memory. An event that changes a row is seen before the read
 * model is told of it. Either the event says all that changes, and the row in memory is changed by it; or the row is
 * read from the database again from then on, and kept again only once the read model has come past that event.
 */
export type KeptRows<Row> = {
  read(id: string): Promise<Row | undefined>
  /** Called with everything that arrives, before any follower of the log is. */
  arrived(events: readonly RecordedEvent[]): void
}

/** Rows kept at most; the oldest go first. */
const KEPT_MAX = 20_000
/**
 * Rows that were changed and whose change the read model may not have yet; above this number nothing is kept until it
 * has caught up.
 */
const CHANGED_MAX = 20_000

export const keepRows = <Row>({
  read,
  changedBy,
  changeBy = () => undefined,
  at,
  come,
  isFresh,
}: {
  read(id: string): Promise<Row | undefined>
  /** Ids of the rows that an event changes. */
  changedBy(event: RecordedEvent): readonly string[]
  /**
   * What an event makes of each of these rows, where the event says all that changes. The row may have this event
   * already, and later ones, which then come after it; so it must be right whatever the row was.
   */
  changeBy?(event: RecordedEvent): ((row: Row) => Row) | undefined
  /** The position that the read model has reached. */
  at(): bigint
  /**
   * Waits until the read model has come to a position, or to whatever was answered so far: a row that was changed, or
   * may have been, is read after its change. Where it is not given, such a row may be older for a moment.
   */
  come?(position?: bigint): Promise<unknown>
  /** Whether everything that any process has answered so far has arrived here. */
  isFresh(): boolean
}): KeptRows<Row> => {
  const rows = new Map<string, Promise<Row | undefined>>()
  const changed = new Map<string, bigint>()
  let nothingBefore = -1n

  const mayKeep = (id: string) => {
    const reached = at()
    // This holds also when the read model was further before: after a crash of the database its rows may be older.
    if (reached < nothingBefore) return false
    nothingBefore = reached
    const position = changed.get(id)
    if (position === undefined) return true
    return position <= reached && changed.delete(id)
  }
  const keep = (id: string, row: Promise<Row | undefined>) => {
    rows.set(id, row)
    // Strangers ask for ids that name nothing: those would only push out rows that are of use.
    const forget = () => rows.get(id) === row && rows.delete(id)
    row.then((found) => found === undefined && forget(), forget)
    const [oldest] = rows.keys()
    if (rows.size > KEPT_MAX && oldest !== undefined) rows.delete(oldest)
  }

  const readNow = (id: string) => {
    const may = mayKeep(id)
    const row = read(id)
    if (may) keep(id, row)
    return row
  }

  return {
    read(id) {
      const fresh = isFresh()
      const kept = rows.get(id)
      if (kept && fresh) return kept
      if (!come) return readNow(id)
      if (!fresh) return come().then(() => readNow(id))
      const position = changed.get(id) ?? nothingBefore
      return position <= at() ? readNow(id) : come(position).then(() => readNow(id))
    },
    arrived(events) {
      for (const event of events) {
        // What it has changed counts no more, and the database says what is without it.
        if (quarantinedBy(event)) rows.clear()
        const change = changeBy(event)
        for (const id of changedBy(event)) {
          const kept = rows.get(id)
          if (kept && change) keep(id, changedRow(kept, change))
          else rows.delete(id)
          changed.delete(id)
          changed.set(id, event.position)
        }
      }
      if (changed.size <= CHANGED_MAX) return
      nothingBefore = events.at(-1)?.position ?? nothingBefore
      changed.clear()
      rows.clear()
    },
  }
}

const changedRow = async <Row>(kept: Promise<Row | undefined>, change: (row: Row) => Row): Promise<Row | undefined> => {
  const row = await kept
  return row === undefined ? undefined : change(row)
}
