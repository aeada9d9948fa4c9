import test from 'ava'
import type { Hex } from 'viem'
import { evmChain } from '../../adapters/chains/evm/evm.ts'
import { watchGas } from '../../adapters/relay/gas-watch.ts'
import { createRelayQueue } from '../../adapters/relay/queue.ts'
import { createRelayChain } from '../../adapters/relay/relay-chain.ts'
import { runRelay } from '../../adapters/relay/run.ts'
import { createWallet } from '../../adapters/relay/wallet.ts'
import { callWithParts } from '../../adapters/x402/eip3009.ts'
import type { PaymentAtStake } from '../../domain/chains/second-voice.ts'
import { authorizationId } from '../../domain/selling/authorization-terms.ts'
import { eventually } from '../../src/demo/stage.ts'
import { world } from '../../src/settings/world.ts'
import { accepted, entry, opened, SET_ID } from '../domain/samples.ts'
import { authorize, BASE_SEPOLIA, startGaslessChain, TEST_USDC } from '../support/gasless.ts'
import { ledgerOn, newStore } from '../support/ledger.ts'
import { freshAddress } from '../support/sale.ts'
import { NO_LIMITS } from './scene.ts'

const DOLLAR = 1_000_000n
const WAIT_MS = 60_000

test('N-24 N-42 a signed payment that a stranger carried out waits for a second voice like any other', async (t) => {
  const chain = await startGaslessChain()
  const stopping = new AbortController()
  const to = freshAddress()
  const ledger = ledgerOn(newStore(t), world as never)
  const terms = { asset: 'usdc_base', network: 'base', payTo: to, amount: String(DOLLAR), heightAtIssue: 0 }
  await ledger.challenge.open(SET_ID, {
    ...opened,
    entries: [{ ...entry, ...terms }],
    expiresAt: '2999-01-01T00:00:00.000Z',
  })
  const authorization = await authorize(await chain.payer(DOLLAR), { to, value: DOLLAR })
  await chain.transact({ to: TEST_USDC, data: callWithParts(authorization, authorization.signature) as Hex })
  await ledger.authorization.accept(authorizationId(authorization), { ...accepted, authorization })

  const log = { warn: () => {}, error: () => {} }
  const own = { network: 'base', ledger, batches: true, log, queue: createRelayQueue() }
  const asks = createRelayChain({ network: 'base', chainId: BASE_SEPOLIA, urls: [chain.url], timeoutMs: 20_000 })
  const wallet = createWallet(chain.relayer.privateKey, BASE_SEPOLIA)
  const { address } = wallet
  const watching = { chain: asks, address, rate: async () => '2500', tipUsdMax: DOLLAR, log, network: 'base' }
  const gas = watchGas(watching, stopping.signal)
  await gas.first
  own.queue.add([authorizationId(authorization)])
  const network = { id: String(BASE_SEPOLIA), caip2: `eip155:${BASE_SEPOLIA}`, test: true }
  const reader = evmChain({ network: 'base', chain: network, rpcUrls: [chain.url], timeoutMs: 20_000 })
  const asked: PaymentAtStake[] = []
  const hear = (payment: PaymentAtStake) => {
    asked.push(payment)
    return undefined
  }
  const now = () => world.now().toISOString()
  const running = runRelay(
    { ...own, limits: NO_LIMITS, now, wallet, asks, gas, chain: reader, hear, open: async () => [] },
    stopping.signal,
  )
  t.teardown(async () => {
    stopping.abort()
    await Promise.all([running, gas.ended])
    await chain.stop()
  })

  const set = await eventually(
    'its wait',
    async () => {
      const known = await ledger.challenge.read(SET_ID)
      return known.status === 'open' && known.detected.usdc_base && known
    },
    WAIT_MS,
  )
  t.deepEqual(set.settled, {})
  t.like(asked[0], { usd: BigInt(opened.usd), confirmations: accepted.confirmations })
})
