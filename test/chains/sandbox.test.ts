import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { paySandbox, sandboxBuyer, startSandboxChain } from '../../adapters/chains/sandbox/sandbox.ts'
import { furnishSandbox, TEST_USDC } from '../../adapters/chains/sandbox/sandbox-dollar.ts'
import { createRelayChain } from '../../adapters/relay/relay-chain.ts'
import { evmByAddress, evmTestChain } from '../support/anvil.ts'
import { askJsonRpc, serveJsonRpc } from '../support/json-rpc-server.ts'

const to = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const connect = ({ url, chainId }: { url: string; chainId: number }) =>
  evmByAddress({ network: 'eth', chain: evmTestChain(chainId), rpcUrls: [url], timeoutMs: 20_000 })

test('a payment on the sandbox chain is mined and found', async (t) => {
  const sandbox = await startSandboxChain({ chainId: 84532 })
  t.teardown(sandbox.stop)
  t.is(sandbox.accounts.length, 10)
  t.is(sandbox.accounts[0]?.address, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
  t.is(sandbox.accounts[0]?.privateKey, '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
  const tx = await paySandbox({ url: sandbox.url, to, amount: 12345n })
  const from = sandbox.accounts[1]?.address ?? ''
  t.like((await connect(sandbox).transfersOf(tx))?.[0], { from, to, amount: 12345n, index: 'native' })
})

test('a payment is found whose block, the last one, comes while it is looked for', async (t) => {
  const sandbox = await startSandboxChain()
  t.teardown(sandbox.stop)
  const told = Promise.withResolvers<void>()
  let looks = 0
  const isMined = () => looks > 1
  const late = await serveJsonRpc(async (method, params) => {
    if (method === 'eth_blockNumber' && ++looks === 1) return '0x0'
    if (isMined()) told.resolve()
    if (method === 'eth_getTransactionReceipt' && !isMined()) return null
    // Only who looks for another transaction in place of this one asks for a block with all of its transactions.
    if (method === 'eth_getBlockByNumber' && params[1] === true) await told.promise
    const answer = await askJsonRpc<object>(sandbox.url, method, params)
    return method === 'eth_getTransactionByHash' && !isMined() ? { ...answer, blockNumber: null } : answer
  })
  t.teardown(late.close)
  t.regex(await paySandbox({ url: late.url, to, amount: 7n }), /^0x[0-9a-f]{64}$/)
})

test('blocks come at their pace when one is given, and a payment waits for its own', async (t) => {
  const sandbox = await startSandboxChain({ blockTimeSeconds: 1 })
  t.teardown(sandbox.stop)
  const tx = await paySandbox({ url: sandbox.url, to, amount: 1n, privateKey: sandbox.accounts[5]?.privateKey ?? '0x' })
  t.is((await connect(sandbox).transfersOf(tx))?.[0]?.from, sandbox.accounts[5]?.address)
})

test('a sandbox with a state file goes on after a restart where it ended', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const stateFile = join(folder, 'new', 'chain.json')
  const first = await startSandboxChain({ stateFile })
  const tx = await paySandbox({ url: first.url, to, amount: 5n })
  const [head, transfers] = [await connect(first).head(), await connect(first).transfersOf(tx)]
  await first.stop()
  await first.stop()
  await t.throwsAsync(connect(first).head())

  const second = await startSandboxChain({ stateFile })
  t.teardown(second.stop)
  t.deepEqual(await connect(second).head(), head)
  t.deepEqual(await connect(second).transfersOf(tx), transfers)
  await paySandbox({ url: second.url, to, amount: 6n })
  t.deepEqual(
    (await connect(second).transfersIn(head.height, head.height + 1, new Set([to]))).map(({ amount }) => amount),
    [5n, 6n],
  )
})

test('the dollar is put there once, and what its holders have spent stays spent', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const stateFile = join(folder, 'chain.json')
  const buyer = sandboxBuyer().address
  const start = async () => {
    const sandbox = await startSandboxChain({ stateFile, chainId: 84532, baseFee: 5_000_000n })
    t.teardown(sandbox.stop)
    await furnishSandbox(sandbox.url, [buyer])
    const asks = createRelayChain({ network: 'base', chainId: sandbox.chainId, urls: [sandbox.url], timeoutMs: 20_000 })
    return { ...sandbox, asks }
  }
  const first = await start()
  t.is((await first.asks.newest()).baseFee, 5_000_000n)
  const held = await first.asks.tokenOf(TEST_USDC, buyer)
  const tx = await paySandbox({ url: first.url, to, amount: 1_500_000n, token: TEST_USDC })
  const chain = { network: 'base', chain: evmTestChain(84532), rpcUrls: [first.url], timeoutMs: 20_000 }
  t.like((await evmByAddress(chain).transfersOf(tx))?.[0], { from: buyer, to, amount: 1_500_000n })
  await first.stop()

  const second = await start()
  t.is(await second.asks.tokenOf(TEST_USDC, buyer), held - 1_500_000n)
  t.is(await second.asks.tokenOf(TEST_USDC, to), 1_500_000n)
})

test('a relayer offers the tip that it was given, because anvil suggests 1 gwei whatever it is told', async (t) => {
  const sandbox = await startSandboxChain({ chainId: 84532, baseFee: 5_000_000n })
  t.teardown(sandbox.stop)
  const asks = { network: 'base', chainId: sandbox.chainId, urls: [sandbox.url], timeoutMs: 20_000 }
  t.is(await createRelayChain(asks).tip(), 1_000_000_000n)
  t.is(await createRelayChain({ ...asks, tip: 10_000_000n }).tip(), 10_000_000n)
})

test('a port that is taken is a clear error', async (t) => {
  const sandbox = await startSandboxChain()
  t.teardown(sandbox.stop)
  const port = Number(new URL(sandbox.url).port)
  await t.throwsAsync(startSandboxChain({ port, chainId: 5 }), { message: /it is taken/ })
  await t.throwsAsync(startSandboxChain({ port }), { message: /it is taken/ })
})

test('a state file that cannot be read is an error, not a new chain', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const stateFile = join(folder, 'chain.json')
  await writeFile(stateFile, '{"block":')
  await t.throwsAsync(startSandboxChain({ stateFile }), { message: /is its state file damaged/ })
  t.is(await readFile(stateFile, 'utf8'), '{"block":')
})

test('the sandbox chain ends with its parent, even when that is killed outright', async (t) => {
  const module = new URL('../../adapters/chains/sandbox/sandbox.ts', import.meta.url).href
  const script = `const { startSandboxChain } = await import(${JSON.stringify(module)})
    console.log((await startSandboxChain()).url)`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const chain = connect({ url: line.toString().trim(), chainId: 31337 })
  await t.notThrowsAsync(chain.head())
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  const isGone = async () => {
    for (let tries = 0; tries < 50; tries++) {
      if (!(await chain.head().catch(() => undefined))) return true
      await delay(100)
    }
    return false
  }
  t.true(await isGone())
})
