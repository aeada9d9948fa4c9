/** Somebody who pays on a sandbox chain, and the node that tells of it. */

import { tonChain } from '../../adapters/chains/ton/ton.ts'
import { canonicalTon } from '../../adapters/chains/ton-address.ts'
import { assetOf } from '../../domain/kernel/assets.ts'
import { networkOf } from '../../domain/kernel/networks.ts'
import { hex, type TonSandbox, type TonSent, transactionsAt } from './ton-sandbox.ts'

export const TON_USDT = assetOf('usdt_ton')?.contract ?? ''

/** Long, so that a busy machine does not pass for a node that hangs. */
const TEST_CALL_TIMEOUT_MS = 20_000

export const connectTon = (rpcUrls: readonly string[], timeoutMs = TEST_CALL_TIMEOUT_MS, id = 'mainnet') => {
  const chain = networkOf('ton')?.chains.find((each) => each.id === id)
  if (!chain) throw new Error(`there is no TON ${id}`)
  return tonChain({ network: 'ton', chain, rpcUrls, timeoutMs })
}

/** An address that nobody has used, in canonical form. */
export const tonAddress = (n: number): string => canonicalTon(`0:a${n.toString(16).padStart(63, '0')}`) ?? ''

/** Answers the hash of the transaction in which the coin arrived. */
export const payTon = async (sandbox: TonSandbox, to: string, value: bigint): Promise<string> =>
  arrivedAt(await sandbox.send({ to, value, bounce: false }), to)

/** The same for units of a jetton. */
export const payJetton = async (sandbox: TonSandbox, master: string, to: string, amount: bigint): Promise<string> => {
  const sent = await sandbox.send(await sandbox.jettonMessage(master, to, amount))
  return arrivedAt(sent, await sandbox.jettonWallet(master, to))
}

/** The hash of the first transaction of a trace at an account. */
export const arrivedAt = (sent: TonSent, account: string): string => {
  const [transaction] = transactionsAt(sent, account)
  if (!transaction) throw new Error('nothing arrived there')
  return hex(transaction.hash())
}
