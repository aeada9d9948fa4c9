import { assetOf } from '../kernel/assets.ts'
import type { Units } from '../kernel/money.ts'

/** What a challenge asks for, what a payment of it is, and the names of both. */

export type ChallengeEntry = {
  asset: string
  network: string
  chain: string
  payTo: string
  /** The amount that the payer is asked for, in the asset's smallest unit. */
  amount: Units
  /** The least that counts as paid, when the seller takes underpayments (I-SET-02); the amount itself when absent. */
  least?: Units
  /** US dollars for one whole coin when the price was locked. */
  rate: string
  /** Who said so: the sources of the market, the feed of a custom token, or its seller. */
  rateSource?: string
  /** Only transfers above this height count. */
  heightAtIssue: number
  confirmations: number
  /**
   * How a payment is recognised: by its `amount`, which no other open challenge asks for; by the `address`, which is
   * lent to this challenge alone; or by the `authorization` that it carries out, where only a signed payment is taken.
   * `hash` (by what the buyer posts) is no longer written.
   */
  match: 'amount' | 'address' | 'authorization' | 'hash'
  /**
   * The most that the seller is billed for the gas of a payment by signature, in millionths of a US dollar; absent
   * where no such payment was taken when the challenge was opened.
   */
  gasFeeMax?: Units
  /**
   * Facts of the coin when the challenge was opened: digits after the point, how many of those a payer types, the
   * contract of a token, and its name. Challenges from before custom tokens lack them; their coins are in the
   * catalogue.
   */
  decimals?: number
  displayDecimals?: number
  contract?: string
  name?: string
}

/** A transfer as the log keeps it. */
export type TransferData = {
  network: string
  tx: string
  index: string
  /** The `index` that former releases gave it; removed once it is known which of the two the ledger uses. */
  formerIndex?: string
  /** The catalogue's code, or the contract of any other token. */
  asset: string
  from: string
  to: string
  amount: Units
  height: number
  blockHash: string
  minedAt: string
  /** The nonce of the authorization that it carried out. */
  authorization?: string
}

/** Names a transfer over all chains: `eth:0xabc…:native`. */
export const transferId = ({ network, tx, index }: { network: string; tx: string; index: string }): string =>
  `${network}:${tx}:${index}`

/** The facts of an entry's coin, so that readers need not look for it among the tokens of its account. */
export const coinFacts = (entry: ChallengeEntry): { decimals: number; contract: string | undefined } => ({
  decimals: entry.decimals ?? assetOf(entry.asset)?.decimals ?? 0,
  contract: entry.contract ?? assetOf(entry.asset)?.contract,
})

/** What an entry asks for, as the events of its payment keep it. */
export const askedOf = ({ amount, decimals }: ChallengeEntry) => ({
  asked: amount,
  ...(decimals !== undefined && { decimals }),
})

/** A transfer that no chain has seen. Its index is none that a chain could have. */
export const madeUp = (
  { network, asset, payTo }: ChallengeEntry,
  tx: string,
  amount: Units,
  now: string,
): TransferData => ({
  network,
  tx,
  index: 'test',
  asset,
  from: 'test',
  to: payTo,
  amount,
  height: 0,
  blockHash: '',
  minedAt: now,
})

/** The parts of a challenge id; undefined when it cannot be one. */
export const challengeParts = (challengeId: string): { setId: string; asset: string } | undefined => {
  const match = /^(ch_[a-z2-7]{26})\.([a-z0-9_]{1,32})$/.exec(challengeId)
  return match?.[1] && match[2] ? { setId: match[1], asset: match[2] } : undefined
}
