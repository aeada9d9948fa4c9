import test from 'ava'
import { daybook, ownDir } from '../cli/daybook.ts'

const OUTSIDE = {
  PORT: '4020',
  EVENTSTORE_URL: 'esdb://127.0.0.1:9?tls=false',
  DATABASE_URL: 'postgres://127.0.0.1:9/x',
  CHAIN_ETH_RPC: 'http://127.0.0.1:9',
  CHAIN_ETH_ID: '31337',
  RATES: 'fixed',
}

test('N-112 a part that is none is refused with the list of them, before anything is started', async (t) => {
  const env = { DATA_DIR: await ownDir(t) }
  for (const [given, named] of [
    ['web,wep', 'wep'],
    ['', 'An empty name'],
    ['web,', 'An empty name'],
    ['all', 'all'],
  ] as const) {
    const { code, stderr } = await daybook(env, 'serve', '--parts', given)
    t.is(code, 2, given)
    t.true(stderr.includes(`${named} is no part. The parts are web and followers.`), stderr)
  }
})

test('N-112 a number of workers is from 1 to 64', async (t) => {
  const env = { DATA_DIR: await ownDir(t) }
  for (const given of ['0', '65', '-1', '2.5', 'two', '']) {
    const { code, stderr } = await daybook(env, 'serve', '--workers', given)
    t.is(code, 2, given)
    t.true(stderr.includes('It is not a number of processes from 1 to 64.'), stderr)
  }
})

test('N-156 the time in which a service says that it stops is from 0 to 60 seconds', async (t) => {
  const env = { DATA_DIR: await ownDir(t) }
  for (const given of ['61', '-1', '0.5', 'five', '']) {
    const { code, stderr } = await daybook(env, 'serve', '--stop-notice', given)
    t.is(code, 2, given)
    t.true(stderr.includes('It is not a number of seconds from 0 to 60.'), stderr)
  }
})

test('N-112 workers are refused where they cannot share a log, a database, a chain or a port, each by its setting', async (t) => {
  const dir = await ownDir(t)
  const refusal = async (env: Readonly<Record<string, string>>) => {
    const { code, stderr } = await daybook({ ...env, DATA_DIR: dir }, 'serve', '--workers', '2')
    t.is(code, 2, stderr)
    return stderr
  }
  const { EVENTSTORE_URL: _log, DATABASE_URL: _rows, CHAIN_ETH_RPC: _rpc, CHAIN_ETH_ID: _id, ...none } = OUTSIDE
  const all = await refusal({ ...none, PORT: '0' })
  for (const name of ['EVENTSTORE_URL', 'DATABASE_URL', 'CHAIN_ETH_RPC', 'PORT'])
    t.regex(all, new RegExp(`^${name} `, 'm'))
  t.regex(await refusal({ ...OUTSIDE, METRICS_PORT: '65535' }), /^METRICS_PORT 65535 leaves no room for 2 ports/m)
})

test('N-112 the address for other processes is one of this machine, and not all of them', async (t) => {
  const dir = await ownDir(t)
  for (const given of ['0.0.0.0', '::', 'db.example.com', '10.0.0.5:80']) {
    const { code, stderr } = await daybook({ DATA_DIR: dir, PROCESS_HOST: given }, 'serve')
    t.is(code, 2, given)
    t.true(
      stderr.includes(`PROCESS_HOST is not an IP address at which others can reach this machine: ${given}`),
      stderr,
    )
  }
})
