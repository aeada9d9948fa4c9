import { eventStoreDb } from '../../../adapters/store/client/eventstoredb.ts'
import { authorizationId } from '../../../domain/selling/authorization-terms.ts'
import type { EventData, EventType } from '../../../domain/write-side/deciders.ts'
import { storeUrlOf, type TestApp } from '../../support/app.ts'

/** What the log tells of each signed payment, by its nonce, as it is written. */

export type Told = {
  acceptedAt?: string
  challengeId?: string
  minedIn?: number
  settledAt?: string
  billedUsd?: bigint
  gasUsd?: bigint
  reverts: number
  failed?: string
}

export const follow = (app: Pick<TestApp, 'env'>) => {
  const store = eventStoreDb(storeUrlOf(app))
  const stopping = new AbortController()
  const payments = new Map<string, Told>()
  let lostUsd = 0n
  const of = (id: string): Told => {
    const nonce = id.slice(id.lastIndexOf(':') + 1)
    const known = payments.get(nonce) ?? { reverts: 0 }
    payments.set(nonce, known)
    return known
  }
  const told: { readonly [T in EventType]?: (data: EventData<T>, id: string, at: string) => void } = {
    AuthorizationAccepted: ({ authorization, challengeId }, _, at) =>
      void Object.assign(of(authorizationId(authorization)), { acceptedAt: at, challengeId }),
    AuthorizationGasSpent: ({ gasUsd, billedUsd }, id) =>
      void Object.assign(of(id), { gasUsd: BigInt(gasUsd), billedUsd: BigInt(billedUsd ?? -1) }),
    AuthorizationSettled: (_, id, at) => void Object.assign(of(id), { settledAt: at }),
    AuthorizationReverted: (_, id) => void of(id).reverts++,
    AuthorizationFailed: ({ reason }, id) => void Object.assign(of(id), { failed: reason }),
    RelayTransactionMined: ({ block, outcomes }) => {
      for (const { authorizationId: id, transfer } of outcomes) if (transfer) of(id).minedIn = block
    },
    RelayLossCounted: ({ usd }, id) => {
      if (id.startsWith('network:')) lostUsd += BigInt(usd)
    },
  }
  const reading = (async () => {
    for await (const page of store.subscribe(-1n, stopping.signal))
      for (const { type, data, stream, at } of page)
        (told[type as EventType] as ((data: unknown, id: string, at: string) => void) | undefined)?.(
          data,
          stream.slice(stream.indexOf('-') + 1),
          at,
        )
  })().catch(() => {})
  return {
    payments,
    lostUsd: () => lostUsd,
    async stop() {
      stopping.abort()
      await reading
      await store.close()
    },
  }
}
