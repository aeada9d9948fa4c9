import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { paySandbox, sandboxBuyer } from '../adapters/chains/sandbox/sandbox.ts'
import { buySigned } from '../adapters/chains/sandbox/sandbox-buyer.ts'
import { buyCart } from '../adapters/chains/sandbox/sandbox-cart.ts'
import { createClient } from './demo/client.ts'
import { dropReadModels } from './demo/drop.ts'
import { startHook } from './demo/hook.ts'
import { freePort } from './demo/port.ts'
import { playSale } from './demo/sale.ts'
import { daybook, type ServiceEnv, startService, stopService } from './demo/service.ts'
import type { Stage } from './demo/stage.ts'
import { openFoundation } from './engine/foundation.ts'
import { inheritedEnvironment, readConfig } from './settings/config.ts'
import type { ServiceNotice } from './settings/data-dir.ts'
import { SANDBOX_BASE, type SandboxUrls } from './settings/sandbox.ts'

/** `npm run demo`: the acceptance run made visible, on a service of its own that is gone afterwards. */

const PAY_TO = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
const BLOCK_MS = 1_000

const main = async () => {
  const began = performance.now()
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-demo-'))
  const hook = await startHook()
  const env = {
    ...inheritedEnvironment(),
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    METRICS_PORT: '0',
    OUTBOUND_ALLOW: hook.hostPort,
    LOG_LEVEL: 'error',
  }
  let service = await startService(env)
  const leave = async () => {
    await stopService(service)
    hook.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  process.once('SIGINT', () => leave().then(() => process.exit(130)))
  print(`\nDaybook is running at http://localhost:${env.PORT}, with sandbox chains and data in ${dataDir}\n`)
  const origin = `http://localhost:${env.PORT}`
  const sandbox = () =>
    (JSON.parse(readFileSync(join(dataDir, 'running.json'), 'utf8')) as ServiceNotice).sandbox as SandboxUrls
  const stage: Stage = {
    client: createClient(() => origin),
    payTo: PAY_TO,
    received: () => balance(sandbox().eth),
    pay: (to, amount) => paySandbox({ url: sandbox().eth, to, amount }),
    sign: (path) => buySigned(`${origin}${path}`, SANDBOX_BASE, sandboxBuyer().privateKey),
    buyCart: (path) => buyCart(`${origin}${path}`, SANDBOX_BASE, sandboxBuyer().privateKey),
    confirm: (blocks) => new Promise((resolve) => setTimeout(resolve, blocks * BLOCK_MS)),
    webhook: hook,
    async replay() {
      await stopService(service)
      await dropAll(env)
      await run(env, ['replay'])
      service = await startService(env)
    },
  }
  try {
    await playSale(stage, show)
    print(`\nAll ten steps held, in ${((performance.now() - began) / 1000).toFixed(1)} s.\n`)
  } finally {
    await leave()
  }
}

const show = (step: number, title: string, facts: readonly string[]) => {
  print(`${bold(`${step}. ${title}`)}  ${green('✓')}`)
  for (const fact of facts) print(`   ${fact.length > 110 ? `${fact.slice(0, 109)}…` : fact}`)
}

const run = async (env: ServiceEnv, args: readonly string[]) => {
  const child = daybook(env, args)
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error(`daybook ${args.join(' ')} ended with ${code}`)
}

const dropAll = async (env: ServiceEnv) => {
  const foundation = await openFoundation(readConfig(env), () => {})
  await dropReadModels(foundation.sql)
  await foundation.close()
}

const balance = async (rpc: string): Promise<bigint> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [PAY_TO, 'latest'] })
  const answer = await fetch(rpc, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return BigInt(((await answer.json()) as { result: string }).result)
}

const color = process.stdout.isTTY
const bold = (text: string) => (color ? `\x1b[1m${text}\x1b[0m` : text)
const green = (text: string) => (color ? `\x1b[32m${text}\x1b[0m` : text)
const print = (line: string) => process.stdout.write(`${line}\n`)

await main()
