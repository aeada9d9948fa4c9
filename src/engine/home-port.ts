import { startHomeServer } from '../../adapters/processes/home-server.ts'
import { openHomes } from '../../adapters/processes/homes.ts'
import { createPeerProof } from '../../adapters/processes/peer-proof.ts'
import type { Presence } from '../../adapters/processes/presence.ts'
import { DECLINED, type Homes } from '../../domain/write-side/homes.ts'
import type { LedgerDoors } from '../../domain/write-side/ledger.ts'
import packageJson from '../../package.json' with { type: 'json' }

/** The port at which this process takes commands of others, and its way to theirs. */
export type HomePort = {
  /** Where it is, as host:port. */
  readonly address: string
  /** The homes of streams among the processes that are alive. */
  homesAmong(presence: Presence): Homes
  /** Takes commands of other processes from now on, once this one has its place among them. */
  open(doors: LedgerDoors): void
}

export const openHomePort = async (
  host: string,
  masterKey: Buffer,
  closing: (close: () => unknown) => void,
): Promise<HomePort> => {
  const proof = createPeerProof(masterKey, packageJson.version)
  const server = await startHomeServer(host, proof)
  closing(() => server.close())
  let own: Presence | undefined
  return {
    address: `${host.includes(':') ? `[${host}]` : host}:${server.port}`,
    homesAmong(presence) {
      own = presence
      const homes = openHomes(presence, proof)
      closing(() => homes.close())
      return homes
    },
    open(doors) {
      const place = own
      if (!place) return
      // Who has hung, and wakes up, is not the home of anything: whoever asked it has decided by itself.
      const decide: LedgerDoors['decide'] = async (message) => (place.isHere() ? doors.decide(message) : DECLINED)
      server.open(place.id, { decide, contended: doors.contended })
    },
  }
}
