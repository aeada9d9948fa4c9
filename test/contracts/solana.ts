import { base58 } from '@scure/base'
import { Keypair, PublicKey, SystemProgram } from '@solana/web3.js'
import type { ExecutionContext, TestFn } from 'ava'
import type { ChainNode } from '../../adapters/chains/rpc/chain-node.ts'
import { solanaChain } from '../../adapters/chains/solana/solana.ts'
import type { Transfer } from '../../domain/kernel/ports.ts'
import { askNode, localnet, type SolanaNode } from '../support/solana-node.ts'
import { openTill, type Till, TOKEN_FEE_POINTS, usdcAccount } from '../support/solana-till.ts'
import { type ChainTraits, chainContract } from './chain.ts'
import { type ChainUnderTest, twoHosts } from './chain-under-test.ts'

/** Milliseconds: a busy machine must not pass for a node that hangs. */
const TIMEOUT_MS = 20_000

export type SolanaUnderTest = { readonly node: SolanaNode; readonly till: Till; readonly chain: ChainNode }

export const connectSolana = (...rpcUrls: string[]): ChainNode =>
  solanaChain({ network: 'sol', chain: localnet, rpcUrls, timeoutMs: TIMEOUT_MS })

export const openSolana = async (node: SolanaNode): Promise<SolanaUnderTest> => ({
  node,
  till: await openTill(node),
  chain: connectSolana(node.url),
})

export const freshWallet = (): string => Keypair.generate().publicKey.toBase58()

/** A signature that nobody made. */
export const UNKNOWN_SIGNATURE = base58.encode(new Uint8Array(64).fill(7))

/** What any chain must do, then what is Solana's own, on one engine. */
export const solanaContract = (
  test: TestFn,
  name: string,
  start: () => Promise<SolanaNode>,
  { reorg, rearrange, ...traits }: ChainTraits & Pick<ChainUnderTest, 'reorg' | 'rearrange'> = {},
) => {
  const receivers = [freshWallet(), freshWallet(), freshWallet()]
  // A wallet that is not there yet must get its rent with its first lamports.
  const account = { lamports: 10n ** 9n, owner: SystemProgram.programId, data: new Uint8Array() }
  let opened: SolanaUnderTest
  test.before(async () => {
    opened = await openSolana(await start())
    for (const key of receivers) await opened.node.setAccount(new PublicKey(key), account)
  })
  test.after.always(() => opened?.node.stop())
  const open = async (): Promise<ChainUnderTest> => {
    const { till, node, chain } = opened
    return {
      chain,
      byTwo: connectSolana(...twoHosts(node.url)),
      addresses: receivers,
      nobody: freshWallet(),
      native: 'sol',
      token: 'usdc_sol',
      foreign: till.foreign,
      pay: (asset, to, amount) => (asset === 'sol' ? till.sol(to, amount) : till.usdc(to, amount)),
      payTwo: ([a, first], [b, second]) => till.several(['usdc_sol', a, first], ['usdc_sol', b, second]),
      payForeign: till.foreignTokens,
      payInVain: async (asset) => ({ tx: await till.inVain(asset, receivers[0] ?? '', 5n), to: receivers[0] ?? '' }),
      mine: node.mine,
      ...(reorg && { reorg }),
      ...(rearrange && { rearrange }),
    }
  }
  chainContract(test, name, open, { nativeIndex: /^sol:\d+$/, unknown: UNKNOWN_SIGNATURE, ...traits })

  const serial = (title: string, run: (t: ExecutionContext, opened: SolanaUnderTest) => Promise<unknown>) =>
    test.serial(`${name}: ${title}`, (t) => run(t, opened))
  serial(
    'J-GEN-05 a token payment into an account that is there already does not mention the wallet, and is found',
    silent,
  )
  serial('J-GEN-05 two receivers of SOL in one transaction are two payments', twoReceivers)
  serial('J-GEN-05 SOL and tokens to one receiver in one transaction are two payments', bothKinds)
  serial('two instructions that pay one receiver the same coin are one payment of their sum', summed)
  serial('several token accounts of one receiver are one payment', severalAccounts)
  serial('J-TOK-08 of a token that keeps a fee, what arrived is reported', keptFee)
  serial('J-GEN-05 receivers that stand in a lookup table are found', lookedUp)
  serial('what the payer has left is no income, and neither is a payment to himself', noIncome)
  serial('wrapped SOL is a token, and the rent of a token account is nobody’s income', wrapped)
  serial('a chain is named by CAIP-2, and proves its first block', named)
  serial('the newest block, its time and its hash are those that each provider has', tips)
}

const silent = async (t: ExecutionContext, { node, till, chain }: SolanaUnderTest) => {
  const to = freshWallet()
  await till.usdc(to, 1n)
  const tx = await till.usdc(to, 2n)
  const raw = await askNode<object>(node.url, 'getTransaction', [
    tx,
    { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 },
  ])
  const { transaction } = raw as { transaction: { message: { accountKeys: string[] } } }
  t.false(transaction.message.accountKeys.includes(to))
  t.deepEqual(await foundBoth(t, chain, tx, to), [['usdc_sol', to, 2n]])
}

const twoReceivers = async (t: ExecutionContext, { till, chain }: SolanaUnderTest) => {
  const [a, b] = [freshWallet(), freshWallet()]
  const tx = await till.several(['sol', a, 1_000_000n], ['sol', b, 2_000_000n])
  t.is((await chain.transfersOf(tx))?.[0]?.from, till.payer)
  t.deepEqual(await foundBoth(t, chain, tx, a, b), [
    ['sol', a, 1_000_000n],
    ['sol', b, 2_000_000n],
  ])
}

const bothKinds = async (t: ExecutionContext, { till, chain }: SolanaUnderTest) => {
  const to = freshWallet()
  const tx = await till.several(['sol', to, 1_000_000n], ['usdc_sol', to, 2n])
  const found = await foundBoth(t, chain, tx, to)
  t.deepEqual(found.toSorted(), [
    ['sol', to, 1_000_000n],
    ['usdc_sol', to, 2n],
  ])
}

const summed = async (t: ExecutionContext, { till, chain }: SolanaUnderTest) => {
  const to = freshWallet()
  const tx = await till.several(['sol', to, 1_000_000n], ['sol', to, 2_000_000n])
  t.deepEqual(await foundBoth(t, chain, tx, to), [['sol', to, 3_000_000n]])
}

const severalAccounts = async (t: ExecutionContext, { till, chain }: SolanaUnderTest) => {
  const to = freshWallet()
  t.deepEqual(await foundBoth(t, chain, await till.usdcInTwoAccounts(to, 3n, 4n), to), [['usdc_sol', to, 7n]])
}

const keptFee = async (t: ExecutionContext, { till, chain }: SolanaUnderTest) => {
  const [to, { mint, pay }] = [freshWallet(), await till.tokenWithFee()]
  const sent = 1_000_000n
  const tx = await pay(to, sent)
  const arrived = sent - (sent * TOKEN_FEE_POINTS) / 10_000n
  t.deepEqual(shown((await chain.transfersOf(tx)) ?? []), [[mint, to, arrived]])
  const { height } = await chain.head()
  t.deepEqual(shown(await chain.transfersIn(height, height, new Set([to]), new Set([mint]))), [[mint, to, arrived]])
  t.deepEqual(await chain.transfersIn(height, height, new Set([to])), [], 'no catalogue has it')
}

const lookedUp = async (t: ExecutionContext, { till, chain }: SolanaUnderTest) => {
  const [a, b] = [freshWallet(), freshWallet()]
  const tx = await till.throughTable([a, 1_000_000n], [b, 2_000_000n])
  t.deepEqual(await foundBoth(t, chain, tx, a, b), [
    ['sol', a, 1_000_000n],
    ['sol', b, 2_000_000n],
  ])
}

const noIncome = async (t: ExecutionContext, { till, chain }: SolanaUnderTest) => {
  for (const tx of [await till.sol(till.payer, 5n), await till.usdc(till.payer, 5n)]) {
    t.deepEqual(await chain.transfersOf(tx), [])
    const { height } = await chain.head()
    t.deepEqual(await chain.transfersIn(height, height, new Set([till.payer])), [])
  }
}

const wrapped = async (t: ExecutionContext, { till, chain }: SolanaUnderTest) => {
  const to = freshWallet()
  const found = (await chain.transfersOf(await till.wrappedSol(to, 5_000_000n))) ?? []
  t.deepEqual(shown(found), [['So11111111111111111111111111111111111111112', to, 5_000_000n]])
  const { height } = await chain.head()
  t.deepEqual(await chain.transfersIn(height, height, new Set([to, usdcAccount(to)])), [])
}

const named = async (t: ExecutionContext, { chain }: SolanaUnderTest) => {
  t.is(chain.caip2, 'solana:localnet')
  await t.notThrowsAsync(chain.verifyChain())
}

const tips = async (t: ExecutionContext, { node, chain }: SolanaUnderTest) => {
  const head = await chain.head()
  t.is(await chain.hashAt(head.height), head.hash)
  t.true(Math.abs(Date.parse(head.minedAt ?? '') - Date.now()) < 24 * 3600 * 1000, head.minedAt)
  const both = connectSolana('http://127.0.0.1:1', node.url)
  t.deepEqual(await both.tips(), [undefined, head])
  t.deepEqual(await both.hashesAt(head.height), [undefined, head.hash])
}

/** The transaction's transfers by hash, which must be those by range. */
const foundBoth = async (t: ExecutionContext, chain: ChainNode, tx: string, ...to: string[]) => {
  const { height } = await chain.head()
  const byHash = (await chain.transfersOf(tx)) ?? []
  t.deepEqual([...(await chain.transfersIn(height, height, new Set(to)))], byHash)
  t.is(new Set(byHash.map(({ index }) => index)).size, byHash.length)
  return shown(byHash)
}

const shown = (found: readonly Transfer[]) => found.map(({ asset, to, amount }) => [asset, to, amount] as const)
