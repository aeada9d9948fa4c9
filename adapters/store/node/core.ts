/**
 * The embedded node: one writer over the log. Whether an append fits is decided at the moment of the call, against what
 * is already queued, so pipelined appends to one stream succeed in call order; a caller is answered only after its
 * commit is on the disk.
 */
import { appender, type NodeAppend } from './appends.ts'
import { groupCommit } from './group-commit.ts'
import { type Direction, openLog } from './log.ts'
import type { StoredEvent, StoredText } from './stored-event.ts'

export type Core = {
  /** Rejects with StaleAppend or RefusedAppend; with another error only when the node is closed or its disk failed. */
  append: NodeAppend
  /** Newest durable revision of a stream, -1 when there is none. */
  head(stream: string): number
  /** Newest durable position. */
  last(): number
  /** See `Log.readStream`; only durable events are shown. */
  readStream(stream: string, from: number, count: number, direction: Direction): readonly StoredEvent[]
  /** See `Log.readAll`; only durable events are shown. */
  readAll(from: number, count: number, direction: Direction): readonly StoredEvent[]
  /** See `Log.readText`; only durable events are shown. */
  readText(from: number, count: number): readonly StoredText[]
  /** Resolves once the log has grown beyond a position, when the signal aborts, or when the node closes. */
  grown(beyond: number, signal: AbortSignal): Promise<void>
  closed(): boolean
  /** Commits what is queued, then releases the file. */
  close(): Promise<void>
}

export type CoreOptions = {
  /**
   * Called once when a commit fails: what is on the disk is then unknown, so the process must end. The default does
   * that.
   */
  readonly fatal?: (error: Error) => void
  /** See `openLog`. */
  readonly cacheMib?: number
}

/** Opens the log at `file`, or makes it. Throws when another process has it open. */
export const openCore = (file: string, { fatal = endProcess, cacheMib }: CoreOptions = {}): Core => {
  const log = openLog(file, cacheMib)
  const waiting = new Set<() => void>()
  const wakeAll = () => {
    for (const wake of [...waiting]) wake()
  }
  const commits = groupCommit({
    write: log.write,
    committed: wakeAll,
    failed: (error) => {
      try {
        log.close()
      } finally {
        wakeAll()
        fatal(error)
      }
    },
  })

  return {
    append: appender(log, commits),
    head: log.head,
    last: log.last,
    readStream: log.readStream,
    readAll: log.readAll,
    readText: log.readText,
    grown: (beyond, signal) =>
      new Promise((resolve) => {
        if (log.last() > beyond || signal.aborted || commits.closed()) return resolve()
        const done = () => {
          waiting.delete(done)
          signal.removeEventListener('abort', done)
          resolve()
        }
        waiting.add(done)
        signal.addEventListener('abort', done)
      }),
    closed: commits.closed,
    close: async () => {
      if (!commits.close()) return
      wakeAll()
      log.close()
    },
  }
}

const endProcess = (error: Error): void => {
  process.stderr.write(`the log could not be written, stopping: ${error.message}\n`)
  process.exit(1)
}
