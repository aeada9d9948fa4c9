import type { ExecutionContext } from 'ava'
import type { Hex } from 'viem'
import { evmChain } from '../../adapters/chains/evm/evm.ts'
import { watchGas } from '../../adapters/relay/gas-watch.ts'
import { createRelayQueue } from '../../adapters/relay/queue.ts'
import { createRelayChain } from '../../adapters/relay/relay-chain.ts'
import { createRelayer } from '../../adapters/relay/relayer.ts'
import { runRelay } from '../../adapters/relay/run.ts'
import { createWallet } from '../../adapters/relay/wallet.ts'
import type { AcceptedAuthorization } from '../../domain/gasless/authorization.ts'
import type { RelayLimits } from '../../domain/gasless/relay-budget.ts'
import { type Authorization, authorizationId } from '../../domain/selling/authorization-terms.ts'
import { world } from '../../src/settings/world.ts'
import { accepted } from '../domain/samples.ts'
import { authorize, BASE_SEPOLIA, type GaslessChain } from '../support/gasless.ts'
import { alone, everything, ledgerOn, newStore } from '../support/ledger.ts'
import { freshAddress } from '../support/sale.ts'

/** A relayer on a chain of its own, without the service around it. */

export const DOLLAR = 1_000_000n

const THOUSANDS = 1_000_000_000_000n
export const NO_LIMITS: RelayLimits = { network: THOUSANDS, seller: THOUSANDS, payer: THOUSANDS, code: THOUSANDS }

type SceneOptions = {
  readonly url?: string | undefined
  readonly limits?: RelayLimits
  /** The clock of budgets. */
  readonly now?: () => string
}

const quiet = { warn: () => {}, error: () => {} }

/** A relayer on a log of its own. */
export const sceneOn = async (
  t: ExecutionContext,
  chain: GaslessChain,
  { url = chain.url, limits = NO_LIMITS, now = () => world.now().toISOString() }: SceneOptions = {},
) => {
  const network = { id: String(BASE_SEPOLIA), caip2: `eip155:${BASE_SEPOLIA}`, test: true }
  const store = newStore(t)
  const ledger = ledgerOn(store, world as never)
  const closing = new AbortController()
  const asks = createRelayChain({ network: 'base', chainId: BASE_SEPOLIA, urls: [url], timeoutMs: 20_000 })
  const wallet = createWallet(chain.relayer.privateKey, BASE_SEPOLIA)
  const { address } = wallet
  const watching = { chain: asks, address, rate: async () => '2500', tipUsdMax: DOLLAR, log: quiet, network: 'base' }
  const gas = watchGas(watching, closing.signal)
  await gas.first
  const queue = createRelayQueue()
  const reader = evmChain({ network: 'base', chain: network, rpcUrls: [url], timeoutMs: 20_000 })
  const parts = {
    network: 'base',
    ledger,
    wallet,
    asks,
    chain: reader,
    gas,
    queue,
    limits,
    now,
    batches: true,
    hear: alone.heard,
    log: quiet,
  }
  let running: Promise<void> | undefined
  t.teardown(async () => {
    closing.abort()
    await Promise.all([running, gas.ended])
  })
  return {
    ledger,
    asks,
    relayer: createRelayer({ network: 'base', chain: network, address, asks, gas, queue }),
    /** Carries out what is taken from now on. */
    run() {
      running = runRelay({ ...parts, open: async () => [] }, closing.signal)
    },
    async take(authorization: Authorization, byContract = false, code?: AcceptedAuthorization['code']) {
      const id = authorizationId(authorization)
      await ledger.authorization.accept(id, { ...accepted, authorization, byContract, ...(code && { code }) })
      queue.add([id])
      return id
    },
    stateOf: async (id: string) => (await ledger.authorization.read(id)) as AcceptedAuthorization,
    async sent(): Promise<readonly (readonly string[])[]> {
      const events = await everything(store)
      return events.flatMap(({ type, data }) =>
        type === 'RelayTransactionSent' ? [(data as { authorizations: readonly string[] }).authorizations] : [],
      )
    },
  }
}

/** A contract that holds money, and what somebody signs in its name. */
export const contractPayerOn = async (chain: GaslessChain, code: Hex, to: string): Promise<Authorization> => {
  const from = freshAddress()
  await chain.setCode(from, code)
  await chain.mint(from, DOLLAR)
  return authorize(await chain.payer(0n), { to, value: DOLLAR, from })
}

export const honestPayersOn = (chain: GaslessChain, count: number, to: string): Promise<readonly Authorization[]> =>
  Promise.all(Array.from({ length: count }, async () => authorize(await chain.payer(DOLLAR), { to, value: DOLLAR })))
