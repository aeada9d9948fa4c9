import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import test, { type ExecutionContext } from 'ava'
import { createClient } from '../../src/demo/client.ts'
import { freePort } from '../../src/demo/port.ts'
import { eventually } from '../../src/demo/stage.ts'
import { start } from '../cli/daybook.ts'
import { startAnvil } from '../support/anvil.ts'
import { openStage } from '../support/app.ts'

/** The processes of one `daybook serve --workers`. */

test('N-112 workers share a port, one that dies is started again, and all end when the one above is told to or dies', async (t) => {
  t.timeout(240_000)
  const { env, call } = await stage(t)
  const above = start(env, ['serve', '--workers', '2'])
  t.teardown(() => above.kill('SIGKILL'))
  let said = ''
  above.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text))
  await eventually('the line that says so', () => said.includes('{"ready":true'), 120_000)
  const both = childrenOf(above.pid)
  t.is(both.length, 2)
  t.is((await call('GET', '/readyz')).status, 200)
  process.kill(both[0] as number, 'SIGKILL')
  const again = await eventually('another worker', () => {
    const now = childrenOf(above.pid)
    return now.length === 2 && !now.includes(both[0] as number) ? now : undefined
  })
  await eventually('it serves', async () => (await call('GET', '/healthz')).status === 200)
  above.kill('SIGTERM')
  const [code] = await once(above, 'exit')
  t.is(code, 0)
  t.deepEqual(again.filter(isAlive), [])

  const next = start(env, ['serve', '--workers', '1'])
  await eventually(
    'a worker',
    async () => (await call('GET', '/readyz').catch(() => undefined))?.status === 200,
    120_000,
  )
  const left = childrenOf(next.pid)
  next.kill('SIGKILL')
  await eventually('the worker to end by itself', () => !left.some(isAlive))
  t.is(left.length, 1)
})

const stage = async (t: ExecutionContext) => {
  const [opened, anvil, port] = await Promise.all([openStage({ store: 'eventstoredb' }), startAnvil(), freePort()])
  t.teardown(async () => {
    await anvil.stop()
    await opened.stop()
  })
  const origin = `http://localhost:${port}`
  const chain = { CHAIN_ETH_RPC: anvil.url, CHAIN_ETH_ID: String(anvil.chainId) }
  const env: Record<string, string> = { ...opened.env, ...chain, PORT: String(port), BASE_URL: origin }
  return { env, call: createClient(() => origin).call }
}

const childrenOf = (pid: number | undefined): number[] => {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number)
  } catch {
    return []
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
