/**
 * A chain of its own for a test file: real EVM execution, mined at once, with the token of test-token.sol at any
 * address.
 */

import { createTestClient, encodeFunctionData, type Hex, http, publicActions, walletActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type EvmOptions, evmChain } from '../../adapters/chains/evm/evm.ts'
import { type SandboxOptions, startSandboxChain, untilPlaced } from '../../adapters/chains/sandbox/sandbox.ts'
import type { NetworkChain } from '../../domain/kernel/networks.ts'
import { askJsonRpc } from './json-rpc-server.ts'
import { closeInTheEnd, keepsThings } from './kept.ts'
import token from './test-token.json' with { type: 'json' }

/** Milliseconds one call of a test to its chain may take. */
const TEST_CALL_TIMEOUT_MS = 60_000

export type Anvil = Awaited<ReturnType<typeof startAnvil>>

/** A transaction of the payer; without `to` it makes a contract. */
export type TestTransaction = { to?: string; value?: bigint; data?: Hex; gas?: bigint }

/** Stop it in `test.after.always`; a test that dies takes it along. */
export const startAnvil = async (options: SandboxOptions = {}) => {
  const { sandbox, leave } = Object.keys(options).length === 0 ? await plainSandbox() : await ownSandbox(options)
  let isPlain = true
  const payer = privateKeyToAccount(sandbox.accounts[9]?.privateKey ?? '0x')
  const client = createTestClient({
    mode: 'anvil',
    account: payer,
    pollingInterval: 20,
    transport: http(sandbox.url, { timeout: TEST_CALL_TIMEOUT_MS, retryCount: 0 }),
  })
    .extend(publicActions)
    .extend(walletActions)

  const submit = (request: TestTransaction): Promise<Hex> =>
    client.sendTransaction({ ...request, chain: null } as Parameters<typeof client.sendTransaction>[0])
  const transact = async (request: TestTransaction): Promise<Hex> => {
    const hash = await submit(request)
    await mined(hash)
    return hash
  }
  const mined = (hash: Hex): Promise<void> => untilPlaced(client, hash, TEST_CALL_TIMEOUT_MS)

  return {
    ...sandbox,
    stop: () => leave(isPlain),
    /** Whatever a test does to its chain by this, the next test gets another one. */
    get client() {
      isPlain = false
      return client
    },
    payer: payer.address as string,
    /**
     * One transaction of the payer, not waited for. A `gas` of its own skips the estimate, so that it may fail on
     * chain.
     */
    submit,
    mined,
    /** The same, mined. */
    transact,
    send: (to: string, wei: bigint) => transact({ to, value: wei }),
    mine: (blocks: number) => client.mine({ blocks }),
    /** Replaces the newest `depth` blocks by as many empty ones. */
    reorg(depth: number): Promise<unknown> {
      isPlain = false
      return client.request({ method: 'anvil_reorg', params: [depth, []] } as never)
    },
    /** Replaces the newest two blocks by an empty one and one of these very transactions, in this order. */
    async rearrange(...txs: readonly string[]) {
      isPlain = false
      const raw = txs.map((tx) => client.request({ method: 'eth_getRawTransactionByHash', params: [tx] } as never))
      const pairs = (await Promise.all(raw)).map((each) => [each, 1])
      await client.request({ method: 'anvil_reorg', params: [2, pairs] } as never)
    },
    setCode: (address: string, bytecode: Hex) => client.setCode({ address: address as Hex, bytecode }),
    balanceOf: (address: string) => client.getBalance({ address: address as Hex }),
    /** Puts the test token at an address and mints `supply` of its smallest units to the payer. */
    async deployToken(address: string, supply: bigint) {
      await client.setCode({ address: address as Hex, bytecode: token.runtimeCode as Hex })
      await transact({ to: address, data: tokenCall('mint', [payer.address, supply]) })
    },
    sendToken: (contract: string, to: string, amount: bigint) =>
      transact({ to: contract, data: tokenCall('transfer', [to, amount]) }),
    async tokenBalanceOf(contract: string, address: string): Promise<bigint> {
      const { data } = await client.call({ to: contract as Hex, data: tokenCall('balanceOf', [address]) })
      return BigInt(data ?? '0x0')
    },
  }
}

type Sandbox = Awaited<ReturnType<typeof startSandboxChain>>
/** `leave` is told whether nothing but plain transactions were made on it. */
type SandboxInUse = { readonly sandbox: Sandbox; leave(isPlain: boolean): Promise<void> }

const ownSandbox = async (options: SandboxOptions): Promise<SandboxInUse> => {
  const sandbox = await startSandboxChain(options)
  return { sandbox, leave: sandbox.stop }
}

/** Chains that were put back to their beginning, each with the id of its snapshot. */
const idle: { readonly sandbox: Sandbox; readonly snapshot: string }[] = []

/** A chain as it is at its start. Starting one costs more than putting one back. */
const plainSandbox = async (): Promise<SandboxInUse> => {
  const kept = idle.pop()
  const { sandbox, snapshot } = kept ?? (await freshSandbox())
  // A chain whose newest block is of a while ago is behind, for whoever looks.
  if (kept) await ask(sandbox, 'evm_mine', [])
  const leave = async (isPlain: boolean) => {
    if (!isPlain || !keepsThings()) return sandbox.stop()
    // A chain that ran for long has its first blocks no more.
    const isBack = await ask(sandbox, 'evm_revert', [snapshot]).catch(() => false)
    if (!isBack) return sandbox.stop()
    // Blocks go on by the clock again, not from where the snapshot was taken.
    await ask(sandbox, 'evm_setTime', [Date.now()])
    idle.push({ sandbox, snapshot: await ask(sandbox, 'evm_snapshot', []) })
  }
  return { sandbox, leave }
}

const freshSandbox = async () => {
  const sandbox = await startSandboxChain()
  closeInTheEnd(sandbox.stop)
  return { sandbox, snapshot: await ask(sandbox, 'evm_snapshot', []) }
}

const ask = async ({ url }: Sandbox, method: string, params: readonly unknown[]): Promise<string> => {
  const result = await askJsonRpc<unknown>(url, method, params)
  if (result === false) throw new Error(`${method}: refused`)
  return String(result)
}

/** Call data for the test token. */
export const tokenCall = (functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: token.abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])

/** An EVM chain whose ranges are asked for by canonical addresses, as tests know them. */
export const evmByAddress = (options: EvmOptions) => {
  const chain = evmChain(options)
  const transfersIn: typeof chain.transfersIn = (from, to, addresses, ...rest) =>
    chain.transfersIn(from, to, new Set([...addresses].map((address) => address.toLowerCase())), ...rest)
  return { ...chain, transfersIn }
}

/** An EVM chain by its EIP-155 id, as settings choose it. */
export const evmTestChain = (id: number): NetworkChain => ({ id: String(id), caip2: `eip155:${id}`, test: true })
