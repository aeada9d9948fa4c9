import { resolve } from 'node:path'
import { voicesAmong } from '../../adapters/chains/watch/voices.ts'
import type { SignInLimit } from '../../adapters/http/core/endpoint.ts'
import { ALL_SOURCES, parseRates, type RateSources } from '../../adapters/rates/quotes/setting.ts'
import { parseVatRegistry, type ViesSetting } from '../../adapters/vat/setting.ts'
import type { RelayLimits } from '../../domain/gasless/relay-budget.ts'
import { FIAT_DECIMALS, toUnits } from '../../domain/kernel/money.ts'
import { chainOf, type Network, type NetworkChain, networks } from '../../domain/kernel/networks.ts'
import { LANDERS_MAX } from '../../domain/storefront/landers.ts'
import { type BackupSettings, backupSettingsOf } from './backup-settings.ts'
import { readEnvFile } from './env-file.ts'
import { collectFaults } from './faults.ts'
import { type HeadSettings, headSettingsOf } from './head-settings.ts'
import { productionFaults } from './production.ts'
import {
  addressOf,
  allowList,
  BadSetting,
  countOf,
  emailOf,
  keyOf,
  listenOf,
  oneOf,
  originOf,
  perHourOf,
  perMinuteOf,
  portOf,
  privateKeyOf,
  processorUrlOf,
  type RateConfig,
  rateOf,
  relayLimitsOf,
  secondsOf,
  serversOf,
  urlOf,
  walletsOf,
  worded,
} from './setting-kinds.ts'
import { feedOf, feedUrl, tokenTypes } from './token-settings.ts'

/**
 * The environment, read once, here and nowhere else. Each bad or missing setting is one line that names it, and all of
 * them are told at once.
 */

export type ChainConfig = {
  network: Network
  rpcUrls: readonly string[]
  chain: NetworkChain
  /**
   * Wei that a relayer offers for a unit of gas above the base fee, where its node's suggestion is of no use; no
   * setting says it.
   */
  tip?: bigint
}

const TRUSTED_PROXIES_MAX = 8
/** A bound above the number of amounts that an address has for callers without a name. */
const UNPAID_PER_NETWORK_MAX = 3_000
/** The most seconds; whoever supervises the service starts it again anyway. */
const STARTUP_WAIT_MAX_S = 3_600
/** The highest bound for a second voice, in US dollars. */
const SECOND_VOICE_ABOVE_MAX = 100_000_000

export type Config = {
  port: number
  metricsPort: number
  /** The address of this machine at which other processes of the installation reach this one. */
  processHost: string
  dataDir: string
  /** Undefined: the embedded PostgreSQL. */
  databaseUrl: string | undefined
  /** Undefined: the embedded event store. */
  eventStoreUrl: string | undefined
  /** The address at which the embedded event store also answers EventStoreDB's protocol. */
  eventStoreListen: string | undefined
  /** How long a start waits for an EventStoreDB that does not answer yet, in seconds. */
  startupWaitSeconds: number
  /** Whether the log is mirrored under DATA_DIR, and read from there where all of it is read. */
  logMirror: boolean
  /** `shop`: below its host each store has one of its own. */
  origins: { base: string; auth: string; pay: string; shop: string }
  smtpUrl: string | undefined
  mailFrom: string
  /** 32 bytes; undefined: one is made and kept under DATA_DIR. */
  masterKey: Buffer | undefined
  /** The one before it, for as long as it is changed: `daybook master-key rotate`. */
  masterKeyBefore: Buffer | undefined
  outboundAllow: ReadonlySet<string>
  /** Name servers that are asked for the records that prove domains, as `address:port`; empty: the machine's own. */
  dnsServers: readonly string[]
  /** Addresses where sellers pay for their credit, by asset code. */
  platformWallets: ReadonlyMap<string, string>
  /** Proxies in front whose word of a caller's address is believed, one behind the other; 0: nobody's. */
  trustedProxies: number
  /** How often one key may call, one address where no key is needed, and one app on the sign-in service. */
  limits: { key: RateConfig; address: RateConfig; visitor: RateConfig; client: RateConfig }
  /**
   * Finer limits of the sign-in service: what one address begins and what of it fails, what one token reads, and what
   * one app moves of balances.
   */
  signInLimits: Record<SignInLimit, RateConfig>
  /** Bytes that callers of one network without a key or a session may make the log grow by. */
  strangerBytes: RateConfig
  /** Empty: local sandbox chains are started. */
  chains: readonly ChainConfig[]
  /**
   * Millionths of a US dollar: a payment of more is booked once a second provider of its chain says the same; 0: each.
   */
  secondVoiceAboveUsd: bigint
  /** The key that pays the gas of signed payments; undefined: none are taken, except in the sandbox. */
  relayerKey: `0x${string}` | undefined
  /** The most that relayers may lose in an hour to payments that come to nothing, in millionths of a US dollar. */
  relayLimits: RelayLimits
  /** The address that is written to when something needs looking after; undefined: only the log tells. */
  operatorEmail: string | undefined
  /** The types of custom token, each with its network. */
  tokenTypes: ReadonlyMap<string, string>
  /** Price feeds of custom tokens: their names, as sellers write them, and base URLs. */
  priceFeeds: ReadonlyMap<string, string>
  /** The sources that are asked what coins and currencies cost; undefined: rates are fixed. */
  rateSources: RateSources
  /** The registry in which VAT numbers are looked up; undefined: only their form is checked. */
  vies: ViesSetting
  /** The URL at which sellers' card processors are asked. */
  cardProcessorUrl: string
  /** Lander slots that an account has before it buys any. */
  landerFreeSlots: number
  /** Open challenges on one address that callers of one network may hold and not have paid. */
  unpaidPerNetwork: number
  /** How long an event waits for its seal, in seconds. */
  sealEverySeconds: number
  /** The witnesses and the time stamp authority that vouch for the heads of the log. */
  heads: HeadSettings
  backup: BackupSettings
  production: boolean
  logLevel: string
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads the settings: those given, or else the environment and, below it, the file `.env` of the present folder. Throws
 * BadSetting with a line for each setting that cannot be used.
 */
export const readConfig = (env: Environment = { ...readEnvFile(process.cwd()), ...process.env }): Config =>
  collectFaults(env, parse, productionFaults(env))

const parse = (env: Environment): Config => {
  const set = (name: string) => env[name]?.trim() || undefined
  const production = set('NODE_ENV') === 'production'
  const port = portOf('PORT', set('PORT') ?? '4020')
  const base = originOf('BASE_URL', set('BASE_URL') ?? `http://localhost:${port}`)
  const eventStoreUrl = urlOf('EVENTSTORE_URL', set('EVENTSTORE_URL'), ['esdb:', 'esdb+discover:', 'unix:'])
  const eventStoreListen = set('EVENTSTORE_LISTEN')
  if (eventStoreUrl && eventStoreListen)
    throw new BadSetting('EVENTSTORE_LISTEN is for the embedded event store and cannot go with EVENTSTORE_URL')
  const chains = networks.flatMap((network) => chainConfig(network, set))
  return {
    port,
    metricsPort: portOf('METRICS_PORT', set('METRICS_PORT') ?? String(port === 0 ? 0 : port + 1)),
    processHost: addressOf('PROCESS_HOST', set('PROCESS_HOST') ?? '127.0.0.1'),
    dataDir: resolve(set('DATA_DIR') ?? '.daybook'),
    databaseUrl: urlOf('DATABASE_URL', set('DATABASE_URL'), ['postgres:', 'postgresql:']),
    eventStoreUrl,
    eventStoreListen: eventStoreListen === undefined ? undefined : listenOf(eventStoreListen),
    startupWaitSeconds: countOf('STARTUP_WAIT_SECONDS', set('STARTUP_WAIT_SECONDS') ?? '60', STARTUP_WAIT_MAX_S),
    logMirror: logMirror(set('LOG_MIRROR'), eventStoreUrl),
    origins: originsOf(base, set),
    ...mailOf(set),
    masterKey: keyOf('MASTER_KEY', set('MASTER_KEY')),
    masterKeyBefore: keyOf('MASTER_KEY_BEFORE', set('MASTER_KEY_BEFORE')),
    outboundAllow: allowList(set('OUTBOUND_ALLOW')),
    dnsServers: serversOf('DNS_SERVERS', set('DNS_SERVERS')),
    platformWallets: walletsOf('PLATFORM_WALLETS', set('PLATFORM_WALLETS')),
    trustedProxies: countOf('TRUST_PROXY', set('TRUST_PROXY') ?? '0', TRUSTED_PROXIES_MAX),
    ...limitsOf(set),
    chains,
    ...relayOf(set),
    secondVoiceAboveUsd: secondVoiceAbove(set('SECOND_VOICE_ABOVE_USD'), chains),
    tokenTypes: tokenTypes(set('CUSTOM_NETWORK_A') ?? 'gnosis', set('CUSTOM_NETWORK_B') ?? 'linea'),
    priceFeeds: new Map([[feedOf(set('PRICE_FEED') ?? 'coingecko'), feedUrl(set('PRICE_FEED_URL'))]]),
    rateSources: ratesOf(set, chains.length === 0),
    vies: viesOf(set),
    cardProcessorUrl: processorUrlOf('CARD_PROCESSOR_URL', set('CARD_PROCESSOR_URL') ?? 'https://api.stripe.com'),
    landerFreeSlots: countOf('LANDER_FREE_SLOTS', set('LANDER_FREE_SLOTS') ?? '1', LANDERS_MAX),
    unpaidPerNetwork: countOf('UNPAID_PER_NETWORK', set('UNPAID_PER_NETWORK') ?? '32', UNPAID_PER_NETWORK_MAX, 1),
    sealEverySeconds: secondsOf('SEAL_EVERY_SECONDS', set('SEAL_EVERY_SECONDS') ?? '60'),
    heads: headSettingsOf(set),
    backup: backupSettingsOf(set),
    production,
    logLevel: oneOf('LOG_LEVEL', set('LOG_LEVEL') ?? 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
  }
}

const mailOf = (set: (name: string) => string | undefined): Pick<Config, 'smtpUrl' | 'mailFrom' | 'operatorEmail'> => ({
  smtpUrl: urlOf('SMTP_URL', set('SMTP_URL'), ['smtp:', 'smtps:']),
  mailFrom: set('MAIL_FROM') ?? 'Daybook <daybook@localhost>',
  operatorEmail: emailOf('OPERATOR_EMAIL', set('OPERATOR_EMAIL')),
})

const relayOf = (set: (name: string) => string | undefined): Pick<Config, 'relayerKey' | 'relayLimits'> => ({
  relayerKey: privateKeyOf('RELAYER_KEY', set('RELAYER_KEY')),
  relayLimits: relayLimitsOf('RELAY_LOSS_PER_HOUR', set('RELAY_LOSS_PER_HOUR')),
})

const limitsOf = (
  set: (name: string) => string | undefined,
): Pick<Config, 'limits' | 'signInLimits' | 'strangerBytes'> => ({
  limits: {
    key: rateOf('KEY_RATE', set, '100', '1000'),
    address: rateOf('ADDRESS_RATE', set, '50', '500'),
    visitor: rateOf('VISITOR_RATE', set, '200', '2000'),
    client: rateOf('CLIENT_RATE', set, '100', '1000'),
  },
  signInLimits: {
    signUp: perMinuteOf('SIGN_UPS_PER_MINUTE', set, '60'),
    authorize: perMinuteOf('AUTHORIZE_PER_MINUTE', set, '120'),
    userinfo: perMinuteOf('USERINFO_PER_MINUTE', set, '600'),
    tokenFailures: perMinuteOf('TOKEN_FAILURES_PER_MINUTE', set, '30'),
    balance: perMinuteOf('BALANCE_PER_MINUTE', set, '600'),
  },
  strangerBytes: perHourOf('STRANGER_BYTES_PER_HOUR', set, String(8 * 1_024 * 1_024)),
})

/** The embedded log is a local file already. */
const logMirror = (value: string | undefined, eventStoreUrl: string | undefined): boolean => {
  const server = eventStoreUrl !== undefined && !eventStoreUrl.startsWith('unix:')
  return oneOf('LOG_MIRROR', value ?? (server ? 'on' : 'off'), ['on', 'off']) === 'on'
}

/** The sign-in service and the pages of buyers have the origin of the rest, unless settings name others. */
const originsOf = (base: string, set: (name: string) => string | undefined): Config['origins'] => {
  const pay = originOf('PAY_URL', set('PAY_URL') ?? base)
  return {
    base,
    auth: originOf('AUTH_URL', set('AUTH_URL') ?? base),
    pay,
    shop: originOf('SHOP_URL', set('SHOP_URL') ?? pay),
  }
}

/** Fixed rates are for play money: they are the default in the sandbox alone. */
const ratesOf = (set: (name: string) => string | undefined, sandbox: boolean): RateSources => {
  const value = set('RATES') ?? (sandbox ? 'fixed' : ALL_SOURCES)
  const base = (name: string) => urlOf(name, set(name), ['https:', 'http:'])
  return worded(() => parseRates(value, base))
}

const viesOf = (set: (name: string) => string | undefined): ViesSetting =>
  worded(() =>
    parseVatRegistry(set('VAT_REGISTRY') ?? 'format', urlOf('VIES_URL', set('VIES_URL'), ['https:', 'http:'])),
  )

/** The part of our own environment that a process we start needs to find its programs. */
export const inheritedEnvironment = () => ({ PATH: process.env.PATH, HOME: process.env.HOME })

const chainConfig = (network: Network, set: (name: string) => string | undefined): ChainConfig[] => {
  const prefix = `CHAIN_${network.name.toUpperCase()}`
  const [rpc, id] = [set(`${prefix}_RPC`), set(`${prefix}_ID`)]
  if (rpc === undefined) {
    if (id !== undefined) throw new BadSetting(`${prefix}_ID is set but ${prefix}_RPC is not`)
    return []
  }
  const rpcUrls = rpc.split(',').map((url) => urlOf(`${prefix}_RPC`, url.trim(), ['http:', 'https:']) as string)
  if (rpcUrls.some((url) => !url)) throw new BadSetting(`${prefix}_RPC has an empty entry`)
  const chain = chainOf(network, id)
  const known = network.chains.map((each) => each.id).join(', ')
  if (!chain) throw new BadSetting(`${prefix}_ID is not one of ${known}: ${id}`)
  return [{ network, rpcUrls, chain }]
}

/**
 * Throws BadSetting when the bound is set and a chain has one provider: whoever asks for a second voice must not be
 * left without one, unnoticed.
 */
const secondVoiceAbove = (value: string | undefined, chains: readonly ChainConfig[]): bigint => {
  const name = 'SECOND_VOICE_ABOVE_USD'
  const dollars = countOf(name, value ?? '100', SECOND_VOICE_ABOVE_MAX)
  const alone = chains.find(({ rpcUrls }) => voicesAmong(rpcUrls).length < 2)
  if (value !== undefined && alone)
    throw new BadSetting(
      `${name} is set, but CHAIN_${alone.network.name.toUpperCase()}_RPC names one provider (voices: 1): name a second one on another host`,
    )
  return toUnits(String(dollars), FIAT_DECIMALS)
}
