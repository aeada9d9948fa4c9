import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import test from 'ava'

/** A process that has worked for a second, and holds what that has left. */
const WORKED = `
  let kept = []
  const until = process.cpuUsage().user + 1_000_000
  while (process.cpuUsage().user < until) kept = Array.from({ length: 100_000 }, (_, n) => ({ n: [n] }))
  kept = undefined
  const tell = () => console.log(process.memoryUsage.rss())`

const UNCALLED = (isOn: boolean) => `
  import { giveMemoryBack } from './src/runtime/idle-memory.ts'
  ${WORKED}
  if (${isOn}) giveMemoryBack({ everyMs: 500 })
  setInterval(tell, 100)`

/** The time of a look has come after each call of a path, and at last without one. */
const CALLED = (path: string) => `
  import { createServer } from 'node:http'
  import { mock } from 'node:test'
  import { giveMemoryBack } from './src/runtime/idle-memory.ts'
  ${WORKED}
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1', async () => {
    mock.timers.enable({ apis: ['setInterval'] })
    giveMemoryBack()
    tell()
    for (let calls = 0; calls < 5; calls++) {
      await fetch('http://127.0.0.1:' + server.address().port + ${JSON.stringify(path)})
      mock.timers.tick(15_000)
    }
    tell()
    mock.timers.tick(15_000)
    tell()
    process.exit()
  })`

test('what a busy hour has left in memory is given back once nobody calls', async (t) => {
  const held = await looksOf(UNCALLED(true), (rss, first) => rss < first / 2)
  t.true(last(held) < first(held) / 2, `${first(held)} bytes became ${last(held)}`)
  const kept = await looksOf(UNCALLED(false), (_, __, looks) => looks >= 10)
  t.true(last(kept) > first(kept) / 2, `without it ${first(kept)} bytes became ${last(kept)}`)
})

test('N-117: a process that is called now and then does not stop for its memory; its health may be asked for', async (t) => {
  const [held = 0, whileCalled = 0, after = 0] = await looksOf(CALLED('/v1/wallets'))
  t.true(whileCalled > held / 2, `while it was called ${held} bytes became ${whileCalled}`)
  t.true(after < held / 2, `after that they became ${after}`)
  const [before = 0, whileWatched = 0] = await looksOf(CALLED('/readyz?full=1'))
  t.true(whileWatched < before / 2, `while it was watched ${before} bytes became ${whileWatched}`)
})

const first = (looks: readonly number[]) => looks[0] ?? 0
const last = (looks: readonly number[]) => looks.at(-1) ?? 0

/** What a program holds at each time that it tells, until it or a look ends the watching; 300 looks at most. */
const looksOf = async (
  program: string,
  ends: (rss: number, first: number, looks: number) => boolean = () => false,
): Promise<readonly number[]> => {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const seen: number[] = []
  try {
    for await (const line of createInterface(child.stdout)) {
      seen.push(Number(line))
      if (ends(Number(line), first(seen), seen.length) || seen.length > 300) break
    }
  } finally {
    child.kill('SIGKILL')
  }
  return seen
}

/** Packages of chains that are not connected, and of what only some calls need. */
const NOT_IDLE = [
  'viem',
  'bitcoinjs-lib',
  '@bitcoinerlab/secp256k1',
  '@solana/web3.js',
  'tronweb',
  '@ton/core',
  '@simplewebauthn/server',
  'sharp',
  'css-tree',
  'sanitize-html',
  'stripe',
  'nodemailer',
  'mailparser',
  'smtp-server',
  'undici',
  '@node-rs/argon2',
  'age-encryption',
  'asn1js',
  'jsvat',
  'koa-body',
  'secp256k1',
  'jose',
  '@noble/curves',
]

/** Loads what a service with one EVM chain loads, and tells which packages that were. */
const LOADED = `
  import { registerHooks } from 'node:module'
  const packages = new Set()
  registerHooks({
    load: (url, context, next) => {
      const name = /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]
      if (name) packages.add(name)
      return next(url, context)
    },
  })
  await import('./src/commands/command-line.ts')
  await import('./src/commands/service/serve.ts')
  await import('./adapters/chains/evm/evm.ts')
  console.log(JSON.stringify([...packages]))
  process.exit()`

test('N-166 a service with one EVM chain loads no library that only relayers, other chains or some calls need', async (t) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', LOADED], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line = '[]'] = await Array.fromAsync(createInterface(child.stdout))
  const loaded = JSON.parse(line) as readonly string[]
  t.true(loaded.includes('@eventstore/db-client'), 'it tells what is loaded')
  t.deepEqual(
    NOT_IDLE.filter((name) => loaded.includes(name)),
    [],
  )
})
