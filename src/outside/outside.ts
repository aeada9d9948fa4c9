import type { Logger } from 'pino'
import { createKeyLists } from '../../adapters/ap2/key-lists.ts'
import { openCardProcessor } from '../../adapters/card/processor.ts'
import { createAddresses } from '../../adapters/chains/addresses.ts'
import { createKeptBalances } from '../../adapters/chains/kept-balances.ts'
import { createAddressProofs } from '../../adapters/chains/proofs/proofs.ts'
import { createSharedHeads } from '../../adapters/chains/rpc/shared-head.ts'
import { createSecondVoice, type SecondVoices } from '../../adapters/chains/watch/second-voice.ts'
import { createSigner } from '../../adapters/crypto/signer.ts'
import { createDns } from '../../adapters/dns.ts'
import type { DevInbox } from '../../adapters/mail/dev-inbox.ts'
import { keepLetters } from '../../adapters/mail/kept-letters.ts'
import { smtpMail } from '../../adapters/mail/smtp.ts'
import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { hostAndPort } from '../../adapters/outbound/url-rules.ts'
import { fixedRates } from '../../adapters/rates/quotes/fixed.ts'
import { createMarketRates, type RatesReport } from '../../adapters/rates/quotes/market.ts'
import { createTokenPrices } from '../../adapters/rates/token-prices.ts'
import { localArtist } from '../../adapters/studio/artist.ts'
import { createVatRegistry } from '../../adapters/vat/registry.ts'
import { createVies } from '../../adapters/vat/vies.ts'
import { assetsOn } from '../../domain/kernel/assets.ts'
import type { Mail } from '../../domain/kernel/mail.ts'
import type { Chain, Rates, Vault, World } from '../../domain/kernel/ports.ts'
import type { VatRegistry } from '../../domain/money/vat/ports.ts'
import { WEBHOOK_USER_AGENT } from '../../domain/selling/webhooks/delivery-request.ts'
import type { OutsidePorts } from '../../domain/use-cases/context.ts'
import type { Config } from '../settings/config.ts'
import type { SandboxUrls } from '../settings/sandbox.ts'
import { type Chains, openChains } from './chains.ts'
import { openRelayers, type Relayers } from './relayers.ts'

/** Everything that the product reaches outside itself: chains, webhooks, mail, rates. */
export type OpenOutside = {
  readonly outside: OutsidePorts
  readonly mail: Mail
  readonly chains: Chains
  readonly relayers: Relayers
  readonly secondVoice: SecondVoices
  readonly ratesReport: OpenRates['report']
  /** The inbox of the sandbox; undefined with SMTP_URL. */
  readonly inbox: DevInbox | undefined
}

/** What the outside is opened with; `lettersFile` keeps the letters of the sandbox's inbox. */
type OutsideParts = {
  readonly world: World
  readonly vault: Vault
  readonly origins: OutsidePorts['origins']
  readonly passwords: OutsidePorts['passwords']
  readonly sandboxState: SandboxUrls
  readonly lettersFile: string
  readonly log: Logger
}

/** Opens it all; each thing that has to be closed is handed to `closing` as soon as it is there. */
export const openOutside = async (
  config: Config,
  parts: OutsideParts,
  closing: (close: () => unknown) => void,
): Promise<OpenOutside> => {
  const { world, vault, origins, passwords, sandboxState, log } = parts
  const chains = await openChains(config, sandboxState, log)
  closing(() => chains.close())
  const outbound = createOutbound({ allow: config.outboundAllow, userAgent: WEBHOOK_USER_AGENT })
  closing(() => outbound.close())
  const { mail, inbox } = await openMail(config, parts, closing)
  const { rates, report } = await openRates(config, chains.byNetwork, log, closing)
  const tokens = { prices: createTokenPrices({ outbound, feeds: config.priceFeeds }), tokenTypes: config.tokenTypes }
  const chosen = new Map(chains.configured.map(({ network, chain }) => [network.name, chain]))
  const addresses = createAddresses(chosen)
  const proving = { chains: chains.byNetwork, chosen, host: new URL(origins.base).host, now: () => world.now() }
  const proofs = createAddressProofs(proving)
  const relaying = { ...config, relayerKey: config.relayerKey ?? chains.sandbox?.relayerKey, chains: chains.configured }
  const relayers = await openRelayers(relaying, chains.byNetwork, rates, log)
  closing(() => relayers.close())
  const secondVoice = openSecondVoice(config, chains.byNetwork, vault, log)
  const own = { passwords, signer: createSigner(), artist: localArtist }
  const onChains = { chains: chains.byNetwork, relayers: relayers.byNetwork, secondVoice, ...nowOn(world) }
  const vatRegistry = openVatRegistry(config, closing)
  const { landerFreeSlots, unpaidPerNetwork, relayLimits } = config
  const alarm = (message: string, facts: object) => log.warn(facts, message)
  const cards = openCardProcessor({ url: config.cardProcessorUrl, alarm })
  const keyLists = createKeyLists({ outbound })
  const outside = {
    world,
    vault,
    outbound,
    dns: createDns(config.dnsServers),
    vatRegistry,
    cards,
    keyLists,
    origins,
    developmentApps: !config.production,
    landerFreeSlots,
    unpaidPerNetwork,
    relayLimits,
    addresses,
    rates,
    proofs,
    ...own,
    ...tokens,
    ...onChains,
  }
  return { outside, mail, chains, relayers, secondVoice, ratesReport: report, inbox }
}

/** What is asked of chains right now, for all who ask at once. */
const nowOn = (world: World) => ({
  headNow: createSharedHeads(),
  balanceNow: createKeptBalances(() => world.now()),
})

/**
 * A second provider is asked about one in this many payments below the sum; a key that no provider has decides which.
 */
const SAMPLED_OF = 16

const openSecondVoice = (
  { secondVoiceAboveUsd: aboveUsd }: Config,
  chains: Chains['byNetwork'],
  vault: Vault,
  log: Logger,
): SecondVoices => {
  const isSampled = (id: string) =>
    Number.parseInt(vault.fingerprint('second-voice', id).slice(0, 8), 16) % SAMPLED_OF === 0
  return createSecondVoice({ chains, aboveUsd, isSampled, log })
}

/** Letters go to the server of the settings, else to an inbox of the sandbox's own. */
const openMail = async (
  config: Config,
  { lettersFile, vault }: Pick<OutsideParts, 'lettersFile' | 'vault'>,
  closing: (close: () => unknown) => void,
) => {
  const letters = () => keepLetters(lettersFile, vault.fingerprint('letters', 'inbox'))
  const inbox = config.smtpUrl
    ? undefined
    : await (await import('../../adapters/mail/dev-inbox.ts')).startDevInbox(letters())
  if (inbox) closing(() => inbox.stop())
  const mail = smtpMail(config.smtpUrl ?? (inbox as DevInbox).url, config.mailFrom)
  closing(() => mail.close())
  return { mail, inbox }
}

/** How long a start waits for the first rates, so that the first buyers after it are not sent away. */
const FIRST_RATES_MS = 2_000

type OpenRates = {
  readonly rates: Rates
  /** Answers undefined when rates are fixed. */
  readonly report: () => RatesReport | undefined
}

/**
 * The rates that the settings name, of the coins of these chains. Sources are asked over a guarded way out of their
 * own; only those that the operator named by a setting may be on a private host or without TLS. Resolves once each was
 * asked, or after `firstMs` milliseconds.
 */
export const openRates = async (
  { rateSources }: Pick<Config, 'rateSources'>,
  chains: ReadonlyMap<string, Pick<Chain, 'caip2'>>,
  log: Pick<Logger, 'warn' | 'error'>,
  closing: (close: () => unknown) => void,
  firstMs = FIRST_RATES_MS,
): Promise<OpenRates> => {
  if (!rateSources) return { rates: fixedRates(), report: () => undefined }
  const allow = new Set(rateSources.filter(({ own }) => own).map(({ base }) => hostAndPort(new URL(base))))
  const outbound = createOutbound({ allow, userAgent: WEBHOOK_USER_AGENT })
  closing(() => outbound.close())
  const codes = [...chains].flatMap(([network, { caip2 }]) => assetsOn(network, caip2).map(({ code }) => code))
  const rates = createMarketRates({
    sources: rateSources,
    outbound,
    codes,
    log: (text, facts) => log.warn(facts, text),
    alarm: (text, facts) => log.error(facts, text),
  })
  closing(() => rates.close())
  await rates.asked(firstMs)
  return { rates, report: rates.report }
}

/**
 * The registry that checks VAT numbers. VIES is asked over a guarded way out of its own, which reaches a private host,
 * or one without TLS, only where a setting names it.
 */
const openVatRegistry = ({ vies }: Config, closing: (close: () => unknown) => void): VatRegistry => {
  if (!vies) return createVatRegistry(undefined)
  const allow = new Set(vies.own ? [hostAndPort(new URL(vies.base))] : [])
  const outbound = createOutbound({ allow, userAgent: WEBHOOK_USER_AGENT })
  closing(() => outbound.close())
  return createVatRegistry(createVies({ outbound, base: vies.base }))
}
