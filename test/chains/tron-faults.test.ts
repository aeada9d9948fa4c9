import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { fromHex } from 'tronweb/utils'
import { tronChain } from '../../adapters/chains/tron/tron.ts'
import { type Anvil, startAnvil } from '../support/anvil.ts'
import { instead, type Meddle, startTronNode, type TronNode, tronTestChain } from '../support/tron-node.ts'
import { tronHex } from '../support/tron-wire.ts'

const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const watched = new Set([fromHex(tronHex(receiver))])
const hash = 'ab'.repeat(32)
/** Milliseconds: short where a hang is waited for, long where a busy machine must not pass for one. */
const [shortMs, longMs] = [800, 20_000]

let anvil: Anvil
let honest: TronNode
test.before(async () => {
  anvil = await startAnvil({ chainId: 728126428 })
  honest = await startTronNode({ rpcUrl: anvil.url })
})
test.after.always(() => {
  honest?.close()
  return anvil?.stop()
})

const nodeThat = async (t: { teardown(fn: () => void): void }, meddle: Meddle, reference?: string) => {
  const node = await startTronNode({ rpcUrl: anvil.url, meddle, ...(reference && { reference }) })
  t.teardown(node.close)
  return node
}
const connectWithin = (timeoutMs: number, ...rpcUrls: string[]) =>
  tronChain({ network: 'trx', chain: tronTestChain(), rpcUrls, timeoutMs, setAsideMs: longMs })
const connect = (...rpcUrls: string[]) => connectWithin(longMs, ...rpcUrls)

test.serial('a node that is down makes every method reject, without its URL or key', async (t) => {
  const chain = connect('http://key-4711@127.0.0.1:1/path-4711?query-4711')
  const calls = [chain.head(), chain.hashAt(3), chain.transfersOf(hash), chain.transfersIn(0, 1, new Set())]
  for (const call of [...calls, chain.verifyChain()]) {
    const error = await t.throwsAsync(call, { message: /^trx: RPC URL 1 of 1: [\w ]+: no connection$/ })
    t.false(`${error?.message}${error?.stack}${JSON.stringify(error)}`.includes('4711'))
    t.is(error?.cause, undefined)
  }
  t.deepEqual([...(await chain.tips()), ...(await chain.hashesAt(3))], [undefined, undefined])
})

test.serial('a key goes out as the header of TronGrid, a name with a password as basic authentication', async (t) => {
  const node = await nodeThat(t, (_, own) => own())
  await connect(node.url.replace('//', '//key%2B4711@')).head()
  await connect(`${node.url.replace('//', '//name:word@')}/behind/?a=b`).head()
  t.deepEqual(
    node.calls.map(({ headers }) => [headers['tron-pro-api-key'], headers.authorization]),
    [...Array(2).fill(['key+4711', undefined]), ...Array(2).fill([undefined, `Basic ${btoa('name:word')}`])],
  )
  t.like(node.calls[2], { params: { a: 'b' } })
})

test.serial('a redirect is not followed, so the key stays with its host', async (t) => {
  const asked: unknown[] = []
  const elsewhere = createServer((request, response) => {
    asked.push(request.headers)
    response.end('{}')
  }).listen(0)
  t.teardown(() => elsewhere.close())
  const location = `http://localhost:${(elsewhere.address() as AddressInfo).port}/wallet/getblock`
  const node = await nodeThat(t, () => ({ status: 307, headers: { location } }))
  await t.throwsAsync(connect(node.url.replace('//', '//key-4711@')).head(), { message: /HTTP status 307$/ })
  t.deepEqual(asked, [])
})

for (const [words, body] of [
  ['never answers', undefined],
  ['sends its answer too slowly', ' '],
] as const)
  test.serial(`a node that ${words} makes a call reject within its time limit`, async (t) => {
    const server = createServer((_, response) => {
      const drip = setInterval(() => body && response.write(body), 50)
      response.on('close', () => clearInterval(drip))
    }).listen(0)
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    const head = connectWithin(shortMs, `http://127.0.0.1:${(server.address() as AddressInfo).port}`).head()
    await t.throwsAsync(head, { message: /no answer within 800 ms/ })
  })

test.serial('an answer above the limit is not read to its end', async (t) => {
  const node = await nodeThat(t, instead({ getblock: () => ' '.repeat(32 * 1024 * 1024 + 1) }))
  await t.throwsAsync(connect(node.url).head(), { message: /an answer above 33554432 bytes$/ })
})

const refusals: readonly (readonly [string, Awaited<ReturnType<Meddle>>])[] = [
  ['429', { status: 429 }],
  ['503', { status: 503 }],
  ['403', { status: 403 }],
  ['a refusal in words', '{"Error":"class java.lang.IllegalAccessException : lack of computing resources 4711"}'],
  ['something that is no JSON', '<html>4711'],
  ['JSON of another shape', '"4711"'],
  ['a list', '[]'],
]
for (const [words, answer] of refusals)
  test.serial(`a provider that answers ${words} is set aside for the next one`, async (t) => {
    const node = await nodeThat(t, () => answer)
    const chain = connect(node.url, honest.url)
    const { height } = await chain.head()
    const asked = node.calls.length
    await chain.hashAt(height)
    await chain.transfersIn(height, height, watched)
    t.is(node.calls.length, asked, 'it is not asked again')
    const error = await t.throwsAsync(connect(node.url).transfersOf(hash))
    t.false(error?.message.includes('4711'))
  })

test.serial('another chain than configured is refused, and a provider on it is never used', async (t) => {
  const node = await nodeThat(t, (_, own) => own(), 'cd8690dc')
  const message = 'trx: RPC URL 1 of 2 serves chain 0xcd8690dc, configured is 0x2b6653dc'
  await t.throwsAsync(connect(node.url, honest.url).verifyChain(), { message })
  await t.throwsAsync(connect(node.url).head(), { message: /serves chain 0xcd8690dc/ })
  const chain = connect(node.url, honest.url)
  await chain.head()
  await chain.head()
  t.true(node.calls.every(({ method, params }) => method === 'getblockbynum' && params.num === 0))
})

test.serial('a provider without a first block proves nothing', async (t) => {
  const node = await nodeThat(t, instead({ getblockbynum: () => '{}' }))
  await t.throwsAsync(connect(node.url).verifyChain(), { message: /it has no first block$/ })
})

test.serial('no URL, too many URLs and a URL that is none are refused without being shown', (t) => {
  t.throws(() => connect(), { message: /give 1 to 5 RPC URLs/ })
  t.throws(() => connect('ftp://key-4711'), { message: 'trx: RPC URL 1 of 1: not an http URL' })
})
