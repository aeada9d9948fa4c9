/** Somebody who pays on a Solana chain, with the token programs' own instructions. */

import {
  AddressLookupTableAccount,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { assetOf } from '../../domain/kernel/assets.ts'
import { askNode, type SolanaNode } from './solana-node.ts'

export const USDC = new PublicKey(assetOf('usdc_sol')?.contract ?? '')
/** Of what a transfer of the token with a fee keeps back, in hundredths of a percent. */
export const TOKEN_FEE_POINTS = 250n

const TOKEN = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const TOKEN_2022 = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
const ASSOCIATED = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
const LOOKUP_TABLES = new PublicKey('AddressLookupTab1e1111111111111111111111111')
const NATIVE_MINT = new PublicKey('So11111111111111111111111111111111111111112')
const DECIMALS = 6
const RICHES = 9n * 10n ** 18n
const RENT = 10_000_000n

export type Till = Awaited<ReturnType<typeof openTill>>
type Mint = { readonly mint: PublicKey; readonly program: PublicKey }

const usdc: Mint = { mint: USDC, program: TOKEN }

/** Gives the payer coin and tokens: USD Coin at its own mint, and one in no catalogue that calls itself the same. */
export const openTill = async (node: SolanaNode) => {
  const payer = Keypair.generate()
  await node.setAccount(payer.publicKey, { lamports: RICHES, owner: SystemProgram.programId, data: new Uint8Array() })
  const foreign: Mint = { mint: Keypair.generate().publicKey, program: TOKEN }
  const held = new Set<string>()

  const submit = async (instructions: TransactionInstruction[], signers: Keypair[] = [], tables = noTables) => {
    const latest = [{ commitment: 'processed' }]
    const { value } = await askNode<{ value: { blockhash: string } }>(node.url, 'getLatestBlockhash', latest)
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: value.blockhash,
      instructions,
    })
    const transaction = new VersionedTransaction(
      tables.length > 0 ? message.compileToV0Message(tables) : message.compileToLegacyMessage(),
    )
    transaction.sign([payer, ...signers])
    const raw = Buffer.from(transaction.serialize()).toString('base64')
    return askNode<string>(node.url, 'sendTransaction', [raw, { encoding: 'base64', skipPreflight: true }])
  }
  /** Pays from the payer's account; the receiver's is made first, unless it has one. */
  const tokens = ({ mint, program }: Mint, to: string, amount: bigint) => {
    const owner = new PublicKey(to)
    const account = tokenAccount(owner, { mint, program })
    const make = held.has(account.toBase58()) ? [] : [makeAccount(payer.publicKey, owner, { mint, program })]
    held.add(account.toBase58())
    const from = tokenAccount(payer.publicKey, { mint, program })
    return [...make, transferChecked({ mint, program }, from, account, payer.publicKey, amount)]
  }
  const stock = async (coin: Mint) => {
    const own = tokenAccount(payer.publicKey, coin)
    await submit([makeAccount(payer.publicKey, payer.publicKey, coin), mintTo(coin, own, payer.publicKey, RICHES)])
    held.add(own.toBase58())
  }
  const tooMuch = () => SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: USDC, lamports: 2n ** 63n })
  const coin = (to: string, lamports: bigint) =>
    SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: new PublicKey(to), lamports })

  for (const { mint, program } of [usdc, foreign]) {
    await node.setAccount(mint, { lamports: RENT, owner: program, data: mintData(payer.publicKey) })
    await stock({ mint, program })
  }
  return {
    payer: payer.publicKey.toBase58(),
    foreign: foreign.mint.toBase58(),
    submit,
    sol: (to: string, lamports: bigint) => submit([coin(to, lamports)]),
    usdc: (to: string, amount: bigint) => submit(tokens(usdc, to, amount)),
    foreignTokens: (to: string, amount: bigint) => submit(tokens(foreign, to, amount)),
    /** In either; all in one transaction. */
    several: (...payments: readonly (readonly [asset: string, to: string, amount: bigint])[]) =>
      submit(
        payments.flatMap(([asset, to, amount]) => (asset === 'sol' ? [coin(to, amount)] : tokens(usdc, to, amount))),
      ),
    /** Is mined and fails, after it has paid. */
    inVain: (asset: string, to: string, amount: bigint) => {
      const payment = asset === 'sol' ? [coin(to, amount)] : [...tokens(usdc, to, amount)]
      if (asset !== 'sol') held.delete(tokenAccount(new PublicKey(to), usdc).toBase58())
      return submit([...payment, tooMuch()])
    },
    /** Version 0: the receivers stand in a lookup table only. */
    async throughTable(...payments: readonly (readonly [to: string, lamports: bigint])[]) {
      const key = Keypair.generate().publicKey
      const addresses = payments.map(([to]) => new PublicKey(to))
      await node.setAccount(key, { lamports: RENT, owner: LOOKUP_TABLES, data: tableData(payer.publicKey, addresses) })
      const data = tableData(payer.publicKey, addresses)
      const table = new AddressLookupTableAccount({ key, state: AddressLookupTableAccount.deserialize(data) })
      return submit(
        payments.map(([to, lamports]) => coin(to, lamports)),
        [],
        [table],
      )
    },
    /** Makes a token of Token-2022 that keeps back a part of every transfer; answers its mint. */
    async tokenWithFee(): Promise<{ mint: string; pay(to: string, amount: bigint): Promise<string> }> {
      const mint = Keypair.generate()
      const kind = { mint: mint.publicKey, program: TOKEN_2022 }
      await submit(makeMintWithFee(payer.publicKey, mint.publicKey), [mint])
      await stock(kind)
      return { mint: mint.publicKey.toBase58(), pay: (to, amount) => submit(tokens(kind, to, amount)) }
    },
    /** A second account of the receiver's, besides the associated one, and a payment into both. */
    async usdcInTwoAccounts(to: string, first: bigint, second: bigint) {
      const account = Keypair.generate()
      const from = tokenAccount(payer.publicKey, usdc)
      const create = SystemProgram.createAccount({
        fromPubkey: payer.publicKey,
        newAccountPubkey: account.publicKey,
        lamports: Number(RENT),
        space: 165,
        programId: TOKEN,
      })
      const initialise = new TransactionInstruction({
        programId: TOKEN,
        keys: [writable(account.publicKey), readable(USDC)],
        data: Buffer.concat([Buffer.from([18]), new PublicKey(to).toBuffer()]),
      })
      await submit([create, initialise], [account])
      const extra = transferChecked(usdc, from, account.publicKey, payer.publicKey, second)
      return submit([...tokens(usdc, to, first), extra])
    },
    /** Wrapped SOL: lamports and tokens in one. */
    wrappedSol(to: string, lamports: bigint) {
      const kind = { mint: NATIVE_MINT, program: TOKEN }
      const account = tokenAccount(new PublicKey(to), kind)
      const sync = new TransactionInstruction({ programId: TOKEN, keys: [writable(account)], data: Buffer.from([17]) })
      const make = makeAccount(payer.publicKey, new PublicKey(to), kind)
      return submit([make, coin(account.toBase58(), lamports), sync])
    },
  }
}

const noTables: AddressLookupTableAccount[] = []
const writable = (pubkey: PublicKey, isSigner = false) => ({ pubkey, isSigner, isWritable: true })
const readable = (pubkey: PublicKey, isSigner = false) => ({ pubkey, isSigner, isWritable: false })

/** Where a wallet's tokens of one mint are sent to. */
export const tokenAccount = (owner: PublicKey, { mint, program }: Mint): PublicKey =>
  PublicKey.findProgramAddressSync([owner.toBuffer(), program.toBuffer(), mint.toBuffer()], ASSOCIATED)[0]

export const usdcAccount = (owner: string): string => tokenAccount(new PublicKey(owner), usdc).toBase58()

/** CreateIdempotent. */
const makeAccount = (payer: PublicKey, owner: PublicKey, { mint, program }: Mint) =>
  new TransactionInstruction({
    programId: ASSOCIATED,
    keys: [
      writable(payer, true),
      writable(tokenAccount(owner, { mint, program })),
      readable(owner),
      readable(mint),
      readable(SystemProgram.programId),
      readable(program),
    ],
    data: Buffer.from([1]),
  })

/** TransferChecked. */
const transferChecked = ({ mint, program }: Mint, from: PublicKey, to: PublicKey, owner: PublicKey, amount: bigint) =>
  new TransactionInstruction({
    programId: program,
    keys: [writable(from), readable(mint), writable(to), readable(owner, true)],
    data: Buffer.from([12, ...u64(amount), DECIMALS]),
  })

/** MintTo. */
const mintTo = ({ mint, program }: Mint, to: PublicKey, authority: PublicKey, amount: bigint) =>
  new TransactionInstruction({
    programId: program,
    keys: [writable(mint), writable(to), readable(authority, true)],
    data: Buffer.from([7, ...u64(amount)]),
  })

/** An account with room for one extension, InitializeTransferFeeConfig, InitializeMint2. */
const makeMintWithFee = (payer: PublicKey, mint: PublicKey): TransactionInstruction[] => {
  const keys = [writable(mint)]
  const fee = [26, 0, 0, 0, Number(TOKEN_FEE_POINTS & 255n), Number(TOKEN_FEE_POINTS >> 8n), ...u64(2n ** 63n)]
  return [
    SystemProgram.createAccount({
      fromPubkey: payer,
      newAccountPubkey: mint,
      lamports: Number(RENT),
      space: 278,
      programId: TOKEN_2022,
    }),
    new TransactionInstruction({ programId: TOKEN_2022, keys, data: Buffer.from(fee) }),
    new TransactionInstruction({
      programId: TOKEN_2022,
      keys,
      data: Buffer.from([20, DECIMALS, ...payer.toBytes(), 0]),
    }),
  ]
}

/** A mint of the token program: its authority, supply, decimals, that it is in use, and no freeze authority. */
const mintData = (authority: PublicKey): Uint8Array =>
  Buffer.concat([
    Buffer.from([1, 0, 0, 0]),
    authority.toBuffer(),
    Buffer.from([...u64(0n), DECIMALS, 1]),
    Buffer.alloc(36),
  ])

/** A lookup table that is in use since slot 0: its header of 56 bytes, then its addresses. */
const tableData = (authority: PublicKey, addresses: readonly PublicKey[]): Uint8Array => {
  const header = [1, 0, 0, 0, ...u64(2n ** 64n - 1n), ...u64(0n), 0, 1, ...authority.toBytes(), 0, 0]
  return Buffer.concat([Buffer.from(header), ...addresses.map((address) => address.toBuffer())])
}

const u64 = (value: bigint): number[] => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return [...bytes]
}
