import { decider } from '../kernel/decider.ts'
import type { SealedText } from '../kernel/ports.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * The URLs that settlement webhooks go to, and the one secret that signs them. There are two slots: `agent` for
 * payments of resources, `account` for everything else and as the fallback.
 */

export type WebhookSlot = 'agent' | 'account'

export type WebhookEvents = {
  WebhookUrlSet: { slot: WebhookSlot; url: string }
  WebhookUrlCleared: { slot: WebhookSlot }
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
  rotateSecret: Candidate
}

type State = {
  urls: { readonly [S in WebhookSlot]?: string | undefined }
  /** `ended`: the URL that the secret came with was cleared, so the secret is not shown any more. */
  secret: { value: SealedText; last4: string; shown: boolean; ended: boolean } | undefined
}

export const webhook = decider<WebhookEvents, WebhookCommands, State>({
  category: 'webhook',
  stateVersion: 2,
  initial: { urls: {}, secret: undefined },
  decide: {
    // Saving any URL mints a secret when there is none; the account slot also replaces one that nobody was ever
    // shown.
    setUrl: ({ urls, secret: known }, { slot, url, secret, last4 }) => {
      const shown = slot === 'account'
      const mint = known === undefined || (shown && !known.shown)
      return [
        ...(urls[slot] === url ? [] : [{ type: 'WebhookUrlSet', data: { slot, url } } as const]),
        ...(mint ? [{ type: 'WebhookSecretMinted', data: { secret, last4, reason: 'first', shown } } as const] : []),
      ]
    },
    clearUrl: ({ urls }, { slot }) => (urls[slot] === undefined ? [] : [{ type: 'WebhookUrlCleared', data: { slot } }]),
    needSecret: ({ secret: known }, candidate) =>
      known === undefined
        ? [{ type: 'WebhookSecretMinted', data: { ...candidate, reason: 'first', shown: false } }]
        : [],
    rotateSecret: ({ secret: known }, candidate) => {
      mustHaveSecret(known)
      return [{ type: 'WebhookSecretMinted', data: { ...candidate, reason: 'rotated', shown: true } }]
    },
  },
  evolve: {
    WebhookUrlSet: (state, { slot, url }) => ({ ...state, urls: { ...state.urls, [slot]: url } }),
    // The next URL is a first time again and replaces the secret; until then it goes on signing for the other
    // URLs.
    WebhookUrlCleared: (state, { slot }) => ({
      urls: { ...state.urls, [slot]: undefined },
      secret: state.secret && slot === 'account' ? { ...state.secret, shown: false, ended: true } : state.secret,
    }),
    WebhookSecretMinted: (state, { secret, last4, shown }) => ({
      ...state,
      secret: { value: secret, last4, shown, ended: false },
    }),
  },
})

/** Refuses `invalid-request` when there is no secret to rotate. */
export const mustHaveSecret = (secret: object | undefined): void => {
  if (secret === undefined) refuse('invalid-request', 'there is no secret to rotate: set a webhook URL first')
}
