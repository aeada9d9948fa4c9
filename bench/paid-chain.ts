/** Chains full of payments, made on anvil. */
import { encodeFunctionData, type Hex, numberToHex } from 'viem'
import { startSandboxChain } from '../adapters/chains/sandbox/sandbox.ts'
import { assetOf } from '../domain/kernel/assets.ts'
import token from '../test/support/test-token.json' with { type: 'json' }

/** Gas of one block; anvil's own limit is that of Ethereum. */
const GAS_LIMIT = 1_000_000_000n
const GAS_PER_TRANSACTION = 100_000n
/** Transfers of one transaction of `transferMany`. */
const PER_TRANSACTION = 50
const SENT_AT_ONCE = 16
const SUPPLY = 10n ** 30n

export type PaidChain = Awaited<ReturnType<typeof openPaidChain>>

/** Opens a chain with USD Coin on it, held by its first account. */
export const openPaidChain = async () => {
  const chain = await startSandboxChain()
  const contract = assetOf('usdc')?.contract ?? ''
  const from = chain.accounts[0]?.address ?? ''
  let id = 0
  const call = async <T>(method: string, ...params: unknown[]): Promise<T> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: id++, method, params })
    const answer = await fetch(chain.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { result, error } = (await answer.json()) as { result: T; error?: { message: string } }
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
  let nonce = 0
  const send = (to: string, more: { value?: Hex; data?: Hex }, gas = GAS_PER_TRANSACTION) =>
    call<string>('eth_sendTransaction', { from, to, ...more, gas: numberToHex(gas), nonce: numberToHex(nonce++) })
  const tokens = (functionName: string, args: readonly unknown[]): Hex =>
    encodeFunctionData({ abi: token.abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])

  await call('evm_setBlockGasLimit', numberToHex(GAS_LIMIT))
  await call('anvil_setCode', contract, token.runtimeCode)
  await send(contract, { data: tokens('mint', [from, SUPPLY]) })
  await call('evm_setAutomine', false)

  return {
    url: chain.url,
    chainId: chain.chainId,
    stop: chain.stop,
    /** Mines one block with a transaction for each payment. */
    async block(payments: readonly { to: string; asset: 'eth' | 'usdc' }[]) {
      for (let n = 0; n < payments.length; n += SENT_AT_ONCE)
        await Promise.all(
          payments
            .slice(n, n + SENT_AT_ONCE)
            .map(({ to, asset }) =>
              asset === 'eth' ? send(to, { value: '0x1' }) : send(contract, { data: tokens('transfer', [to, 1n]) }),
            ),
        )
      await call('evm_mine')
    },
    /** Mines one block with a token transfer to each, many in a transaction. */
    async manyTokens(receivers: readonly string[]) {
      for (let n = 0; n < receivers.length; n += PER_TRANSACTION) {
        const some = receivers.slice(n, n + PER_TRANSACTION)
        const data = tokens('transferMany', [some, some.map(() => 1n)])
        await send(contract, { data }, GAS_PER_TRANSACTION * BigInt(PER_TRANSACTION))
      }
      await call('evm_mine')
    },
  }
}
