/**
 * A real Postgres for exploring. The answer to a query may come late, a commit may come late or never, and so may the
 * word that it was made; a crash rolls back what is not committed.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { PipedSql, Sql } from '../../adapters/postgres/connect.ts'
import { turns } from '../support/ledger.ts'
import { learnt, type Process, step, unscheduled } from './schedule.ts'

export type Database = {
  /** The database as one process sees it. */
  seenBy(self: Process): PipedSql
  /** Who has written, in order. What it was follows from their histories. */
  written(): string
  /** Whether a transaction was begun and has not come to its end. */
  open(): boolean
  /** Does something that is no process's work, and that a settled database has done. */
  aside<T>(work: (sql: Sql) => PromiseLike<T>): Promise<T>
  /** Resolves when every session is done or waits for a lock that only a task at a step can let go. */
  settled(): Promise<void>
  /** Resolves when nothing is under way, which is so soon after all processes have crashed. */
  over(): Promise<void>
}

/** How often it is looked up whether sessions that do not answer wait for locks. */
const LOOK_EVERY_MS = 4
/** What is asked for in one turn of the event loop may be gathered, and sent in the next. */
const TURNS_TO_SEND = 2
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

type Wrote = (self: Process, flushed: boolean) => void
type Run = (text: string, go: () => Promise<unknown>) => Promise<unknown>

/** `wrote` is told of each write, and whether it was flushed to the disk by then. */
export const watchDatabase = (real: Sql, wrote: Wrote): Database => {
  const order: string[] = []
  const busy = new Map<object, number>()
  /** How often somebody has asked or was answered. */
  let changes = 0
  let open = 0
  let quiet = Promise.withResolvers<void>()

  const transactions = new Map<string, number>()
  /** What was answered, with the numbers of transactions as they came up: the server counts on over all schedules. */
  const answered = (answer: unknown): string =>
    JSON.stringify(answer).replace(/"(written|before|by)":"(\d+)"/g, (_, name: string, number: string) => {
      if (!transactions.has(number)) transactions.set(number, transactions.size)
      return `"${name}":${transactions.get(number)}`
    })

  /** Counts what a session is asked for until it has answered. */
  const asked = async <T>(session: object, work: () => PromiseLike<T>): Promise<T> => {
    count(session, 1)
    try {
      return await unscheduled(work)
    } finally {
      count(session, -1)
    }
  }
  const count = (session: object, more: number) => {
    changes++
    const calls = (busy.get(session) ?? 0) + more
    if (calls > 0) busy.set(session, calls)
    else busy.delete(session)
    if (busy.size === 0) quiet.resolve()
  }
  const note: Wrote = (self, flushed) => {
    order.push(self.name)
    wrote(self, flushed)
  }

  const single =
    (self: Process): Run =>
    async (text, go) => {
      const reads = /^\s*select/.test(text)
      const answer = await asked({}, go)
      if (!reads) note(self, !isUnflushed(text))
      await step(`${told(text)}: ${answered(answer)}`, { crash: !reads })
      return answer
    }
  const transaction = (self: Process) => async (work: (tx: Sql) => Promise<unknown>) => {
    const session = {}
    let flushed = true
    const inside: Run = async (text, go) => {
      if (self.crashed.aborted) return new Promise(() => {})
      if (isUnflushed(text)) flushed = false
      const answer = await asked(session, go)
      learnt(answered(answer))
      return answer
    }
    const inTask = AsyncLocalStorage.snapshot()
    const scope = async (tx: Sql) => {
      count(session, -1)
      open++
      try {
        return await unlessCrashed(self, async () => {
          const result = await work(through(tx, inside, {}))
          await step('commit', { crash: true })
          return result
        })
      } finally {
        open--
        count(session, 1)
      }
    }
    const result = await asked(session, () => real.begin((tx) => inTask(scope, tx as unknown as Sql)))
    note(self, flushed)
    await step('committed', { crash: true })
    return result
  }

  return {
    seenBy: (self) => through(real, single(self), { begin: transaction(self) }),
    written: () => order.join(),
    open: () => open > 0,
    aside: (work) => asked({}, () => work(real)),
    async settled() {
      for (await turns(TURNS_TO_SEND); busy.size > 0; await turns(TURNS_TO_SEND)) {
        quiet = Promise.withResolvers()
        await Promise.race([quiet.promise, sleep(LOOK_EVERY_MS)])
        const before = changes
        if (busy.size > 0 && (await waiting(real)) === busy.size && changes === before) return
      }
    },
    async over() {
      while (busy.size + open > 0) await sleep(LOOK_EVERY_MS)
    },
  }
}

/**
 * The same door to the database, but each query is made by `run` when it is waited for. A part of another query never
 * is.
 */
const through = (real: Sql, run: Run, own: object): PipedSql => {
  const made = <Q extends PromiseLike<unknown>>(query: Q, text: string): Q => {
    const original = query.then.bind(query)
    let begun = false
    const then: typeof original = (done, failed) => {
      // The driver waits for it too, once it has begun.
      if (begun) return original(done, failed)
      begun = true
      return run(text, () => new Promise(original)).then(done as never, failed)
    }
    return Object.defineProperty(query, 'then', { value: then })
  }
  return new Proxy(real as PipedSql, {
    apply(target, self, args) {
      const result = Reflect.apply(target, self, args)
      return Array.isArray(args[0]?.raw) ? made(result, args[0].join('?')) : result
    },
    get(target, key, receiver) {
      // One connection for several statements changes nothing of when each is made and answered.
      if (key === 'piped') return receiver
      if (key !== 'unsafe') return Reflect.get(key in own ? own : target, key)
      return (text: string, ...rest: []) => made(target.unsafe(text, ...rest), text)
    },
  })
}

/** Whether a statement says that its commit does not wait for the disk. */
const isUnflushed = (text: string) => /synchronous_commit( to |', ')off/.test(text)

const told = (text: string) => text.trim().split(/\s+/).slice(0, 4).join(' ')

const unlessCrashed = <T>({ crashed }: Process, work: () => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const die = () => reject(new Error('the process has died'))
    crashed.addEventListener('abort', die, { once: true })
    if (crashed.aborted) die()
    else work().then(resolve, reject)
  })

/**
 * Sessions that wait for a lock of one that rests within its transaction, or of another that waits. Who lets a lock go
 * grants it at once to the next, so none is counted that is about to go on. The server's own work, such as a vacuum of
 * rows that many schedules have left, holds locks for a moment too, and lets them go by itself.
 */
const waiting = async (real: Sql): Promise<number> => {
  const [row] = await real<{ count: number }[]>`
    with waiter as (
      select distinct pid, backend_type, pg_blocking_pids(pid) as holders
      from pg_locks join pg_stat_activity using (pid)
      where not granted and datname = current_database()
    )
    select count(*)::int as count from waiter where backend_type = 'client backend' and (
      select bool_and(coalesce(state, '') = 'idle in transaction' or holder in (select pid from waiter))
      from unnest(holders) as holder left join pg_stat_activity as activity on activity.pid = holder
    )`
  return row?.count ?? 0
}
