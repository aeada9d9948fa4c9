import type { AddressProofs } from '../account/address-proof.ts'
import type { Addresses } from '../account/addresses.ts'
import type { CardProcessor } from '../card/ports.ts'
import type { SecondVoice } from '../chains/second-voice.ts'
import type { KeyLists } from '../commerce/ports.ts'
import type { Artist } from '../game/studio/artist.ts'
import type { RelayLimits } from '../gasless/relay-budget.ts'
import type { Relayer } from '../gasless/relayer.ts'
import type { Chain, ChainHead, Outbound, Passwords, Rates, TokenPrices, Vault, World } from '../kernel/ports.ts'
import { isRefusal, Refusal, type RefusalCode, refuse } from '../kernel/refusal.ts'
import type { VatRegistry } from '../money/vat/ports.ts'
import type { Dns, Signer } from '../signin/ports.ts'
import type { Ledger } from '../write-side/ledger.ts'

/** The outside as a use case may use it, through ports. A use case touches several streams, or a fact from outside. */
export type OutsidePorts = {
  readonly world: World
  readonly vault: Vault
  readonly passwords: Passwords
  readonly signer: Signer
  readonly artist: Artist
  readonly addresses: Addresses
  readonly proofs: AddressProofs
  readonly rates: Rates
  readonly prices: TokenPrices
  /** The types of custom token, each with its network. */
  readonly tokenTypes: ReadonlyMap<string, string>
  readonly outbound: Outbound
  readonly dns: Dns
  readonly vatRegistry: VatRegistry
  readonly cards: CardProcessor
  /** The lists of public keys that others publish. */
  readonly keyLists: KeyLists
  /** Keyed by network name; a network without an entry is not connected. */
  readonly chains: ReadonlyMap<string, Chain>
  /** Whether one provider's word is enough for a payment, and what the others say. */
  readonly secondVoice: SecondVoice
  /** Keyed by network name; a network without a relayer takes no signed payments. */
  readonly relayers: ReadonlyMap<string, Relayer>
  /** What relayers may lose in an hour to payments that come to nothing. */
  readonly relayLimits: RelayLimits
  /** A chain's head as it is now; callers who ask at the same time share one request to the chain. */
  readonly headNow: (chain: Chain) => Promise<ChainHead>
  /**
   * What an address holds of a coin, as `Chain.balanceOf` says it, at most some seconds old. Undefined where that
   * cannot be told in time; it never rejects, so that one chain costs the others nothing.
   */
  readonly balanceNow: (chain: Chain, address: string, coin: string) => Promise<bigint | undefined>
  /** Lander slots that an account has before it buys any (L-JSN-11). */
  readonly landerFreeSlots: number
  /** The most open and unpaid challenges on one address that callers of one network may hold (N-21). */
  readonly unpaidPerNetwork: number
  /** Whether apps in development are taken (`domain/signin/redirect-uris.ts`): nowhere in production. */
  readonly developmentApps: boolean
  /** Origins as callers see them, without a slash at the end. */
  readonly origins: { readonly base: string; readonly pay: string; readonly auth: string; readonly shop: string }
}

export type UseCaseContext = OutsidePorts & { readonly ledger: Ledger }

/**
 * What a chain or a rate source answers; refuses `unavailable` when it does not, which is nobody's mistake and may
 * pass.
 */
export const mustAnswer = async <T>(who: string, asking: Promise<T>): Promise<T> => {
  try {
    return await asking
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal('unavailable', `${who} does not answer right now. Try again in a moment.`, error)
  }
}

/** The chain of a network; refuses `unavailable` where that is not connected, which is the operator's to mend. */
export const connectedChain = (chains: OutsidePorts['chains'], network: string): Chain =>
  chains.get(network) ??
  refuse(
    'unavailable',
    `The network ${network} is not connected here. Choose a coin of another one, or ask whoever runs this service.`,
  )

/**
 * Collects the answers that can be had: a coin whose rate or chain does not answer right now, or whose amounts are all
 * held, is left out and costs a buyer no other coin. When nothing is left, it refuses with the refusal of the coin that
 * can be had soonest: `rate-limited`, `no-free-amount` or `unavailable`, because each may pass.
 */
export const thoseAvailable = async <T>(asking: readonly Promise<T | undefined>[]): Promise<PartialList<T>> => {
  const missed: Refusal[] = []
  const all = await Promise.all(
    asking.map((one) =>
      one.catch((error: unknown) => {
        if (!isRefusal(error, ...MAY_PASS)) throw error
        missed.push(error)
        return undefined
      }),
    ),
  )
  const there = all.filter((one) => one !== undefined)
  const [soonest] = missed.toSorted((a, b) => rank(a) - rank(b) || waitOf(a) - waitOf(b))
  if (soonest && there.length === 0) throw soonest
  return { there, incomplete: soonest !== undefined }
}

/** Refusals that may pass. One that the caller can do something about comes first. */
const MAY_PASS: readonly RefusalCode[] = ['rate-limited', 'no-free-amount', 'unavailable']
const rank = ({ code }: Refusal): number => MAY_PASS.indexOf(code)
const waitOf = ({ retryAfterS = Number.MAX_SAFE_INTEGER }: Refusal): number => retryAfterS

/** `incomplete`: the same question may have more answers in a moment. */
export type PartialList<T> = { readonly there: readonly T[]; readonly incomplete: boolean }
