import { decider } from '../kernel/decider.ts'
import type { SealedText } from '../kernel/ports.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * The URLs that settlement webhooks go to, and the one secret that signs them. There are two slots: `agent` for
 * payments of resources, `account` for everything else and as the fallback.
 */

export type WebhookSlot = 'agent' | 'account'

/**
 * What a seller takes instead of a URL: the receiver that Daybook has for test sales, or no webhook at all, which is a
 * choice as well. A URL that is set goes before either.
 */
export type WebhookReceiver = 'built-in' | 'none'

export type WebhookEvents = {
  WebhookUrlSet: { slot: WebhookSlot; url: string }
  WebhookUrlCleared: { slot: WebhookSlot }
  /** What is to be told where there is no URL; the built-in receiver is told of test sales alone. */
  WebhookReceiverChosen: { receiver: WebhookReceiver }
  /** A new signing secret; `shown` tells whether the call that minted it also showed it to the seller. */
  WebhookSecretMinted: { secret: SealedText; last4: string; reason: 'first' | 'rotated'; shown: boolean }
}

type Candidate = { secret: SealedText; last4: string }

export type WebhookCommands = {
  setUrl: { slot: WebhookSlot; url: string } & Candidate
  clearUrl: { slot: WebhookSlot }
  /**
   * Mints a secret when there is none: a URL was saved with a resource, and its deliveries are to be signed as well.
   */
  needSecret: Candidate
  /** What the built-in receiver gets is signed, so this mints a secret, too, where there is none. */
  chooseReceiver: { receiver: WebhookReceiver } & Candidate
  rotateSecret: Candidate
}

type State = {
  urls: { readonly [S in WebhookSlot]?: string | undefined }
  /** Gone once the account's URL was cleared: nothing is signed with it any more. */
  secret: { value: SealedText; last4: string; shown: boolean } | undefined
  /** Undefined until one was chosen. */
  receiver?: WebhookReceiver
}

export const webhook = decider<WebhookEvents, WebhookCommands, State>({
  category: 'webhook',
  stateVersion: 4,
  initial: { urls: {}, secret: undefined },
  decide: {
    // Saving a URL mints a secret when there is none, or none that anybody was ever shown.
    setUrl: ({ urls, secret: known }, { slot, url, ...candidate }) => {
      const first = { type: 'WebhookSecretMinted', data: { ...candidate, reason: 'first', shown: true } } as const
      return [
        ...(urls[slot] === url ? [] : [{ type: 'WebhookUrlSet', data: { slot, url } } as const]),
        ...(known?.shown ? [] : [first]),
      ]
    },
    clearUrl: ({ urls }, { slot }) => (urls[slot] === undefined ? [] : [{ type: 'WebhookUrlCleared', data: { slot } }]),
    needSecret: unshownSecret,
    chooseReceiver: (state, { receiver, ...candidate }) => [
      ...(state.receiver === receiver ? [] : [{ type: 'WebhookReceiverChosen', data: { receiver } } as const]),
      ...(receiver === 'built-in' ? unshownSecret(state, candidate) : []),
    ],
    rotateSecret: (state, candidate) => {
      mustHaveSecret(state)
      return [{ type: 'WebhookSecretMinted', data: { ...candidate, reason: 'rotated', shown: true } }]
    },
  },
  evolve: {
    WebhookUrlSet: (state, { slot, url }) => ({ ...state, urls: { ...state.urls, [slot]: url } }),
    // The secret goes with the account's URL, because whoever clears that believes it gone. What still has a URL of its
    // own is told without a signature until there is a new secret.
    WebhookUrlCleared: (state, { slot }) => ({
      ...state,
      urls: { ...state.urls, [slot]: undefined },
      secret: slot === 'account' ? undefined : state.secret,
    }),
    WebhookReceiverChosen: (state, { receiver }) => ({ ...state, receiver }),
    WebhookSecretMinted: (state, { secret, last4, shown }) => ({
      ...state,
      secret: { value: secret, last4, shown },
    }),
  },
})

function unshownSecret({ secret: known }: State, candidate: Candidate) {
  if (known !== undefined) return []
  return [{ type: 'WebhookSecretMinted', data: { ...candidate, reason: 'first', shown: false } } as const]
}

/** Refuses `invalid-request` when there is neither a secret to rotate nor a URL that a new one could sign for. */
export const mustHaveSecret = ({ urls, secret }: Pick<State, 'urls' | 'secret'>): void => {
  if (secret === undefined && urls.agent === undefined && urls.account === undefined)
    refuse('invalid-request', 'There is no webhook secret to rotate: set a webhook URL first, by POST /v1/webhook.')
}
