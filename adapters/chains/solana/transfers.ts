/**
 * Finds the payments on Solana: a payment is what an account has more of after a transaction than before, not what the
 * instructions say. That covers tokens that keep a fee (Token-2022), programs that pay on, and receivers with several
 * token accounts.
 */

import type { TokenBalance } from '@solana/web3.js'
import type { Asset } from '../../../domain/kernel/assets.ts'
import type { Transfer } from '../../../domain/kernel/ports.ts'

/** The parts of a node's answers that are read here. Whole numbers above 2^53 are bigint (`exactJson`). */
export type RawTransaction = {
  readonly meta: RawMeta | null
  readonly transaction: {
    readonly signatures: readonly string[]
    /** Accounts in a block read with `transactionDetails: 'accounts'`: those of lookup tables are among them. */
    readonly accountKeys?: readonly { readonly pubkey: string }[]
    /** Accounts in a transaction read with `encoding: 'json'`: those of lookup tables are not among them. */
    readonly message?: { readonly accountKeys: readonly string[] }
  }
}
type RawMeta = {
  readonly err: unknown
  readonly preBalances: readonly Lamports[]
  readonly postBalances: readonly Lamports[]
  readonly preTokenBalances: readonly TokenBalance[]
  readonly postTokenBalances: readonly TokenBalance[]
  readonly loadedAddresses?: { readonly writable: readonly string[]; readonly readonly: readonly string[] } | null
}
type Lamports = number | bigint

/** The block that a transaction stands in. */
export type BlockPlace = Pick<Transfer, 'height' | 'blockHash' | 'minedAt'>

/** The catalogued coins of one Solana chain. */
export type SolanaCoins = {
  readonly network: string
  readonly native: Asset | undefined
  /** Keyed by mint. */
  readonly tokens: ReadonlyMap<string, Asset>
}

/** The receivers and the mints that are looked for; `undefined` is any. */
export type SolanaTransferFilter = {
  readonly receivers: ReadonlySet<string> | undefined
  readonly mints: ReadonlySet<string> | undefined
}

export const solanaCoinsOf = (network: string, catalogue: readonly Asset[]): SolanaCoins => ({
  network,
  native: catalogue.find(({ contract }) => contract === undefined),
  tokens: new Map(catalogue.flatMap((asset) => (asset.contract ? [[asset.contract, asset]] : []))),
})

/** The catalogued mints and further ones. */
export const wantedOf = (
  { tokens }: SolanaCoins,
  receivers: ReadonlySet<string>,
  further: ReadonlySet<string> = new Set(),
): SolanaTransferFilter => ({ receivers, mints: new Set([...tokens.keys(), ...further]) })

export const anything: SolanaTransferFilter = { receivers: undefined, mints: undefined }

/**
 * The transfers of a transaction in the order of its accounts, so they are the same whenever it is read. Each is one
 * receiver's gain in one coin: two instructions that pay the same receiver the same coin are one transfer. Throws when
 * the answer is not whole.
 */
export const transfersIn = (
  coins: SolanaCoins,
  raw: RawTransaction,
  place: () => BlockPlace,
  wanted: SolanaTransferFilter,
): Transfer[] => {
  const { meta } = raw
  const tx = raw.transaction?.signatures?.[0]
  const keys = accountsOf(raw)
  if (!meta || !isWhole(meta, keys) || tx === undefined) throw unreadable(coins.network)
  if (meta.err !== null) return []
  const gains = [...tokenGains(coins, meta, wanted), ...nativeGains(coins, meta, keys, wanted)]
  if (gains.length === 0) return []
  const at = place()
  const from = keys[0] as string
  return gains
    .toSorted((a, b) => a.account - b.account)
    .map(({ account, kind, asset, to, amount }) => ({
      network: coins.network,
      tx,
      index: `${kind}:${account}`,
      asset,
      from,
      to,
      amount,
      ...at,
    }))
}

/** The gain of one receiver; `account` is the place of its first account among the transaction's. */
type Gain = Pick<Transfer, 'asset' | 'to' | 'amount'> & { readonly account: number; readonly kind: 'sol' | 'spl' }

/**
 * Sums gains by owner and mint: an owner may have any number of accounts of one token, and may move them among each
 * other.
 */
const tokenGains = (
  { network, tokens }: SolanaCoins,
  meta: RawMeta,
  { receivers, mints }: SolanaTransferFilter,
): Gain[] => {
  const sums = new Map<string, { account: number; to: string; mint: string; amount: bigint }>()
  const add = (balances: readonly TokenBalance[], sign: bigint) => {
    for (const { owner, mint, accountIndex, uiTokenAmount } of balances) {
      if (mints && !mints.has(mint)) continue
      if (owner === undefined) throw unreadable(network)
      if (receivers && !receivers.has(owner)) continue
      const key = `${owner} ${mint}`
      const sum = sums.get(key) ?? { account: accountIndex, to: owner, mint, amount: 0n }
      const amount = sum.amount + sign * BigInt(uiTokenAmount.amount)
      sums.set(key, { ...sum, account: Math.min(sum.account, accountIndex), amount })
    }
  }
  add(meta.preTokenBalances, -1n)
  add(meta.postTokenBalances, 1n)
  return [...sums.values()]
    .filter(({ amount }) => amount > 0n)
    .map(({ account, to, mint, amount }) => ({
      account,
      kind: 'spl',
      asset: tokens.get(mint)?.code ?? mint,
      to,
      amount,
    }))
}

/**
 * The gain of a wallet that pays the fee is what is left after the fee. The SOL in a token account is its rent, or
 * counts as a token: wrapped SOL.
 */
const nativeGains = (
  { native }: SolanaCoins,
  meta: RawMeta,
  keys: readonly string[],
  { receivers }: SolanaTransferFilter,
): Gain[] => {
  if (!native) return []
  const { preBalances, postBalances } = meta
  const risen = keys.flatMap((to, account) => {
    const [before = 0, after = 0] = [preBalances[account], postBalances[account]]
    if (after <= before || (receivers && !receivers.has(to))) return []
    return [{ account, kind: 'sol' as const, asset: native.code, to, amount: BigInt(after) - BigInt(before) }]
  })
  if (risen.length === 0) return []
  const balances = [...meta.preTokenBalances, ...meta.postTokenBalances]
  const holders = new Set(balances.map(({ accountIndex }) => accountIndex))
  return risen.filter(({ account }) => !holders.has(account))
}

/**
 * The accounts in the order in which balances stand: the transaction's own, then those of its lookup tables, the
 * writable ones first.
 */
const accountsOf = ({ transaction, meta }: RawTransaction): readonly string[] => {
  if (transaction?.accountKeys) return transaction.accountKeys.map(({ pubkey }) => pubkey)
  const { writable = [], readonly = [] } = meta?.loadedAddresses ?? {}
  return [...(transaction?.message?.accountKeys ?? []), ...writable, ...readonly]
}

/** A node that keeps no balances would make every payment invisible, so what it leaves out is never taken as empty. */
const isWhole = (meta: RawMeta, keys: readonly string[]): boolean =>
  meta.err !== undefined &&
  keys.length > 0 &&
  meta.preBalances?.length === keys.length &&
  meta.postBalances?.length === keys.length &&
  Array.isArray(meta.preTokenBalances) &&
  Array.isArray(meta.postTokenBalances)

const unreadable = (network: string) => new Error(`${network}: a transaction that cannot be read`)
