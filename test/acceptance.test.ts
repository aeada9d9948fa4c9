import test, { type ExecutionContext } from 'ava'
import { buySigned } from '../adapters/chains/sandbox/sandbox-buyer.ts'
import { buyCart } from '../adapters/chains/sandbox/sandbox-cart.ts'
import { connect } from '../adapters/postgres/connect.ts'
import { createClient } from '../src/demo/client.ts'
import { dropReadModels } from '../src/demo/drop.ts'
import { playSale } from '../src/demo/sale.ts'
import { daybook } from './cli/daybook.ts'
import { type StoreKind, startApp, type TestApp } from './support/app.ts'
import { startCountingProxy } from './support/counting-proxy.ts'
import { cases, HANG_MS } from './support/depth.ts'
import { BASE_SEPOLIA, startGaslessChain } from './support/gasless.ts'

/**
 * The acceptance run: one live sale, one by a signature, and a cart, stopped and replayed, by the same code that the
 * demo shows.
 */

const PAY_TO = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
const STEPS = 10
/** One of each sale. */
const DELIVERIES = 3
/** Long enough for anything that a start would do by itself. */
const QUIET_MS = 1_500

const ids =
  'J-GEN-05 J-GEN-06 J-ACC-06 J-ACC-07 J-DOOR-01 J-DOOR-04 J-VER-01 T-CHL-01 T-TXN-01 W-DEL-01 W-SIG-01 I-FEE-01 I-EARN-01 W-GAS-01 C-SES-13 C-ORD-01'

// The demo's own test plays it on the embedded store.
for (const store of cases(['eventstoredb', 'embedded'] as const, 2))
  test(`${ids} one live sale, from sign-up to a replay that answers byte for byte the same, on ${store}`, (t) =>
    liveSale(t, store))

const liveSale = async (t: ExecutionContext, store: StoreKind) => {
  t.timeout(HANG_MS)
  const chain = { url: '' }
  const proxy = await startCountingProxy(() => chain.url)
  const base = await startGaslessChain()
  const app = await startApp({ store, rpcUrl: proxy.url, onAnvil: (url) => (chain.url = url), env: base.env })
  const buyer = await base.payer(2_000_000n)
  t.teardown(async () => {
    await app.stop()
    await base.stop()
    proxy.stop()
  })
  const shown: number[] = []
  let letters: readonly unknown[] = []
  await playSale(
    {
      client: createClient(() => app.served().origin),
      payTo: PAY_TO,
      received: () => app.anvil.balanceOf(PAY_TO),
      pay: (to, wei) => app.anvil.send(to, wei),
      sign: (path) => buySigned(`${app.served().origin}${path}`, `eip155:${BASE_SEPOLIA}`, buyer.key),
      buyCart: (path) => buyCart(`${app.served().origin}${path}`, `eip155:${BASE_SEPOLIA}`, buyer.key),
      confirm: (blocks) => app.anvil.mine(blocks),
      webhook: { url: app.receiver.url, posts: app.receiver.posts },
      replay: async () => {
        letters = await lettersOf(app)
        await app.restart(async () => {
          await dropAll(app)
          const before = proxy.calls()
          await replay(app)
          t.is(proxy.calls(), before, 'a replay asks nothing of a chain')
        })
      },
    },
    (step) => shown.push(step),
  )
  t.is(shown.length, STEPS)
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
  t.is(app.receiver.posts.length, DELIVERIES, 'nothing is delivered again after the start')
  t.is(letters.length, 1)
  t.deepEqual(await lettersOf(app), letters, 'nothing is mailed again after the start')
}

const lettersOf = async (app: TestApp): Promise<readonly unknown[]> => (await app.call('GET', '/dev/inbox.json')).json

const dropAll = async (app: TestApp) => {
  const sql = connect(app.databaseUrl, { max: 1 })
  await dropReadModels(sql)
  await sql.end()
}

const replay = async (app: TestApp) => {
  const { code, stderr } = await daybook(app.env, 'replay', '--json')
  if (code !== 0) throw new Error(stderr)
}
