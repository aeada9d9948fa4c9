/**
 * A Solana chain of real execution (LiteSVM) and real token programs behind a JSON-RPC of ours, shaped by Solana's
 * documentation. Unlike a node it lets a test decide which slots are skipped, how far `confirmed` lags, and which
 * blocks are taken back. Taking back a block makes the chain forget it; what its transactions did to accounts stays.
 */

import { createHash } from 'node:crypto'
import { base58 } from '@scure/base'
import { AddressLookupTableAccount, type PublicKey, VersionedTransaction } from '@solana/web3.js'
import { FailedTransactionMetadata, LiteSVM } from 'litesvm'
import { RpcError, serveJsonRpc } from './json-rpc-server.ts'
import { balancesOf, keyOf, tokenAccountsOf, tokenBalancesOf } from './lite-accounts.ts'
import type { SolanaNode } from './solana-node.ts'

export type LiteSolana = SolanaNode & {
  /** Slots in which no block is made. */
  skip(slots: number): void
  /** Replaces the newest blocks by empty ones in the same slots. */
  reorg(blocks: number): void
  /** Replaces the newest two blocks by an empty one and one of all that both held. */
  rearrange(): void
  /** Puts a transaction that was taken back into a new block, the very same one. */
  again(signature: string): void
  /** From now on, `confirmed` is so many blocks behind the newest. */
  lag(blocks: number): void
  /** The first block the node still has; those before are cleaned up. */
  forgetBefore(slot: number): void
}

const FIRST_SLOT = 1_000
/** Blocks above a finalized one. */
const FINALIZED_DEPTH = 32
const GENESIS = base58.encode(createHash('sha256').update('daybook').digest())
const SLOT_SECONDS = 0.4
const STARTED_AT = Date.now() / 1000 - FIRST_SLOT * SLOT_SECONDS

type Sent = ReturnType<typeof execute>
type Block = { slot: number; hash: string; parent: Block | undefined; sent: readonly Sent[] }

export const startLiteSolana = async (): Promise<LiteSolana> => {
  const svm = new LiteSVM().withNativeMints()
  const chain = createBlocks(svm)
  const rpc = createMethods(svm, chain)
  const server = await serveJsonRpc((method, params) => {
    const answer = rpc[method]
    if (!answer) throw new RpcError(-32601, 'Method not found')
    return answer(params)
  })
  return {
    url: server.url,
    async setAccount(address, { lamports, owner, data }) {
      svm.setAccount({
        address: keyOf(address),
        programAddress: keyOf(owner),
        executable: false,
        space: BigInt(data.length),
        data,
        lamports: lamports as never,
      })
    },
    async mine(slots) {
      for (let n = 0; n < slots; n++) chain.add([])
    },
    ...chain,
    stop: server.close,
  }
}

const createBlocks = (svm: LiteSVM) => {
  let blocks: Block[] = []
  let [slot, behind, kept, forks] = [FIRST_SLOT, 0, 0, 0]
  const taken = new Map<string, Sent>()
  const add = (sent: readonly Sent[]) => {
    slot += 1
    blocks.push(blockAt(slot, blocks.at(-1), sent, forks))
    svm.warpToSlot(BigInt(slot))
    svm.expireBlockhash()
  }
  add([])
  const tip = (commitment = 'finalized') =>
    blocks.at(commitment === 'finalized' ? -1 - FINALIZED_DEPTH : -1 - behind)?.slot ?? 0

  return {
    add,
    tip,
    slot: () => slot,
    first: () => kept,
    blocks: () => blocks,
    skip(slots: number) {
      slot += slots
    },
    lag(by: number) {
      behind = by
    },
    forgetBefore(first: number) {
      kept = first
      blocks = blocks.filter((block) => block.slot >= first)
    },
    reorg(count: number) {
      forks += 1
      const gone = blocks.splice(-count)
      for (const { sent } of gone) for (const one of sent) taken.set(one.signature, one)
      for (const { slot } of gone) blocks.push(blockAt(slot, blocks.at(-1), [], forks))
    },
    rearrange() {
      forks += 1
      const gone = blocks.splice(-2)
      const sent = gone.flatMap((block) => block.sent)
      for (const [n, { slot }] of gone.entries()) blocks.push(blockAt(slot, blocks.at(-1), n === 0 ? [] : sent, forks))
    },
    again(signature: string) {
      const sent = taken.get(signature)
      if (!sent) throw new Error('that transaction was not taken back')
      add([sent])
    },
  }
}

const blockAt = (slot: number, parent: Block | undefined, sent: readonly Sent[], fork: number): Block => {
  const hash = base58.encode(createHash('sha256').update(`${parent?.hash} ${slot} ${fork}`).digest())
  return { slot, hash, parent, sent }
}

type Settings = { commitment?: string; maxSupportedTransactionVersion?: number; transactionDetails?: string }
const settingsOf = (params: readonly unknown[]): Settings =>
  (params.findLast((param) => typeof param === 'object') as Settings | undefined) ?? {}

const createMethods = (svm: LiteSVM, chain: ReturnType<typeof createBlocks>) => {
  const listed = (params: readonly unknown[]) => {
    const tip = chain.tip(settingsOf(params).commitment)
    return chain.blocks().flatMap(({ slot }) => (slot >= Number(params[0]) && slot <= tip ? [slot] : []))
  }
  const answered = (value: unknown) => ({ context: { slot: chain.slot() }, value })
  const methods: Record<string, (params: readonly unknown[]) => unknown> = {
    getGenesisHash: () => GENESIS,
    getSlot: (params) => chain.tip(settingsOf(params).commitment),
    getLatestBlockhash: () => ({ context: { slot: chain.slot() }, value: { blockhash: svm.latestBlockhash() } }),
    getBlocks: (params) => listed(params).filter((slot) => slot <= Number(params[1])),
    getBlocksWithLimit: (params) => listed(params).slice(0, Number(params[1])),
    getBlock: (params) => encodedBlock(blockIn(chain, Number(params[0]), settingsOf(params)), settingsOf(params)),
    getTransaction: (params) => {
      const isIt = ({ signature }: Sent) => signature === params[0]
      const block = chain.blocks().findLast(({ sent }) => sent.some(isIt))
      const sent = block?.sent.find(isIt)
      if (!block || !sent || block.slot > chain.tip(settingsOf(params).commitment)) return null
      refuseNewer([sent], settingsOf(params))
      const { meta, message, version, signatures } = sent
      return { slot: block.slot, blockTime: timeOf(block), meta, version, transaction: { message, signatures } }
    },
    getBalance: ([wallet]) => answered(svm.getBalance(wallet as never) ?? 0n),
    // A node finds them by an index of its own; here they are among the accounts of the transactions so far.
    getTokenAccountsByOwner: ([owner, filter]) => {
      const used = chain.blocks().flatMap(({ sent }) => sent.flatMap(({ accountKeys }) => accountKeys))
      const keys = new Set(used.map(({ pubkey }) => String(pubkey)))
      return answered(tokenAccountsOf(svm, keys, { owner: String(owner), ...(filter as { mint: string }) }))
    },
    sendTransaction: ([raw]) => {
      const sent = execute(svm, VersionedTransaction.deserialize(Buffer.from(String(raw), 'base64')))
      chain.add([sent])
      return sent.signature
    },
  }
  return methods
}

/** What Agave answers for a slot without a block, by where the slot is. */
const blockIn = (chain: ReturnType<typeof createBlocks>, slot: number, { commitment }: Settings): Block => {
  const block = chain.blocks().find((block) => block.slot === slot)
  if (block && slot <= chain.tip(commitment)) return block
  if (slot < chain.first())
    throw new RpcError(
      -32001,
      `Block ${slot} cleaned up, does not exist on node. First available block: ${chain.first()}`,
    )
  if (slot < chain.tip('finalized'))
    throw new RpcError(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`)
  throw new RpcError(-32004, `Block not available for slot ${slot}`)
}

const encodedBlock = (block: Block, settings: Settings) => {
  const header = {
    blockhash: block.hash,
    blockHeight: block.slot - FIRST_SLOT,
    blockTime: timeOf(block),
    parentSlot: block.parent?.slot ?? 0,
    previousBlockhash: block.parent?.hash ?? GENESIS,
  }
  if (settings.transactionDetails === 'none') return header
  if (settings.transactionDetails !== 'accounts') throw new RpcError(-32602, 'this node knows none and accounts only')
  refuseNewer(block.sent, settings)
  const transactions = block.sent.map(({ meta: { loadedAddresses, ...meta }, accountKeys, signatures, version }) => ({
    meta,
    version,
    transaction: { accountKeys, signatures },
  }))
  return { ...header, transactions }
}

const refuseNewer = (sent: readonly Sent[], { maxSupportedTransactionVersion }: Settings) => {
  if (maxSupportedTransactionVersion === undefined && sent.some(({ version }) => version !== 'legacy'))
    throw new RpcError(-32015, 'Transaction version (0) is not supported by the requesting client')
}

const timeOf = ({ slot }: Block) => Math.floor(STARTED_AT + slot * SLOT_SECONDS)

/** Runs a transaction and writes down what a node would. Throws what never comes into a block, e.g. a bad signature. */
const execute = (svm: LiteSVM, transaction: VersionedTransaction) => {
  const { message } = transaction
  const tables = message.addressTableLookups.map(({ accountKey: key }) => tableAt(svm, key))
  const keys = message.getAccountKeys({ addressLookupTableAccounts: tables })
  const all = keys.keySegments().flat()
  const [preBalances, preTokenBalances] = [balancesOf(svm, all), tokenBalancesOf(svm, all)]
  const signers = message.staticAccountKeys.slice(0, message.header.numRequiredSignatures)
  const outcome = svm.sendTransaction({
    messageBytes: message.serialize() as never,
    signatures: Object.fromEntries(signers.map((key, n) => [keyOf(key), transaction.signatures[n]])) as never,
  })
  const { writable = [], readonly = [] } = keys.accountKeysFromLookups ?? {}
  const loadedAddresses = { writable: writable.map(keyOf), readonly: readonly.map(keyOf) }
  const signatures = transaction.signatures.map((signature) => base58.encode(signature))
  return {
    signatures,
    signature: signatures[0] as string,
    version: message.version,
    message: { accountKeys: message.staticAccountKeys.map(keyOf) },
    accountKeys: all.map((key, n) => ({
      pubkey: keyOf(key),
      signer: message.isAccountSigner(n),
      writable: message.isAccountWritable(n),
      source: n < message.staticAccountKeys.length ? 'transaction' : 'lookupTable',
    })),
    meta: {
      err: errorOf(outcome),
      fee: 5_000 * signatures.length,
      preBalances,
      postBalances: balancesOf(svm, all),
      preTokenBalances,
      postTokenBalances: tokenBalancesOf(svm, all),
      loadedAddresses,
    },
  }
}

const errorOf = (outcome: ReturnType<LiteSVM['sendTransaction']>) => {
  if (!(outcome instanceof FailedTransactionMetadata)) return null
  const error = outcome.err()
  if (!(typeof error === 'object' && 'index' in error)) throw new RpcError(-32002, String(error))
  return { InstructionError: [error.index, { Custom: 1 }] }
}

const tableAt = (svm: LiteSVM, key: PublicKey): AddressLookupTableAccount => {
  const account = svm.getAccount(keyOf(key))
  if (!account.exists) throw new RpcError(-32002, 'Transaction loads an address table account that does not exist')
  return new AddressLookupTableAccount({
    key,
    state: AddressLookupTableAccount.deserialize(account.data as Uint8Array),
  })
}
