import type { Sql } from '../../adapters/postgres/connect.ts'
import { createLeases, withoutTurns } from '../../adapters/postgres/lease.ts'
import { type Channels, openChannels } from '../../adapters/processes/channels.ts'
import { type Freshness, watchFreshness } from '../../adapters/processes/freshness.ts'
import type { Peers } from '../../adapters/processes/homes.ts'
import { groupLeases, type LeaseGroup } from '../../adapters/processes/lease-group.ts'
import { joinProcesses, type Presence } from '../../adapters/processes/presence.ts'
import { createProcessReports, type ProcessReports } from '../../adapters/processes/reports.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import type { Homes } from '../../domain/write-side/homes.ts'
import type { LedgerDoors } from '../../domain/write-side/ledger.ts'
import type { Config } from '../settings/config.ts'
import type { ServiceRole } from '../settings/service-role.ts'
import { openHomePort } from './home-port.ts'
import { isKept, LEFT_OUT } from './passing.ts'
import { type SoldBefore, soldBefore } from './sold-before.ts'

/** What this process has to do with the others that serve the same log. */
export type Together = {
  readonly channels: Channels
  readonly presence: Presence
  readonly freshness: Freshness
  readonly sales: SoldBefore
  /** What each of them runs. */
  readonly reports: ProcessReports
  /** All leases of this process; they are taken together. */
  readonly leases: LeaseGroup
  /** Where commands for streams that several processes write to are decided. */
  readonly homes: Homes
  /** The way to single processes, where there is a connection. */
  readonly peers: Peers
  /** Takes commands of other processes from now on. */
  open(doors: LedgerDoors): void
}

type Means = {
  readonly sql: Sql
  readonly databaseUrl: string
  readonly store: Pick<LogStore, 'head' | 'newestBeside'>
  readonly masterKey: Buffer
}

/** The name of the lease that whoever runs the followers, watches and timed jobs has. */
const FOLLOWERS = 'followers'

/** The settings that tell whether another process can reach the log and the database. */
type Reach = Pick<Config, 'eventStoreUrl' | 'eventStoreListen' | 'databaseUrl'>

/** What a process has to know of itself to be one of several. */
export type Place = Reach & Pick<Config, 'processHost'> & Pick<ServiceRole, 'parts'>

/** Takes a place among the processes, and resolves once the others know of it. */
export const startTogether = async (
  config: Place,
  { sql, databaseUrl, store, masterKey }: Means,
  closing: (close: () => unknown) => void,
): Promise<Together> => {
  const { processHost, parts } = config
  const port = await openHomePort(processHost, masterKey, closing)
  const channels = openChannels(databaseUrl)
  closing(() => channels.close())
  const place = { address: port.address, parts, isSole: isSole(config) }
  const presence = await joinProcesses(sql, channels, place)
  closing(() => presence.close())
  const { homes, peers } = port.among(presence)
  const sales = soldBefore((position) => freshness.hasHeard(position))
  const kept = { isKept, changesRow: sales.changesRow, leftOut: LEFT_OUT }
  const freshness: Freshness = watchFreshness({ channels, peers, presence, store, ...kept })
  closing(freshness.close)
  const turns = parts.includes('followers') ? createLeases(databaseUrl) : withoutTurns()
  const leases = groupLeases(turns, FOLLOWERS)
  closing(() => leases.close())
  const reports = await createProcessReports(sql)
  return { channels, presence, freshness, sales, leases, reports, homes, peers, open: port.open }
}

/** An embedded log or database is locked by its process, and others reach it only where it is told to listen. */
const isSole = ({ eventStoreUrl, eventStoreListen, databaseUrl }: Reach): boolean =>
  !(eventStoreUrl && databaseUrl) && !eventStoreListen
