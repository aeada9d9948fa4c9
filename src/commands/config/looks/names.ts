import { getServers } from 'node:dns'
import { isIP } from 'node:net'
import { createDns } from '../../../../adapters/dns.ts'
import { machineLookup } from '../../../../adapters/outbound/lookup.ts'
import type { Config } from '../../../settings/config.ts'
import { type Finding, fine, type Looked, misfit } from './finding.ts'

const WHAT = 'names'
const SETTING = 'DNS_SERVERS'
/** A name that is kept for examples (RFC 2606), and that every name server of the internet can find. */
const ASKED = 'example.com'

/** The name servers that are asked for the proofs of domains, and the names of our own origins. */
export const lookAtNames = async ({ dnsServers, origins }: Config): Promise<Looked> => {
  const own = dnsServers.length > 0
  const servers = own ? dnsServers : getServers()
  const asked = await Promise.all(
    servers.map(async (server) => ({ server, answer: await createDns([server]).txt(ASKED) })),
  )
  const silent = asked.flatMap(({ server, answer }) =>
    answer.status === 'unclear' ? [{ server, reason: answer.reason }] : [],
  )
  const wrong = own || silent.length === asked.length ? silent : []
  const findings = wrong.map(({ server, reason }) =>
    misfit(
      WHAT,
      SETTING,
      `the name server ${server} gives no answer (${reason}), so that the domains of apps cannot be proven`,
      own ? 'Correct it.' : `Set ${SETTING} to one that answers, as in ${SETTING}=192.0.2.53.`,
    ),
  )
  const answering = asked.length - silent.length
  const text = `${answering} of ${asked.length} name servers${own ? '' : ' of this machine'} answer`
  const fitting = findings.length > 0 ? findings : [fine(WHAT, SETTING, text)]
  return { findings: [...fitting, ...(await unknownOrigins(origins))] }
}

/** Origins of ours whose host nobody can find. */
const unknownOrigins = async (origins: Config['origins']): Promise<readonly Finding[]> => {
  const named = [
    ['BASE_URL', origins.base],
    ['AUTH_URL', origins.auth],
    ['PAY_URL', origins.pay],
    ['SHOP_URL', origins.shop],
  ] as const
  const byHost = new Map(named.toReversed().map(([setting, url]) => [new URL(url).hostname, setting]))
  const looked = [...byHost].map(async ([host, setting]): Promise<Finding[]> => {
    if (host === 'localhost' || isIP(host.replace(/^\[|\]$/g, ''))) return []
    const addresses = await machineLookup(host).catch(() => [])
    return addresses.length > 0 ? [] : [misfit(WHAT, setting, `nobody knows the host ${host}`, NAME_REMEDY)]
  })
  return (await Promise.all(looked)).flat()
}

const NAME_REMEDY = 'Give it an address (A or AAAA) that leads to this service, or correct the setting.'
