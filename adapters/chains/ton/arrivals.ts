/** What a transaction brought to its account: coin of the chain, or units of a jetton (TEP-74). */

import { Cell } from '@ton/core'
import type { TonRawTransaction } from './answers.ts'

/** `from` and `to` are raw addresses. */
export type CoinArrival = { readonly from: string; readonly to: string; readonly amount: bigint }
export type JettonArrival = { readonly from: string; readonly amount: bigint }

/**
 * Coin arrives with a message from inside of the chain unless its bounce phase sent it back. Whether the transaction
 * was aborted says nothing of that: it is, where a wallet that has no code yet is paid. What comes with a message of a
 * token contract is fee and change of that token's transfer, and a message that comes back was the account's own;
 * neither is a payment.
 */
export const coinArrival = ({ account, in_msg, description }: TonRawTransaction): CoinArrival | undefined => {
  if (!in_msg?.source || in_msg.bounced || !in_msg.value || description.bounce?.type === 'ok') return undefined
  const amount = BigInt(in_msg.value)
  if (amount <= 0n || tokenMessages.has(opcodeOf(in_msg.opcode))) return undefined
  return { from: in_msg.source, to: account, amount }
}

/** Whether its account took an `internal_transfer`: if it is the wallet of a jetton, units of it arrived. */
export const mayBeJetton = ({ in_msg, description }: TonRawTransaction): boolean =>
  description.aborted === false && !!in_msg?.source && !in_msg.bounced && opcodeOf(in_msg.opcode) === INTERNAL_TRANSFER

/**
 * The units that came with an `internal_transfer`; undefined when the message is none. A notification to the owner says
 * nothing: anybody can send one, and a transfer need not have one.
 */
export const jettonArrival = ({ hash, in_msg }: TonRawTransaction): JettonArrival | undefined => {
  const body = in_msg?.message_content?.body
  if (!body) throw new Error(`a message without its body came with transaction ${hash}`)
  try {
    const slice = Cell.fromBase64(body)
      .beginParse()
      .skip(32 + 64)
    const amount = slice.loadCoins()
    // A jetton that is minted may come from nobody; its master then stands for him.
    const from = slice.loadMaybeAddress()?.toRawString() ?? in_msg?.source
    return amount > 0n && from ? { from, amount } : undefined
  } catch {
    return undefined
  }
}

const INTERNAL_TRANSFER = 0x178d4519

/** The messages of jettons (TEP-74) and NFTs (TEP-62), to a wallet and among their contracts. */
const tokenMessages = new Set([
  0x0f8a7ea5,
  INTERNAL_TRANSFER,
  0x7362d09c,
  0xd53276db,
  0x595f07bc,
  0x7bdd97de,
  0x5fcc3d14,
  0x05138d91,
])

const opcodeOf = (opcode: string | null): number => (opcode === null ? -1 : Number(opcode) >>> 0)
