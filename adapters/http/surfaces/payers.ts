import { frontEndpoints } from '../agent/account/front.ts'
import { exactEndpoints } from '../agent/gasless/exact.ts'
import { exactRelayEndpoints } from '../agent/gasless/exact-relay.ts'
import { relayerEndpoints } from '../agent/gasless/relayer.ts'
import { doorEndpoints } from '../agent/selling/door.ts'
import { requestDoorEndpoints } from '../agent/selling/request-door.ts'
import { verifyEndpoints } from '../agent/selling/verify.ts'
import { buyerEndpoints } from '../buyer/index.ts'
import type { Endpoint } from '../core/endpoint.ts'

/** The doors at which machines and people pay, on one page; in groups for the same reason as those of sellers. */
export const payerEndpoints = () => {
  const { front, doors, signed, requests, buyers } = payerGroups([])
  return [...front, ...doors, ...signed, ...requests, ...buyers]
}

export const payerGroups = (orderPages: readonly Endpoint[]) => ({
  front: frontEndpoints,
  doors: doorEndpoints(),
  signed: [...exactEndpoints, ...exactRelayEndpoints, ...relayerEndpoints, ...verifyEndpoints],
  requests: requestDoorEndpoints(),
  buyers: buyerEndpoints(orderPages),
})
