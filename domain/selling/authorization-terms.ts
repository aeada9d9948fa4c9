import type { Units } from '../kernel/money.ts'

/** A transfer that its payer has signed, for anybody to carry out, once (EIP-3009). */
export type Authorization = {
  network: string
  /** The code of the token. */
  asset: string
  contract: string
  /** Addresses in canonical form. */
  from: string
  to: string
  value: Units
  /** Unix seconds, as decimal text. The authorization is valid in blocks between the two times, which are excluded. */
  validAfter: string
  validBefore: string
  /** 32 bytes as lower-case hex with 0x. */
  nonce: string
  /** Lower-case hex with 0x. A payer without code signs in canonical form: low s, v 27 or 28. */
  signature: string
}

/** Names an authorization over all chains; the signature is no part of it, because one payment has many valid ones. */
export const authorizationId = ({
  network,
  asset,
  from,
  nonce,
}: Pick<Authorization, 'network' | 'asset' | 'from' | 'nonce'>) => `${network}:${asset}:${from}:${nonce}`

/** The authorization that a transfer carried out; undefined for a plain one. */
export const carriedOut = (transfer: {
  readonly network: string
  readonly asset: string
  readonly from: string
  readonly authorization?: string
}): string | undefined =>
  transfer.authorization === undefined ? undefined : authorizationId({ ...transfer, nonce: transfer.authorization })
