import { createPasswords } from '../../adapters/crypto/passwords.ts'
import { createDns } from '../../adapters/dns.ts'
import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import { WEBHOOK_USER_AGENT } from '../../domain/selling/webhooks/delivery-request.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { checkpointOf, SERVING } from '../../projections/engine/schema.ts'
import { createQueries, projections, type Queries } from '../../projections/index.ts'
import type { Config } from '../settings/config.ts'
import { openDataDir } from '../settings/data-dir.ts'
import { world } from '../settings/world.ts'
import type { Books } from './books.ts'
import { openSealedLedger } from './operator-ledger.ts'
import { mustBeBuilt } from './verify-read-models.ts'

/**
 * What the operator's commands on users and apps work with: the ledger and the outside, beside a running service or
 * without one.
 */
export type Operator = {
  readonly flow: Pick<
    UseCaseContext,
    'ledger' | 'world' | 'vault' | 'outbound' | 'dns' | 'passwords' | 'origins' | 'developmentApps'
  >
  /**
   * Names of streams that a read model knows, and of those that it does not know yet because no service runs, newest
   * first: `begun` is the event that begins one.
   */
  ids(model: string, begun: string, known: (queries: Queries) => Promise<readonly string[]>): Promise<readonly string[]>
}

export const openOperator = async (books: Books, config: Config): Promise<Operator> => {
  const store = await books.store()
  const { sql, ledger, vault } = await openSealedLedger(books, () => openDataDir(config).masterKeys())
  const outbound = createOutbound({ allow: config.outboundAllow, userAgent: WEBHOOK_USER_AGENT })
  books.onClose(() => outbound.close())
  const dns = createDns(config.dnsServers)
  const queries = createQueries(sql)
  return {
    flow: {
      ledger,
      world,
      vault,
      outbound,
      dns,
      passwords: createPasswords(),
      origins: originsOf(config, books),
      developmentApps: !config.production,
    },
    async ids(model, begun, known) {
      const projection = projections.find(({ name }) => name === model)
      if (!projection) throw new Error(`no read model ${model}`)
      await mustBeBuilt(sql, projection)
      // The place comes before the rows, which may be further on by then: an id that is met twice counts once.
      const place = (await checkpointOf(sql, SERVING, model))?.position ?? -1n
      const rows = await known(queries)
      const since: string[] = []
      for await (const page of store.readAll(place))
        for (const { type, stream } of page) if (type === begun) since.unshift(idOf(stream))
      return [...new Set([...since, ...rows])]
    },
  }
}

/** The origins of the settings; a running service on a port that the system chose says itself where it is. */
const originsOf = ({ origins }: Config, { running }: Books): Config['origins'] => {
  const known = (origin: string) => (origin === 'http://localhost:0' && running ? running.origin : origin)
  const { base, auth, pay, shop } = origins
  return { base: known(base), auth: known(auth), pay: known(pay), shop: known(shop) }
}
