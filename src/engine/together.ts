import type { Sql } from '../../adapters/postgres/connect.ts'
import { createLeases } from '../../adapters/postgres/lease.ts'
import { type Channels, openChannels } from '../../adapters/processes/channels.ts'
import { type Freshness, watchFreshness } from '../../adapters/processes/freshness.ts'
import { groupLeases, type LeaseGroup } from '../../adapters/processes/lease-group.ts'
import { joinProcesses, type Presence } from '../../adapters/processes/presence.ts'
import { createProcessReports, type ProcessReports } from '../../adapters/processes/reports.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import type { Config } from '../settings/config.ts'

/** What this process has to do with the others that serve the same log. */
export type Together = {
  readonly channels: Channels
  readonly presence: Presence
  readonly freshness: Freshness
  /** What each of them runs. */
  readonly reports: ProcessReports
  /** All leases of this process; they are taken together. */
  readonly leases: LeaseGroup
}

type Parts = {
  readonly sql: Sql
  readonly databaseUrl: string
  readonly store: Pick<LogStore, 'head'>
  /** What this process does of the service's work. */
  readonly parts: readonly string[]
}

/**
 * Streams of single payments, and of what follows from them. Whoever decides on one reads the store, or appends at the
 * revision that it knows; a page that shows one reads rows. So nobody who writes one waits for the other processes:
 * each sale would cost two messages more.
 */
export const PASSING: ReadonlySet<string> = new Set([
  'authorization',
  'caller',
  'cardPayment',
  'chainWatch',
  'challenge',
  'checkoutSession',
  'cosignatures',
  'creditAccount',
  'delivery',
  'intent',
  'ledgerEntry',
  'letter',
  'notification',
  'payer',
  'paymentName',
  'receiptLetter',
  'receiveAddress',
  'refundTransfer',
  'relay',
  'relayBudget',
  'seals',
  'topUp',
  'transaction',
  'transfer',
])

/** The name of the lease that whoever runs the followers, watches and timed jobs has. */
const FOLLOWERS = 'followers'

/** The settings that tell whether another process can reach the log and the database. */
export type Reach = Pick<Config, 'eventStoreUrl' | 'eventStoreListen' | 'databaseUrl'>

/** Takes a place among the processes, and resolves once the others know of it. */
export const startTogether = async (
  config: Reach,
  { sql, databaseUrl, store, parts }: Parts,
  closing: (close: () => unknown) => void,
): Promise<Together> => {
  const channels = openChannels(databaseUrl)
  closing(() => channels.close())
  const presence = await joinProcesses(sql, channels, { address: undefined, parts, isSole: isSole(config) })
  closing(() => presence.close())
  const isKept = ({ stream }: RecordedEvent) => !PASSING.has(stream.slice(0, stream.indexOf('-')))
  const freshness = watchFreshness({ channels, presence, store, isKept })
  closing(freshness.close)
  const leases = groupLeases(createLeases(databaseUrl), FOLLOWERS)
  closing(() => leases.close())
  return { channels, presence, freshness, leases, reports: await createProcessReports(sql) }
}

/** An embedded log or database is locked by its process, and others reach it only where it is told to listen. */
const isSole = ({ eventStoreUrl, eventStoreListen, databaseUrl }: Reach): boolean =>
  !(eventStoreUrl && databaseUrl) && !eventStoreListen
