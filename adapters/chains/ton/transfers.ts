/** The transfers of transactions: what arrived, in which coin, and whose it is. */

import { Cell } from '@ton/core'
import type { Asset } from '../../../domain/kernel/assets.ts'
import type { Transfer } from '../../../domain/kernel/ports.ts'
import { canonicalTon } from '../ton-address.ts'
import { hexOf, type TonRawTransaction, timeOf } from './answers.ts'
import type { JettonWallets, Taker } from './jetton-wallets.ts'

/**
 * Jetton transfers that are told for one posted hash; for a trace with more, only the one that arrived in the posted
 * transaction itself.
 */
export const TON_TRACE_JETTONS_MAX = 32

/** A transfer whose block is known by its height only. */
type ArrivedTransfer = Omit<Transfer, 'blockHash'>

/** Reads transfers from transactions; both methods answer in chain order. */
export type TransferReader = {
  /** The transfers to one of the addresses, in a catalogued coin or one of the further contracts. */
  to(
    transactions: readonly TonRawTransaction[],
    addresses: ReadonlySet<string>,
    contracts?: ReadonlySet<string>,
  ): Promise<ArrivedTransfer[]>
  /** The transfers to anybody, in any coin. `posted` is the hash, in hex, by which the transactions were looked up. */
  of(transactions: readonly TonRawTransaction[], posted: string): Promise<ArrivedTransfer[]>
}

export const createTransferReader = (
  network: string,
  assets: readonly Asset[],
  wallets: JettonWallets,
): TransferReader => {
  const native = assets.find(({ contract }) => contract === undefined)?.code
  const codes = new Map(assets.flatMap(({ contract, code }) => (contract === undefined ? [] : [[contract, code]])))
  const context: Context = { network, native, codes, wallets }
  return {
    async to(transactions, addresses, contracts = new Set()) {
      const isSought = (master: string) => codes.has(master) || contracts.has(master)
      const takers = codes.size + contracts.size > 0 ? transactions.filter(mayBeJetton) : []
      const jettons = await jettonTransfers(context, takers, (to, master) => addresses.has(to) && isSought(master))
      const coins = coinTransfers(context, transactions).filter(({ transfer }) => addresses.has(transfer.to))
      return inChainOrder([...coins, ...jettons])
    },
    async of(transactions, posted) {
      const all = transactions.filter(mayBeJetton)
      const takers = all.length > TON_TRACE_JETTONS_MAX ? all.filter(({ hash }) => hexOf(hash) === posted) : all
      const jettons = await jettonTransfers(context, takers, () => true)
      return inChainOrder([...coinTransfers(context, transactions), ...jettons])
    },
  }
}

type Context = {
  readonly network: string
  /** Code of the chain's own coin, where it is catalogued. */
  readonly native: string | undefined
  /** Codes of the catalogued jettons, keyed by master. */
  readonly codes: ReadonlyMap<string, string>
  readonly wallets: JettonWallets
}
/** `lt`: the chain's own clock, by which transactions of one block follow each other. */
type OrderedTransfer = { readonly transfer: ArrivedTransfer; readonly lt: bigint }

const coinTransfers = (context: Context, transactions: readonly TonRawTransaction[]): OrderedTransfer[] => {
  const { native } = context
  if (native === undefined) return []
  return transactions.flatMap((transaction) => {
    const arrival = coinArrival(transaction)
    const [from, to] = arrival ? [canonicalTon(arrival.from), canonicalTon(arrival.to)] : []
    if (!arrival || !from || !to) return []
    return placed(context, transaction, { index: 'native', asset: native, from, to, amount: arrival.amount })
  })
}

/** Masters are asked only about wanted transfers, which are few. */
const jettonTransfers = async (
  context: Context,
  transactions: readonly TonRawTransaction[],
  isWanted: (owner: string, master: string) => boolean,
): Promise<OrderedTransfer[]> => {
  const { codes, wallets } = context
  const claims = await wallets.claims(transactions.map(takerOf))
  const found: OrderedTransfer[] = []
  for (const transaction of transactions) {
    const claim = claims.get(transaction.account)
    const [to, master] = claim ? [canonicalTon(claim.owner), canonicalTon(claim.master)] : []
    if (!claim || !to || !master || !isWanted(to, master)) continue
    if (!(await wallets.isGenuine(takerOf(transaction), claim))) continue
    const arrival = jettonArrival(transaction)
    const [from, index] = [arrival && canonicalTon(arrival.from), canonicalTon(transaction.account)]
    if (!arrival || !from || !index) continue
    const money = { index, asset: codes.get(master) ?? master, from, to, amount: arrival.amount }
    found.push(placed(context, transaction, money))
  }
  return found
}

const takerOf = ({ account, now }: TonRawTransaction): Taker => ({ account, at: now * 1000 })

const placed = (
  { network }: Context,
  { hash, lt, now, mc_block_seqno }: TonRawTransaction,
  money: Pick<Transfer, 'index' | 'asset' | 'from' | 'to' | 'amount'>,
): OrderedTransfer => ({
  transfer: { network, tx: hexOf(hash), ...money, height: mc_block_seqno, minedAt: timeOf(now) },
  lt: BigInt(lt),
})

const inChainOrder = (found: readonly OrderedTransfer[]): ArrivedTransfer[] =>
  found
    .toSorted(
      (a, b) =>
        a.transfer.height - b.transfer.height ||
        Number(a.lt - b.lt) ||
        (a.transfer.tx < b.transfer.tx ? -1 : Number(a.transfer.tx > b.transfer.tx)),
    )
    .map(({ transfer }) => transfer)

/** `from` and `to` are raw addresses. */
type CoinArrival = { readonly from: string; readonly to: string; readonly amount: bigint }
type JettonArrival = { readonly from: string; readonly amount: bigint }

/**
 * The coin that a transaction brought to its account. Coin arrives with a message from inside of the chain unless the
 * bounce phase sent it back. Whether the transaction was aborted does not matter: it is aborted when a wallet that has
 * no code yet is paid. The coin in a message of a token contract (TEP-74) is fee and change of that token's transfer,
 * and a message that comes back carries the account's own coin; neither is a payment.
 */
const coinArrival = ({ account, in_msg, description }: TonRawTransaction): CoinArrival | undefined => {
  if (!in_msg?.source || in_msg.bounced || !in_msg.value || description.bounce?.type === 'ok') return undefined
  const amount = BigInt(in_msg.value)
  if (amount <= 0n || tokenMessages.has(opcodeOf(in_msg.opcode))) return undefined
  return { from: in_msg.source, to: account, amount }
}

/** Whether its account took an `internal_transfer`: if it is the wallet of a jetton, units of it arrived. */
const mayBeJetton = ({ in_msg, description }: TonRawTransaction): boolean =>
  description.aborted === false && !!in_msg?.source && !in_msg.bounced && opcodeOf(in_msg.opcode) === INTERNAL_TRANSFER

/**
 * The units that came with an `internal_transfer`; undefined when the message is none. A notification to the owner says
 * nothing: anybody can send one, and a transfer need not have one.
 */
const jettonArrival = ({ hash, in_msg }: TonRawTransaction): JettonArrival | undefined => {
  const body = in_msg?.message_content?.body
  if (!body) throw new Error(`a message without its body came with transaction ${hash}`)
  try {
    const slice = Cell.fromBase64(body)
      .beginParse()
      .skip(32 + 64)
    const amount = slice.loadCoins()
    // Minted jettons may come from nobody; their master then counts as the payer.
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
