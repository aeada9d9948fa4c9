/** What LiteSVM's accounts hold, as a Solana node writes it. */

import { base58 } from '@scure/base'
import { PublicKey } from '@solana/web3.js'
import type { LiteSVM } from 'litesvm'

const TOKEN_PROGRAMS = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb']

export const balancesOf = (svm: LiteSVM, keys: readonly PublicKey[]): bigint[] =>
  keys.map((key) => svm.getBalance(keyOf(key)) ?? 0n)

export const tokenBalancesOf = (svm: LiteSVM, keys: readonly PublicKey[]) =>
  keys.flatMap((key, accountIndex) => {
    const account = svm.getAccount(keyOf(key))
    if (!account.exists || !TOKEN_PROGRAMS.includes(account.programAddress) || account.data.length < 165) return []
    const data = Buffer.from(account.data)
    // Byte 165 tells a Token-2022 mint with extensions (1) from an account (2).
    if (data.length > 165 && data[165] !== 2) return []
    const mint = base58.encode(data.subarray(0, 32))
    const mintAccount = svm.getAccount(mint as never)
    const decimals = mintAccount.exists ? (mintAccount.data[44] ?? 0) : 0
    const amount = data.readBigUInt64LE(64).toString()
    const uiTokenAmount = { amount, decimals, uiAmount: null, uiAmountString: amount }
    return [{ accountIndex, mint, owner: base58.encode(data.subarray(32, 64)), uiTokenAmount }]
  })

/** Those of an owner and a mint among `keys`, each whole, whatever slice of its data was asked for. */
export const tokenAccountsOf = (svm: LiteSVM, keys: ReadonlySet<string>, wanted: { owner: string; mint: string }) => {
  const all = [...keys].map((key) => new PublicKey(key))
  return tokenBalancesOf(svm, all).flatMap(({ accountIndex, owner, mint }) => {
    const key = all[accountIndex]
    const account = key && owner === wanted.owner && mint === wanted.mint ? svm.getAccount(keyOf(key)) : undefined
    if (!key || !account?.exists) return []
    return [{ pubkey: keyOf(key), account: { data: [Buffer.from(account.data).toString('base64'), 'base64'] } }]
  })
}

export const keyOf = (key: PublicKey) => key.toBase58() as never
