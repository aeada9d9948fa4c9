import type { Ledger } from '../../domain/write-side/ledger.ts'
import type { Queries } from '../../projections/index.ts'
import { type Flown, fly } from '../flight.ts'
import { accountOf, type History, LONG_ACCOUNT, transactionIdOf, transactionOf } from './growth-history.ts'
import type { ReopenedLog } from './reopened-log.ts'

/** The measurements of a log and its read model at one size. Every piece of work checks what it got. */
export type GrowthRounds = {
  /** Ledger commands that begin a stream each. */
  append(): Promise<Flown>
  /** Reads of a short stream. */
  stream(ms: number): Promise<Flown>
  /** One transaction of the read model, by its id. */
  row(ms: number): Promise<Flown>
  /** The newest page of one account's transactions. */
  list(ms: number): Promise<Flown>
  /** The log is closed and opened; only the opening counts. */
  open(): Promise<Flown>
  /** The state of the long stream in a process that does not know it yet. */
  long(ms: number): Promise<Flown>
}

const WRITERS = 64
const APPENDS = 6_400
const READERS = 8
const OPENINGS = 5
/** Rows of the merchant's first page. */
const PAGE_ROWS = 25
const PUT_BACK_BELOW_EVENTS = 1_000_000

/** A small log would grow by what is measured, so it is put back before each round. */
export const isPutBack = ({ events }: History): boolean => events < PUT_BACK_BELOW_EVENTS

/** `newLedger` is the ledger of a process that has just started. */
export const growthRounds = (
  history: History,
  log: ReopenedLog,
  queries: Queries,
  newLedger: () => Ledger,
): GrowthRounds => {
  const { sales, accounts, longEvents } = history
  const anySale = () => Math.floor(Math.random() * sales)
  let created = sales
  return {
    append: async () => {
      await (isPutBack(history) ? log.putBack() : log.reopen())
      const ledger = newLedger()
      const before = log.core().last()
      const flown = await fly({ inFlight: WRITERS, count: APPENDS }, () => {
        const sale = ++created
        const id = transactionIdOf(sale)
        return ledger.transaction.create(id, transactionOf(accountOf(sale, accounts), id, '2026-03-02T10:06:00.000Z'))
      })
      const events = eventsAfter(log, before)
      must(events === APPENDS, `${APPENDS} commands, but ${events} events in the log`)
      return flown
    },
    stream: (ms) =>
      fly({ inFlight: READERS, ms }, async () => {
        let events = 0
        for await (const page of log.store().read(`transaction-${transactionIdOf(anySale())}`)) events += page.length
        must(events === 2, `a stream has ${events} events`)
      }),
    row: (ms) =>
      fly({ inFlight: READERS, ms }, async () => {
        const sale = anySale()
        const row = await queries.transaction(accountOf(sale, accounts), transactionIdOf(sale))
        must(row?.id === transactionIdOf(sale), 'a transaction is not there')
      }),
    list: (ms) =>
      fly({ inFlight: READERS, ms }, async () => {
        const rows = await queries.transactions(accountOf(anySale(), accounts), {}, PAGE_ROWS, 0)
        must(rows.length === PAGE_ROWS, `a page has ${rows.length} rows`)
      }),
    open: () => openings(log),
    long: (ms) =>
      fly({ inFlight: 1, ms }, async () => {
        const { owed } = await newLedger().creditAccount.read(LONG_ACCOUNT)
        must(owed === BigInt(longEvents) + 1n, `the long stream comes to ${owed}`)
      }),
  }
}

const openings = async (log: ReopenedLog): Promise<Flown> => {
  const times: number[] = []
  for (let i = 0; i < OPENINGS; i++) times.push(await log.reopen())
  times.sort((a, b) => a - b)
  const p50 = times[Math.floor(OPENINGS / 2)] ?? Number.NaN
  return { done: OPENINGS, rate: 1_000 / p50, p50, p99: times.at(-1) ?? Number.NaN }
}

const eventsAfter = (log: ReopenedLog, position: number): number => {
  let events = 0
  for (let at = position; ; ) {
    const page = log.core().readAll(at, PAGE_EVENTS, 'forwards')
    const last = page.at(-1)
    if (!last) return events
    events += page.length
    at = last.position
  }
}

const PAGE_EVENTS = 1_000

const must = (holds: boolean, otherwise: string) => {
  if (!holds) throw new Error(otherwise)
}
