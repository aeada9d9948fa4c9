/**
 * A TON chain of its own for a test file: real TVM, real jetton contracts, and masterchain blocks that the test makes.
 */

import { createHash } from 'node:crypto'
import { Address, beginCell, Cell, external, internal, type MessageRelaxed, TupleBuilder } from '@ton/core'
import { Blockchain, type BlockchainTransaction, createShardAccount } from '@ton/sandbox'
import { canonicalTon } from '../../adapters/chains/ton-address.ts'
import jetton from './jetton.json' with { type: 'json' }
import { messageHash, mintBody, normalizedHash, transferBody } from './ton-messages.ts'

/** Blocks that are there from the start, so that a watch has some to begin with. */
const FIRST_SEQNO = 1_000
const FIRST_BLOCKS = 150
const RICH = 10n ** 27n
/** Goes with each jetton transfer, and pays for its messages. */
const JETTON_FEE = 200_000_000n

export type TonBlockDouble = { seqno: number; hash: Buffer; utime: number; transactions: TonTransactionDouble[] }
export type TonTransactionDouble = { transaction: BlockchainTransaction; traceId: string; seqno: number | undefined }
/** What one message from outside set off. Hashes are hex. */
export type TonSent = {
  /** The message itself, and in the form that hashes alike whoever sends it (TEP-467). */
  message: string
  normalized: string
  transactions: readonly BlockchainTransaction[]
}
export type TonMessage = { to: string; value: bigint; body?: Cell; bounce?: boolean }

export type TonSandbox = Awaited<ReturnType<typeof startTonSandbox>>

export const startTonSandbox = async () => {
  const blockchain = await Blockchain.create()
  blockchain.now = Math.floor(Date.now() / 1000)
  const payer = await blockchain.treasury('payer', { balance: RICH })
  const blocks: TonBlockDouble[] = []
  const known: TonTransactionDouble[] = []
  let waiting: TonTransactionDouble[] = []

  const mine = (count = 1, utime = Math.floor(Date.now() / 1000)) => {
    for (let n = 0; n < count; n++) {
      const seqno = FIRST_SEQNO + blocks.length
      const hash = createHash('sha256').update(`block ${seqno}`).digest()
      for (const each of waiting) each.seqno = seqno
      blocks.push({ seqno, hash, utime, transactions: waiting })
      waiting = []
    }
  }
  mine(FIRST_BLOCKS)

  /** Runs what the messages set off to its end; none of it is in a block yet. */
  const submit = async (...messages: readonly TonMessage[]): Promise<TonSent> => {
    const out: MessageRelaxed[] = messages.map(({ to, value, body, bounce = true }) =>
      internal({ to: Address.parse(to), value, bounce, ...(body && { body }) }),
    )
    const message = external({ to: payer.address, body: payer.createTransfer({ messages: out }) })
    const { transactions } = await blockchain.sendMessage(message)
    const traceId = hex(transactions[0]?.hash() ?? Buffer.alloc(0))
    const made = transactions.map((transaction) => ({ transaction, traceId, seqno: undefined }))
    known.push(...made)
    waiting.push(...made)
    return { message: hex(messageHash(message)), normalized: hex(normalizedHash(message)), transactions }
  }
  /** The same, all of it in one new block. */
  const send = async (...messages: readonly TonMessage[]): Promise<TonSent> => {
    const sent = await submit(...messages)
    mine()
    return sent
  }

  return {
    blockchain,
    blocks,
    known,
    payer: canonicalTon(payer.address.toRawString()) ?? '',
    mine,
    submit,
    send,
    /** Puts only the oldest `count` transactions that wait into a new block. */
    mineFirst(count: number) {
      const later = waiting.slice(count)
      waiting = waiting.slice(0, count)
      mine()
      waiting = later
    },
    /** Puts a jetton's master at an address, and mints `supply` of its units to the payer. */
    async deployJetton(master: string, supply: bigint) {
      const address = Address.parse(master)
      const wallet = Cell.fromBase64(jetton.wallet)
      const data = beginCell().storeCoins(0).storeAddress(payer.address).storeRef(new Cell()).storeRef(wallet).endCell()
      await blockchain.setShardAccount(
        address,
        createShardAccount({ address, code: Cell.fromBase64(jetton.minter), data, balance: 10n * JETTON_FEE }),
      )
      await send(mintMessage(master, payer.address.toString(), supply))
    },
    /** The message of the payer, who is every master's admin, that makes units for somebody. */
    mintMessage,
    /** The message to the payer's own jetton wallet that sends units to somebody. */
    async jettonMessage(master: string, to: string, amount: bigint, forward = 0n): Promise<TonMessage> {
      const wallet = await jettonWallet(blockchain, master, payer.address.toString())
      return { to: wallet, value: JETTON_FEE, body: transferBody(Address.parse(to), amount, payer.address, forward) }
    },
    jettonWallet: (master: string, owner: string) => jettonWallet(blockchain, master, owner),
  }
}

export const hex = (bytes: Buffer): string => bytes.toString('hex')

/** Of the transactions that a message set off, those at an account. */
export const transactionsAt = ({ transactions }: TonSent, account: string): BlockchainTransaction[] => {
  const id = BigInt(`0x${hex(Address.parse(account).hash)}`)
  return transactions.filter(({ address }) => address === id)
}

const mintMessage = (master: string, to: string, amount: bigint): TonMessage => ({
  to: master,
  value: 3n * JETTON_FEE,
  body: mintBody(Address.parse(to), amount, JETTON_FEE),
})

const jettonWallet = async (blockchain: Blockchain, master: string, owner: string): Promise<string> => {
  const stack = new TupleBuilder()
  stack.writeAddress(Address.parse(owner))
  const { stackReader } = await blockchain.runGetMethod(Address.parse(master), 'get_wallet_address', stack.build())
  return canonicalTon(stackReader.readAddress().toRawString()) ?? ''
}
