import type { Sql } from '../../adapters/postgres/connect.ts'
import { openChannels } from '../../adapters/processes/channels.ts'
import { startHomeServer } from '../../adapters/processes/home-server.ts'
import { openHomes } from '../../adapters/processes/homes.ts'
import { createPeerProof } from '../../adapters/processes/peer-proof.ts'
import { joinProcesses } from '../../adapters/processes/presence.ts'
import type { Homes } from '../../domain/write-side/homes.ts'
import type { LedgerDoors } from '../../domain/write-side/ledger.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { Config } from '../settings/config.ts'
import type { ServiceRole } from '../settings/service-role.ts'

type Means = { readonly sql: Sql; readonly databaseUrl: string; readonly masterKey: Buffer }

/** The homes of streams as this process knows them. */
export type Neighbourhood = {
  readonly homes: Homes
  /** Takes commands of other processes from now on. */
  open(doors: LedgerDoors): void
}

/** Takes a place among the processes that are alive, by the address at which this one takes commands of others. */
export const startHomes = async (
  { processHost: host, parts }: Pick<Config, 'processHost'> & Pick<ServiceRole, 'parts'>,
  { sql, databaseUrl, masterKey }: Means,
  closing: (close: () => unknown) => void,
): Promise<Neighbourhood> => {
  const proof = createPeerProof(masterKey, packageJson.version)
  const server = await startHomeServer(host, proof)
  closing(() => server.close())
  const channels = openChannels(databaseUrl)
  closing(() => channels.close())
  const address = `${host.includes(':') ? `[${host}]` : host}:${server.port}`
  const presence = await joinProcesses(sql, channels, { address, parts })
  closing(() => presence.close())
  const homes = openHomes(presence, proof)
  closing(() => homes.close())
  return { homes, open: (doors) => server.open(presence.id, doors) }
}
