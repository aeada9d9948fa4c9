import test, { type ExecutionContext } from 'ava'
import { type Hex, keccak256 } from 'viem'
import { BATCH_MAX } from '../../adapters/relay/calls.ts'
import { codeLook } from '../../adapters/relay/relay-chain.ts'
import { callWithParts } from '../../adapters/x402/eip3009.ts'
import { RELAY_PENDING_MAX } from '../../domain/gasless/relay.ts'
import type { Authorization } from '../../domain/selling/authorization-terms.ts'
import { eventually } from '../../src/demo/stage.ts'
import { authorize, cancellation, type GaslessChain, startGaslessChain, TEST_USDC } from '../support/gasless.ts'
import { RpcError, serveJsonRpc } from '../support/json-rpc-server.ts'
import { EATER, NO, YES, YES_IF_FREE } from '../support/odd-wallets.ts'
import { freshAddress } from '../support/sale.ts'
import { contractPayerOn, DOLLAR, honestPayersOn, sceneOn } from './scene.ts'

/** Payers who cost the relayer gas, or the others their turn. */

const WAIT_MS = 60_000

let chain: GaslessChain
test.before(async () => {
  chain = await startGaslessChain()
})
test.after.always(() => chain?.stop())

const openScene = (t: ExecutionContext, url?: string) => sceneOn(t, chain, { url })
const contractPayer = (code: Hex, to: string) => contractPayerOn(chain, code, to)
const honestPayers = (count: number, to: string) => honestPayersOn(chain, count, to)

const arrived = (to: string, dollars: number) =>
  eventually('the money', async () => (await chain.balance(to)) === BigInt(dollars) * DOLLAR, WAIT_MS)

test.serial(
  'N-42 N-43 a wallet that says yes only where gas costs nothing is refused before any is spent',
  async (t) => {
    const { relayer } = await openScene(t)
    const to = freshAddress()
    const hostile = await relayer.check(await contractPayer(YES_IF_FREE, to))
    t.is(hostile.fault, 'signature')
    const honest = await relayer.check(await contractPayer(YES, to))
    t.like(honest, { balance: DOLLAR, contract: { hash: keccak256(YES) } })
  },
)

test.serial('N-42 N-43 an authorization that three transactions did not carry out has failed for good', async (t) => {
  const { run, take, sent, stateOf } = await openScene(t)
  const payer = await contractPayer(YES, freshAddress())
  const id = await take(payer, true)
  await chain.client.setAutomine(false)
  t.teardown(() => chain.client.setAutomine(true))
  run()
  for (let tries = 1; tries <= 3; tries++) {
    await eventually('a try', async () => (await sent()).length === tries, WAIT_MS)
    await chain.setCode(payer.from, NO)
    await chain.mine(1)
    await chain.setCode(payer.from, YES)
    const { reverts } = await eventually(
      'its end',
      async () => {
        const state = await stateOf(id)
        return state.reverts.length === tries && state
      },
      WAIT_MS,
    )
    t.is(new Set(reverts).size, tries)
  }
  t.like(await stateOf(id), { status: 'failed', reason: 'reverted' })
  await chain.mine(2)
  t.is((await sent()).length, 3)
})

test.serial(
  'N-42 a payer who takes code after his payment was taken goes alone, and the others are carried out',
  async (t) => {
    const { run, take, sent } = await openScene(t)
    const to = freshAddress()
    const honest = await honestPayers(10, to)
    const hostile = await chain.payer(DOLLAR)
    for (const each of honest.slice(0, 5)) await take(each)
    const eater = await take(await authorize(hostile, { to, value: DOLLAR }))
    for (const each of honest.slice(5)) await take(each)
    await chain.setCode(hostile.address, YES)
    await chain.client.setAutomine(false)
    t.teardown(() => chain.client.setAutomine(true))
    run()
    await eventually('what is sent', async () => (await sent()).flat().length === 11, WAIT_MS)
    // What was tried out a moment ago is not what is carried out.
    await chain.setCode(hostile.address, EATER)
    await chain.mine(1)
    t.is(await chain.balance(to), 10n * DOLLAR)
    for (const group of await sent()) t.true(!group.includes(eater) || group.length === 1)
  },
)

test.serial('N-42 who was sent in vain together with others never shares a transaction again', async (t) => {
  const { ledger, run, take, sent } = await openScene(t)
  const to = freshAddress()
  const ids = []
  for (const each of await honestPayers(4, to)) ids.push(await take(each))
  const suspects = ids.slice(0, 2)
  for (const id of suspects) await ledger.authorization.revert(id, { tx: '0x1', gasUsd: '1000' })
  run()
  await arrived(to, 4)
  const groups = await sent()
  for (const id of suspects) t.true(groups.some((group) => group.length === 1 && group[0] === id))
  t.true(groups.some((group) => group.length === 2))
})

test.serial('N-42 the relayer asks in one call which payers have code', async (t) => {
  const { asks } = await openScene(t)
  const addresses = Array.from({ length: 300 }, () => freshAddress())
  const coded = addresses.filter((_, n) => n % 7 === 0)
  for (const address of coded) await chain.setCode(address, EATER)
  t.deepEqual([...(await asks.withCode(addresses))], coded)
  // As much as code may be that is run once (EIP-3860), for as many as may wait to be sent.
  const most = Array.from({ length: BATCH_MAX * RELAY_PENDING_MAX }, () => addresses[0] as string)
  t.true(codeLook(most).length / 2 - 1 <= 49_152)
})

type Question = { fromBlock?: string; toBlock?: string; to?: string; data?: string }

/** A provider that refuses what it is asked in such a way, and else answers as the chain does. */
const refusing = (refuses: (method: string, question: Question) => string | undefined) =>
  serveJsonRpc(async (method, params) => {
    const refused = refuses(method, (params[0] ?? {}) as Question)
    if (refused !== undefined) throw new RpcError(-32_005, refused)
    const answer = await fetch(chain.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = (await answer.json()) as { result?: unknown; error?: { code: number; message: string } }
    if (error) throw Object.assign(new RpcError(error.code, error.message), error)
    return result
  })

/** It answers for so many blocks of logs at most. */
const bounding = (blocks: number) =>
  refusing((method, { fromBlock, toBlock }) =>
    method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= blocks
      ? 'query exceeds max block range'
      : undefined,
  )

test.serial('N-42 behind a provider that does not say who has code, each payer goes alone', async (t) => {
  const provider = await refusing((method, { to }) =>
    method === 'eth_call' && to === undefined ? 'missing field to' : undefined,
  )
  t.teardown(provider.close)
  const { run, take, sent } = await openScene(t, provider.url)
  const to = freshAddress()
  for (const each of await honestPayers(3, to)) await take(each)
  run()
  await arrived(to, 3)
  t.deepEqual(
    (await sent()).map(({ length }) => length),
    [1, 1, 1],
  )
})

test.serial('N-42 J-GAS-07 a payment that nobody can try out stops no other', async (t) => {
  const to = freshAddress()
  const [odd, good] = [await contractPayer(YES, to), await contractPayer(YES, to)]
  const nonce = odd.nonce.slice(2)
  const provider = await refusing((method, { data }) =>
    method === 'eth_call' && data?.includes(nonce) ? 'execution timed out' : undefined,
  )
  t.teardown(provider.close)
  const { run, take, sent } = await openScene(t, provider.url)
  await take(odd, true)
  const tried = await take(good, true)
  run()
  await arrived(to, 1)
  t.deepEqual(await sent(), [[tried]])
})

test.serial('J-GAS-08 what the relayer has no coin for does not stop what it has coin for', async (t) => {
  const to = freshAddress()
  const [many, one] = [await honestPayers(20, to), await contractPayer(YES, to)]
  const balance = await chain.balanceOf(chain.relayer.address)
  const { baseFeePerGas } = await chain.client.getBlock()
  t.teardown(() => chain.client.setBalance({ address: chain.relayer.address as Hex, value: balance }))
  // Enough for the gas of a contract wallet, and not for that of twenty payers.
  const value = 1_000_000n * (2n * (baseFeePerGas ?? 0n) + 10n ** 9n)
  await chain.client.setBalance({ address: chain.relayer.address as Hex, value })
  const { run, take, sent } = await openScene(t)
  for (const each of many) await take(each)
  const alone = await take(one, true)
  run()
  await arrived(to, 1)
  t.deepEqual(await sent(), [[alone]])
})

for (const [blocks, what] of [
  [7, 'answers for few blocks'],
  [0, 'tells of no logs'],
] as const)
  test.serial(
    `N-42 behind a provider that ${what} what one payer has cancelled or paid himself stops nobody`,
    async (t) => {
      const provider = await bounding(blocks)
      t.teardown(provider.close)
      const { run, take, stateOf, sent } = await openScene(t, provider.url)
      const to = freshAddress()
      const quitter = await chain.payer(DOLLAR)
      const cancelled = await authorize(quitter, { to, value: DOLLAR })
      const [overtaken, honest] = (await honestPayers(2, to)) as [Authorization, Authorization]
      await chain.transact({ to: TEST_USDC, data: await cancellation(quitter, cancelled.nonce) })
      await chain.transact({ to: TEST_USDC, data: callWithParts(overtaken, overtaken.signature) as Hex })
      await chain.mine(40)
      const [lost, other, good] = [await take(cancelled), await take(overtaken), await take(honest)]
      run()
      await arrived(to, 2)
      t.deepEqual(await sent(), [[good]])
      if (blocks > 0)
        await eventually('the end of it', async () => (await stateOf(lost)).reason === 'nonce-used', WAIT_MS)
      else t.is((await stateOf(lost)).status, 'accepted')
      t.is((await stateOf(other)).status, 'accepted')
    },
  )
