/** Messages of jettons (TEP-74), and how messages are hashed. */

import {
  type Address,
  beginCell,
  type Cell,
  type CommonMessageInfoExternalIn,
  type Message,
  storeMessage,
} from '@ton/core'

/** Asks a wallet to send units to somebody; `forward` nanotons go with the notification, and 0 means none. */
export const transferBody = (to: Address, amount: bigint, responseTo: Address, forward: bigint): Cell =>
  beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(7, 64)
    .storeCoins(amount)
    .storeAddress(to)
    .storeAddress(responseTo)
    .storeBit(false)
    .storeCoins(forward)
    .storeBit(false)
    .endCell()

/** What a wallet takes units by, from a wallet of the same master or from the master. */
export const internalTransferBody = (from: Address | null, amount: bigint, responseTo: Address): Cell =>
  beginCell()
    .storeUint(0x178d4519, 32)
    .storeUint(7, 64)
    .storeCoins(amount)
    .storeAddress(from)
    .storeAddress(responseTo)
    .storeCoins(0)
    .storeBit(false)
    .endCell()

/** What a wallet tells its owner, and what anybody may say. */
export const notificationBody = (from: Address, amount: bigint): Cell =>
  beginCell().storeUint(0x7362d09c, 32).storeUint(7, 64).storeCoins(amount).storeAddress(from).storeBit(false).endCell()

/** Asks a master to make units; `fee` goes with them to the wallet. */
export const mintBody = (to: Address, amount: bigint, fee: bigint): Cell =>
  beginCell()
    .storeUint(21, 32)
    .storeUint(7, 64)
    .storeAddress(to)
    .storeCoins(fee)
    .storeRef(internalTransferBody(null, amount, to))
    .endCell()

/** A comment, as wallets write it. */
export const commentBody = (text: string): Cell => beginCell().storeUint(0, 32).storeStringTail(text).endCell()

export const messageHash = (message: Message): Buffer => beginCell().store(storeMessage(message)).endCell().hash()

/** Of a message from outside, the same for all who hand it on: without what they may change (TEP-467). */
export const normalizedHash = ({ info, body }: Message): Buffer => {
  const { dest } = info as CommonMessageInfoExternalIn
  const bare = beginCell().storeUint(2, 2).storeUint(0, 2).storeAddress(dest).storeCoins(0).storeBit(false)
  return bare.storeBit(true).storeRef(body).endCell().hash()
}
