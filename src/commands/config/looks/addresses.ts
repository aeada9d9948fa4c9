import { createOutbound } from '../../../../adapters/outbound/signed-post.ts'
import { hostAndPort } from '../../../../adapters/outbound/url-rules.ts'
import { WEBHOOK_USER_AGENT } from '../../../../domain/selling/webhooks/delivery-request.ts'
import type { Config } from '../../../settings/config.ts'
import type { GivenSettings } from '../../../settings/given/given.ts'
import { type Finding, fine, type Looked, misfit } from './finding.ts'

type NamedUrl = { readonly what: string; readonly setting: string; readonly url: string }

/** Whether those who are asked over HTTP can be reached. Any answer counts, since they are asked to do nothing. */
export const lookAtAddresses = async (config: Config, { sources }: Pick<GivenSettings, 'sources'>): Promise<Looked> => {
  const named = namedUrls(config).filter(({ setting }) => setting !== 'CARD_PROCESSOR_URL' || sources.has(setting))
  const allow = new Set(named.map(({ url }) => hostAndPort(new URL(url))))
  const outbound = createOutbound({ allow, userAgent: WEBHOOK_USER_AGENT })
  try {
    const findings = named.map(async ({ what, setting, url }): Promise<Finding> => {
      const { host } = new URL(url)
      const { status, reason } = await outbound.get(url, 1)
      return status === undefined
        ? misfit(
            what,
            setting,
            `${host} cannot be reached (${reason})`,
            REMEDIES[reason ?? ''] ?? 'Correct the address.',
          )
        : fine(what, setting, `${host} can be reached`)
    })
    return { findings: await Promise.all(findings) }
  } finally {
    await outbound.close()
  }
}

const namedUrls = ({ heads, vies, cardProcessorUrl }: Config): readonly NamedUrl[] => [
  ...heads.witnesses.map(({ url, key }) => ({ what: `witness ${key.name}`, setting: 'WITNESSES', url })),
  ...(heads.stampUrl === undefined ? [] : [{ what: 'time stamps', setting: 'TIMESTAMP_URL', url: heads.stampUrl }]),
  ...(vies ? [{ what: 'VAT', setting: vies.own ? 'VIES_URL' : 'VAT_REGISTRY', url: vies.base }] : []),
  { what: 'cards', setting: 'CARD_PROCESSOR_URL', url: cardProcessorUrl },
]

const REMEDIES: Readonly<Record<string, string>> = {
  'name-not-resolved': 'Correct the name of the host, or make it known.',
  'tls-failed': 'Look at its certificate, and whether the URL should begin with http://.',
  'connect-timeout': 'Look whether it runs, and whether a firewall is between.',
  'total-timeout': 'Look whether it runs, and whether a firewall is between.',
}
