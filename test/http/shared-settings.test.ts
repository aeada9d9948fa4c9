/** Processes on one log act for each other, so they have the same origins and the same chains, or do not start. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { acceptSettings, showShared } from '../../src/commands/settings/shared.ts'
import { freePort } from '../../src/demo/port.ts'
import { serve } from '../../src/runtime/serve.ts'
import { readConfig } from '../../src/settings/config.ts'
import { BadSetting } from '../../src/settings/setting-kinds.ts'
import { startAnvil } from '../support/anvil.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { inProcess } from '../support/commands.ts'
import { logOf } from '../support/sale.ts'

let app: TestApp

test.before(async () => {
  const port = String(await freePort())
  const env = {
    PORT: port,
    BASE_URL: `http://localhost:${port}`,
    PAY_URL: 'http://pay.localhost:4020',
    MASTER_KEY: 'ab'.repeat(32),
  }
  app = await startApp({ store: 'eventstoredb', env })
})

test.after.always(() => app?.stop())

/** The settings of another process beside the first. */
const beside = async (t: ExecutionContext, changed: Record<string, string | undefined>) => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-beside-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return readConfig({ ...app.env, PORT: String(await freePort()), DATA_DIR: dir, ...changed })
}

test.serial(
  'a process with other origins, other chains or none is refused by the names of the settings, and writes nothing',
  async (t) => {
    // Two chains that are alike and begin in the same second have the same first block.
    const other = await startAnvil({ baseFee: 7n })
    t.teardown(() => other.stop())
    const cases: readonly (readonly [Record<string, string | undefined>, RegExp])[] = [
      [
        { BASE_URL: undefined },
        /^BASE_URL is http:\/\/localhost:\d+ here, and http:\/\/localhost:\d+ for the processes on this log: set BASE_URL=http:\/\/localhost:\d+/,
      ],
      [{ PAY_URL: undefined }, /^PAY_URL is .* set PAY_URL=http:\/\/pay\.localhost:4020\./],
      [
        { CHAIN_ETH_RPC: undefined, CHAIN_ETH_ID: undefined },
        /^CHAIN_ETH_RPC is not set, and this log is kept with chain \d+: a sandbox beside it would undo its payments/,
      ],
      [{ CHAIN_ETH_ID: '1' }, /^CHAIN_ETH_ID means chain 1 here, and this log is kept with \d+/],
      [
        { CHAIN_ETH_RPC: undefined, CHAIN_ETH_ID: undefined, CHAIN_BASE_RPC: 'http://127.0.0.1:1' },
        /^CHAIN_ETH_RPC is not set, and the processes on this log watch eth/,
      ],
      [
        { CHAIN_ETH_RPC: other.url },
        /^CHAIN_ETH_RPC names a chain whose first block is 0x[0-9a-f]{64}, and this log is kept with one that begins with 0x/,
      ],
    ]
    for (const [changed, says] of cases) {
      const refused = await t.throwsAsync(serve(await beside(t, changed)), { instanceOf: BadSetting })
      t.regex(String(refused?.message), says)
      t.regex(String(refused?.message), /daybook settings accept/)
    }
    // The first process watches its chain meanwhile; nobody else has written anything.
    t.deepEqual(
      (await logOf(app)).filter(({ type, stream }) => type === 'BlocksReorganised' || !stream.endsWith('-eth')),
      [],
    )
  },
)

test.serial('a process with the same settings starts beside the others, and one may bring a chain along', async (t) => {
  const same = await serve(await beside(t, {}))
  await same.stop()
  const { told } = await inProcess(app.env, showShared)
  t.like(told, { BASE_URL: app.env.BASE_URL, PAY_URL: 'http://pay.localhost:4020', CHAIN_ETH: app.env.CHAIN_ETH_ID })
})

test.serial('an origin is changed knowingly, once no service runs any more', async (t) => {
  await t.throwsAsync(inProcess(app.env, acceptSettings), { message: /running/ })
  await app.restart(async () => {
    const moved = await beside(t, { BASE_URL: 'https://pay.example' })
    await t.throwsAsync(serve(moved), { instanceOf: BadSetting })
    await inProcess(app.env, acceptSettings)
    const served = await serve(moved)
    t.is(served.origin, 'https://pay.example')
    await served.stop()
    await inProcess(app.env, acceptSettings)
  })
  t.is((await app.call('GET', '/readyz')).status, 200)
})
