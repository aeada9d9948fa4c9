import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from '../../adapters/postgres/connect.ts'
import { makeBusy } from '../busy-account.ts'
import type { Contestant, Figures } from '../comparison.ts'
import { cpuSeconds } from '../cpu.ts'
import { fly } from '../flight.ts'
import { type Account, accountWith } from '../many-transactions.ts'
import { memberCookie } from '../member.ts'
import { type BenchService, startBenchService } from '../service.ts'
import type { BenchSet, Stage } from '../stage.ts'

/** The dashboard of accounts with many transactions: what a page costs, and what open pages cost. */

const TRANSACTIONS = 100_000
/** Milliseconds of the service's processor time for a page, and until it is there. */
const PAGE_CPU_MS = 50
const PAGE_MS = 100
/** Milliseconds of processor time a second that open pages take: a twentieth of one core. */
const OPEN_CPU_MS = 50
const OPEN = 50
const SALES_PER_SECOND = 20
/** What a sale writes to the timeline of its account. */
const EVENTS_PER_SALE = 8
/** An open page is read anew at most so often (adapters/http/pages/dashboard/home/home.ts). */
const READ_EVERY_MS = 10_000
/** An account has at most so many open streams. */
const OPEN_PER_ACCOUNT = 17

const PASSWORD = 'correct horse battery'

export const dashboard: BenchSet = {
  name: 'dashboard',
  title: 'The dashboard',
  async run(stage) {
    const { url, sql } = await stage.database()
    const service = await startBenchService({ dataDir: `${stage.dir}/data`, databaseUrl: url })
    stage.closing(() => service.stop())
    const account = await accountWith(sql, service, TRANSACTIONS)
    await makeBusy(sql, account)
    const cookie = await memberCookie(service, { email: `rows-${TRANSACTIONS}@example.test`, password: PASSWORD })
    await pages(stage, service, cookie)
    await openPages(stage, service, sql, await accountsWith(service, sql, { account, cookie }))
  },
}

/** Each list and Home, one after the other as one person opens them. */
const pages = async (stage: Stage, service: BenchService, cookie: string) => {
  const count = stage.pick(30, 100)
  const far = 10_000_000 * TRANSACTIONS + 1_000
  const paths: Readonly<Record<string, string>> = {
    'Home, 30 days': '/dashboard?period=30d',
    'Home, 7 days': '/dashboard',
    Payments: '/dashboard/payments',
    'Payments, far down': `/dashboard/payments?before=${far}`,
    'Payments, rejected': '/dashboard/payments?status=X',
    'Payments, searched': '/dashboard/payments?search=nothing-is-called-so',
    'One payment': `/dashboard/payments/${far}`,
    Unmatched: '/dashboard/unmatched',
    'Unmatched, searched': '/dashboard/unmatched?search=nothing-is-called-so',
    Products: '/dashboard/products',
    'Products, searched': '/dashboard/products?search=nothing-is-called-so',
    Activity: '/dashboard/activity',
    'Activity, searched': '/dashboard/activity?search=nothing-is-called-so',
    Requests: '/dashboard/developers/requests',
    'Requests, refused': '/dashboard/developers/requests?status=4xx',
    Keys: '/dashboard/developers/keys',
    Wallets: '/dashboard/wallets',
    Settings: '/dashboard/settings',
    'First steps': '/dashboard/first-steps',
  }
  const contestants = Object.entries(paths).map(([name, path]) => pageOf(service, { name, path, cookie, count }))
  for (const { round } of contestants) await round()
  await stage.compare({
    title: `Pages of an account with ${TRANSACTIONS.toLocaleString('en-US')} transactions, one after the other`,
    unit: 'pages',
    contestants,
    goals: contestants.flatMap(({ name }) => [
      { subject: name, figure: 'cpuMs' as const, atMost: PAGE_CPU_MS },
      { subject: name, figure: 'p50' as const, atMost: PAGE_MS },
    ]),
  })
}

type Page = { readonly name: string; readonly path: string; readonly cookie: string; readonly count: number }

const pageOf = ({ origin, pid }: BenchService, { name, path, cookie, count }: Page): Contestant => ({
  name,
  async round(): Promise<Figures> {
    const before = cpuSeconds([pid])
    const flown = await fly({ inFlight: 1, count }, async () => {
      const response = await fetch(origin + path, { headers: { accept: 'text/html', cookie }, redirect: 'manual' })
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`)
    })
    return { ...flown, cpuMs: ((cpuSeconds([pid]) - before) * 1_000) / count }
  },
})

type SignedIn = { readonly account: Account; readonly cookie: string }

/** As many accounts as open pages need, each with somebody who is signed in. */
const accountsWith = async (service: BenchService, sql: Sql, first: SignedIn): Promise<readonly SignedIn[]> => {
  const all = [first]
  for (let rows = 1; all.length < Math.ceil(OPEN / OPEN_PER_ACCOUNT); rows++) {
    const account = await accountWith(sql, service, rows)
    all.push({
      account,
      cookie: await memberCookie(service, { email: `rows-${rows}@example.test`, password: PASSWORD }),
    })
  }
  return all
}

/**
 * What open pages cost while something is sold. The sales are written by another process, so that nothing but the pages
 * and what the service does anyway is measured.
 */
const openPages = async (stage: Stage, { origin, pid }: BenchService, sql: Sql, accounts: readonly SignedIn[]) => {
  const seconds = stage.pick(20, 40)
  const during = async (): Promise<Figures> => {
    const before = cpuSeconds([pid])
    await sell(sql, accounts, seconds)
    return { rate: SALES_PER_SECOND, cpuMs: ((cpuSeconds([pid]) - before) * 1_000) / seconds }
  }
  /** What the service takes anyway is measured just before, and taken off. */
  const open = async (): Promise<Figures> => {
    const { cpuMs: anyway = 0 } = await during()
    const opening = Array.from({ length: OPEN }, (_, n) => opened(origin, accounts[n % accounts.length]))
    const streams = await Promise.all(opening)
    const figures = await during()
    const told = await Promise.all(streams.map((close) => close()))
    if (told.some((count) => count === 0)) throw new Error('a page was told of no sale')
    return { ...figures, cpuMs: (figures.cpuMs ?? 0) - anyway }
  }
  const name = `${OPEN} open pages, beyond that`
  await open()
  await stage.compare({
    title: `${SALES_PER_SECOND} sales a second of accounts whose pages are open; CPU is that of a second`,
    unit: 'sales',
    contestants: [
      { name: 'no open page', round: during },
      { name, round: open },
    ],
    goals: [{ subject: name, figure: 'cpuMs', atMost: OPEN_CPU_MS }],
  })
}

/**
 * Opens Home as a browser keeps it: a stream, and the page itself once more for what the stream tells of, at most every
 * ten seconds. @returns what closes it, and says how often it was told of a change
 */
const opened = async (origin: string, whose: SignedIn | undefined): Promise<() => Promise<number>> => {
  const left = new AbortController()
  const cookie = whose?.cookie ?? ''
  const response = await fetch(`${origin}/dashboard/live`, {
    headers: { cookie, accept: 'text/event-stream' },
    signal: left.signal,
  })
  if (response.status !== 200 || !response.body) throw new Error(`/dashboard/live: ${response.status}`)
  let told = 0
  let timer: NodeJS.Timeout | undefined
  // Not all at the same moment, as pages are not opened at the same moment.
  let readAt = performance.now() - Math.random() * READ_EVERY_MS
  const read = async () => {
    timer = undefined
    readAt = performance.now()
    await fetch(`${origin}/dashboard`, { headers: { accept: 'text/html', cookie }, signal: left.signal })
      .then((page) => page.text())
      .catch(() => undefined)
  }
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      const count = decoder.decode(chunk).split('event: changed').length - 1
      told += count
      if (count > 0) timer ??= setTimeout(read, Math.max(0, readAt + READ_EVERY_MS - performance.now()))
    }
  })().catch(() => {})
  return async () => {
    clearTimeout(timer)
    left.abort()
    await reading
    return told
  }
}

/** Writes what sales leave in the timeline, each of another account in turn. */
const sell = async (sql: Sql, accounts: readonly SignedIn[], seconds: number): Promise<void> => {
  const began = performance.now()
  for (let n = 0; n < seconds * SALES_PER_SECOND; n++) {
    await pause(Math.max(0, began + (n * 1_000) / SALES_PER_SECOND - performance.now()))
    const { accountId } = accounts[n % accounts.length]?.account ?? { accountId: '' }
    await sql`
      insert into daybook.timeline (position, at, type, stream, revision, event_id, correlation_id, actor, account_id)
      select (select coalesce(max(position), 0) from daybook.timeline) + n, now()::text, 'TransactionCompleted',
        'transaction-1', n, gen_random_uuid(), ${randomUUID()}, 'bench', ${accountId}
      from generate_series(1, ${EVENTS_PER_SALE}::int) as n`
  }
}
