import { startHomeServer } from '../../adapters/processes/home-server.ts'
import { openHomes, type Peers } from '../../adapters/processes/homes.ts'
import { createPeerProof } from '../../adapters/processes/peer-proof.ts'
import type { Presence } from '../../adapters/processes/presence.ts'
import { DECLINED, type Homes } from '../../domain/write-side/homes.ts'
import type { LedgerDoors } from '../../domain/write-side/ledger.ts'
import packageJson from '../../package.json' with { type: 'json' }

/** The port at which this process takes commands of others, and its way to theirs. */
export type HomePort = {
  /** Where it is, as host:port. */
  readonly address: string
  /** The homes of streams among the processes that are alive, and the way to each of these. */
  among(presence: Presence): { readonly homes: Homes; readonly peers: Peers }
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
  const listeners = createListeners()
  let own: Presence | undefined
  return {
    address: `${host.includes(':') ? `[${host}]` : host}:${server.port}`,
    among(presence) {
      own = presence
      const homes = openHomes(presence, proof)
      closing(() => homes.close())
      return { homes, peers: { tell: homes.tell, listen: listeners.listen } }
    },
    open(doors) {
      const place = own
      if (!place) return
      // Who has hung, and wakes up, is not the home of anything: whoever asked it has decided by itself.
      const decide: LedgerDoors['decide'] = async (message) => (place.isHere() ? doors.decide(message) : DECLINED)
      server.open(place.id, { decide, contended: doors.contended, told: listeners.told })
    },
  }
}

const createListeners = () => {
  const listeners = new Set<(message: string) => void>()
  return {
    listen(heard: (message: string) => void) {
      listeners.add(heard)
      return () => listeners.delete(heard)
    },
    told(message: string) {
      for (const heard of listeners)
        try {
          heard(message)
        } catch {
          // A message that nobody here understands must not end the process.
        }
    },
  }
}
