/** What the log says that may be said once only, each as one line of text: the key of an event, never its content. */

import { idOf } from '../../domain/kernel/decider.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { transferId } from '../../domain/selling/challenge-terms.ts'
import type { EventData, EventType, LedgerEvent } from '../../domain/write-side/deciders.ts'

/** A fact is claimed under the same words by whoever was told that it is so. */
export const fact = {
  key: (hash: string) => `key ${hash}`,
  resource: (id: string) => `resource ${id}`,
  challenge: (setId: string) => `challenge ${setId}`,
  wallet: (address: string) => `wallet ${address.toLowerCase()}`,
  webhook: (url: string) => `webhook ${url}`,
  settled: (challengeId: string) => `settled ${challengeId}`,
}

type Said = { readonly [T in EventType]?: (data: EventData<T>, id: string) => readonly string[] }

const said: Said = {
  // Nobody holds an address by signing up: a sign-up that is sent again without an answer makes another account.
  AccountSignedUp: (_, id) => [`account ${id}`],
  ApiKeyIssued: ({ keyHash }) => [fact.key(keyHash)],
  LetterSent: (_, id) => [`letter ${id}`],
  // Nobody sends a price twice, so two resources of one price are one command that was done twice.
  ResourceCreated: ({ accountId, amount }, id) => [fact.resource(id), `price ${accountId} ${amount}`],
  ChallengeOpened: (_, id) => [fact.challenge(id)],
  // Nobody sets an address or a URL twice with another one between.
  WalletAddressSet: ({ addresses }) => addresses.map(fact.wallet),
  WebhookUrlSet: ({ slot, url }) => (slot === 'account' ? [fact.webhook(url)] : []),
  TransferClaimed: ({ transfer }) => [`transfer ${transferId(transfer)}`],
  ChallengeSettled: ({ challengeId }) => [fact.settled(challengeId)],
  CreditDebited: ({ ref }) => [`fee ${ref}`],
  CreditGranted: ({ ref }) => [`grant ${ref}`],
  TransactionCreated: ({ challengeId }, id) => [`transaction ${id}`, `transaction of ${challengeId}`],
  TransactionCompleted: (_, id) => [`completed ${id}`],
  DeliveryScheduled: ({ transactionId }) => [`delivery of ${transactionId}`],
  DeliverySkipped: ({ transactionId }) => [`delivery of ${transactionId}`],
  DeliveryAccepted: ({ transactionId }) => [`delivered ${transactionId}`],
  DeliveryFailed: ({ transactionId }) => [`delivered ${transactionId}`],
}

export const factsOf = ({ type, data, stream }: RecordedEvent<LedgerEvent>): readonly string[] => {
  const facts = said[type] as ((data: object, id: string) => readonly string[]) | undefined
  return facts?.(data, idOf(stream)) ?? []
}
