/** What an installation for production has around it, all of it on this machine. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevInbox } from '../../adapters/mail/dev-inbox.ts'
import { openCore } from '../../adapters/store/node/core.ts'
import { serveProtocol } from '../../adapters/store/node/protocol.ts'
import { krakenSays, okxSays, playSources } from '../rates/played-sources.ts'
import { startAnvil } from '../support/anvil.ts'
import { createDatabase } from '../support/postgres.ts'

const ETHER_USD = '2500'

/** A chain, sources of prices, a mail server, a database and a log; `env` are the settings that name them. */
export const openSurroundings = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'daybook-deploy-'))
  const core = openCore(join(dir, 'events.db'))
  const [log, anvil, inbox, prices, database] = await Promise.all([
    serveProtocol(core, '127.0.0.1:0'),
    startAnvil(),
    startDevInbox(),
    playSources({
      kraken: () => ({ body: krakenSays({ XETHZUSD: ETHER_USD }) }),
      okx: () => ({ body: okxSays({ 'ETH-USD': ETHER_USD }, Date.now()) }),
    }),
    createDatabase(),
  ])
  const env = {
    NODE_ENV: 'production',
    BASE_URL: 'https://pay.example',
    MASTER_KEY: randomBytes(32).toString('hex'),
    SMTP_URL: inbox.url,
    CHAIN_ETH_RPC: anvil.url,
    CHAIN_ETH_ID: String(anvil.chainId),
    RATES: 'kraken,okx',
    RATES_KRAKEN_URL: prices.base('kraken'),
    RATES_OKX_URL: prices.base('okx'),
  }
  return {
    dir,
    anvil,
    inbox,
    /** Everything but a log and a database. */
    env,
    outside: { EVENTSTORE_URL: `esdb://${log.address}?tls=false`, DATABASE_URL: database.url },
    async close() {
      await log.stop()
      await core.close()
      database.drop()
      await Promise.all([anvil.stop(), inbox.stop(), prices.stop()])
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export type Surroundings = Awaited<ReturnType<typeof openSurroundings>>
