import { frontEndpoints } from '../agent/account/front.ts'
import { wire } from '../agent/common/errors.ts'
import { exactEndpoints } from '../agent/gasless/exact.ts'
import { exactRelayEndpoints } from '../agent/gasless/exact-relay.ts'
import { relayerEndpoints } from '../agent/gasless/relayer.ts'
import { doorEndpoints } from '../agent/selling/door.ts'
import { requestDoorEndpoints } from '../agent/selling/request-door.ts'
import { verifyEndpoints } from '../agent/selling/verify.ts'
import { buyerEndpoints } from '../buyer/index.ts'
import type { Endpoint } from '../core/endpoint.ts'
import type { Surface } from '../core/surface.ts'

/** The JSON API of document 1 as payers call it; with the rest, where that is there already. */
export const agentSurface = (rest: readonly Endpoint[] = []): Surface => ({
  name: 'agent',
  reads: 'json',
  wire,
  endpoints: [
    ...rest,
    ...frontEndpoints,
    ...doorEndpoints(),
    ...exactEndpoints,
    ...exactRelayEndpoints,
    ...relayerEndpoints,
    ...verifyEndpoints,
    ...requestDoorEndpoints(),
    ...buyerEndpoints(),
  ],
  failure: (code, message) => ({ success: false, error: code, error_code: code, message }),
  success: (answer) => answer,
})
