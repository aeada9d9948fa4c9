import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import test from 'ava'

/** A process that has worked much, tells what it holds, and then only answers a path, if it is asked for one. */
const PROGRAM = (isOn: boolean, asked: string | undefined) => `
  import { createServer, get } from 'node:http'
  import { giveMemoryBack } from './src/runtime/idle-memory.ts'
  let kept = []
  const until = process.cpuUsage().user + 1_000_000
  while (process.cpuUsage().user < until) kept = Array.from({ length: 100_000 }, (_, n) => ({ n: [n] }))
  kept = undefined
  if (${isOn}) giveMemoryBack({ everyMs: 500 })
  const asked = ${JSON.stringify(asked ?? null)}
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1', () => {
    const { port } = server.address()
    if (asked) setInterval(() => get({ port, host: '127.0.0.1', path: asked }, (answer) => answer.resume()), 100)
  })
  setInterval(() => console.log(process.memoryUsage.rss()), 100)`

test('what a busy hour has left in memory is given back once nobody calls', async (t) => {
  const held = await firstOf(true, (rss, first) => rss < first / 2)
  t.true(held.last < held.first / 2, `${held.first} bytes became ${held.last}`)
  const kept = await firstOf(false, (_, __, looks) => looks >= 10)
  t.true(kept.last > kept.first / 2, `without it ${kept.first} bytes became ${kept.last}`)
})

test('N-117: a process that is called now and then does not stop for its memory; its health may be asked for', async (t) => {
  const called = await firstOf(true, (_, __, looks) => looks >= 20, '/v1/wallets')
  t.true(called.last > called.first / 2, `while it was called ${called.first} bytes became ${called.last}`)
  const watched = await firstOf(true, (rss, first) => rss < first / 2, '/readyz?full=1')
  t.true(watched.last < watched.first / 2, `while it was watched ${watched.first} bytes became ${watched.last}`)
})

/** The memory that the program holds at first, and when a look ends the watching; 300 looks at most. */
const firstOf = async (isOn: boolean, ends: (rss: number, first: number, looks: number) => boolean, asked?: string) => {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', PROGRAM(isOn, asked)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const seen: number[] = []
  try {
    for await (const line of createInterface(child.stdout)) {
      seen.push(Number(line))
      const [first = 0] = seen
      if (ends(Number(line), first, seen.length) || seen.length > 300) break
    }
  } finally {
    child.kill('SIGKILL')
  }
  return { first: seen[0] ?? 0, last: seen.at(-1) ?? 0 }
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
