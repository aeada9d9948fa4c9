import { resolve } from 'node:path'
import type { SignInLimit } from '../../adapters/http/core/endpoint.ts'
import { ALL_SOURCES, parseRates, type RateSources } from '../../adapters/rates/quotes/setting.ts'
import { readConnectionString } from '../../adapters/store/client/connection-string.ts'
import { parseVatRegistry, type ViesSetting } from '../../adapters/vat/setting.ts'
import type { RelayLimits } from '../../domain/gasless/relay-budget.ts'
import { networks } from '../../domain/kernel/networks.ts'
import { LANDERS_MAX } from '../../domain/storefront/landers.ts'
import { type BackupSettings, backupSettingsOf } from './backup-settings.ts'
import { type ChainConfig, chainConfig, secondVoiceAbove } from './chain-settings.ts'
import { readEnvFile } from './env-file.ts'
import { collectFaults } from './faults.ts'
import { type GivenSettings, gatherSettings } from './given/given.ts'
import type { SettingReader } from './given/reader.ts'
import { chainSetting, rateUrlSetting } from './given/table.ts'
import { foundIn, wayOut } from './given/way-out.ts'
import { type HeadSettings, headSettingsOf } from './head-settings.ts'
import { type ObservingSettings, observingOf } from './observing.ts'
import { isNeeded, productionFaults } from './production.ts'
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

const TRUSTED_PROXIES_MAX = 8
/** A bound above the number of amounts that an address has for callers without a name. */
const UNPAID_PER_NETWORK_MAX = 3_000
/** With fewer connections of PostgreSQL, one piece of work could wait for another for ever. */
const CONNECTIONS_MIN = 4
const CONNECTIONS_MAX = 100
/** The most seconds; whoever supervises the service starts it again anyway. */
const STARTUP_WAIT_MAX_S = 3_600
export type Config = ObservingSettings & {
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
  /** Connections that requests and followers have at the same time; others are kept beside them (N-170). */
  databaseConnections: number
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
  /** A sentence for each name that looks like a setting and is none. */
  unknownSettings: readonly string[]
  logLevel: string
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads the settings: those given, or else the environment and, below it, the file `.env` of the present folder; and
 * the files of secrets. Throws BadSetting with a line for each setting that cannot be used.
 */
export const readConfig = (env?: Environment): Config => configOf(gatherGiven(env))

/** The settings as they were given, from the same places. Throws BadSetting when `.env` cannot be read. */
export const gatherGiven = (env?: Environment): GivenSettings =>
  env === undefined ? gatherSettings(process.env, readEnvFile(process.cwd())) : gatherSettings(env)

/** Reads settings that were gathered. Throws BadSetting as `readConfig` does. */
export const configOf = (given: GivenSettings): Config => {
  const { values, sources, faults, unreadable, unknown } = given
  const others = [...faults, ...productionFaults(values, unreadable)]
  const wayOutOf = (name: string, left: Environment) =>
    `${wayOut(name, left, isNeeded(name, values))}${foundIn(name, sources.get(name))}`
  const search = { values, refused: unreadable, others, wayOut: wayOutOf }
  return Object.assign(collectFaults(search, parse), { unknownSettings: unknown })
}

const parse = (reader: SettingReader): Omit<Config, 'unknownSettings'> => {
  const { set, value } = reader
  const port = portOf('PORT', value('PORT'))
  const eventStoreUrl = eventStoreUrlOf(set('EVENTSTORE_URL'))
  const eventStoreListen = set('EVENTSTORE_LISTEN')
  if (eventStoreUrl && eventStoreListen)
    throw new BadSetting(
      'EVENTSTORE_LISTEN is for the embedded event store and cannot go with EVENTSTORE_URL: leave one out',
    )
  const chains = networks.flatMap((network) => chainConfig(network, reader))
  const dataDir = resolve(value('DATA_DIR'))
  return {
    port,
    metricsPort: portOf('METRICS_PORT', value('METRICS_PORT')),
    ...observingOf(reader),
    processHost: addressOf('PROCESS_HOST', value('PROCESS_HOST')),
    dataDir,
    ...databaseOf(reader),
    eventStoreUrl,
    eventStoreListen: eventStoreListen === undefined ? undefined : listenOf(eventStoreListen),
    startupWaitSeconds: countOf('STARTUP_WAIT_SECONDS', value('STARTUP_WAIT_SECONDS'), STARTUP_WAIT_MAX_S),
    logMirror: oneOf('LOG_MIRROR', value('LOG_MIRROR'), ['on', 'off']) === 'on',
    origins: originsOf(reader),
    ...mailOf(reader),
    masterKey: keyOf('MASTER_KEY', set('MASTER_KEY')),
    masterKeyBefore: keyOf('MASTER_KEY_BEFORE', set('MASTER_KEY_BEFORE')),
    outboundAllow: allowList(set('OUTBOUND_ALLOW')),
    dnsServers: serversOf('DNS_SERVERS', set('DNS_SERVERS')),
    platformWallets: walletsOf('PLATFORM_WALLETS', set('PLATFORM_WALLETS')),
    trustedProxies: countOf('TRUST_PROXY', value('TRUST_PROXY'), TRUSTED_PROXIES_MAX),
    ...limitsOf(reader),
    chains,
    ...relayOf(reader),
    secondVoiceAboveUsd: secondVoiceAbove(reader, chains),
    tokenTypes: tokenTypes(value('CUSTOM_NETWORK_A'), value('CUSTOM_NETWORK_B')),
    priceFeeds: new Map([[feedOf(value('PRICE_FEED')), feedUrl(value('PRICE_FEED_URL'))]]),
    rateSources: ratesOf(reader),
    vies: viesOf(reader),
    cardProcessorUrl: processorUrlOf('CARD_PROCESSOR_URL', value('CARD_PROCESSOR_URL')),
    landerFreeSlots: countOf('LANDER_FREE_SLOTS', value('LANDER_FREE_SLOTS'), LANDERS_MAX),
    unpaidPerNetwork: countOf('UNPAID_PER_NETWORK', value('UNPAID_PER_NETWORK'), UNPAID_PER_NETWORK_MAX, 1),
    sealEverySeconds: secondsOf('SEAL_EVERY_SECONDS', value('SEAL_EVERY_SECONDS')),
    heads: headSettingsOf(reader),
    backup: backupSettingsOf(reader, dataDir),
    production: oneOf('NODE_ENV', value('NODE_ENV'), ['production', 'development', 'test']) === 'production',
    logLevel: oneOf('LOG_LEVEL', value('LOG_LEVEL'), ['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
  }
}

const databaseOf = ({ set, value }: SettingReader): Pick<Config, 'databaseUrl' | 'databaseConnections'> => {
  const connections = value('DATABASE_CONNECTIONS')
  return {
    databaseUrl: urlOf('DATABASE_URL', set('DATABASE_URL'), ['postgres:', 'postgresql:']),
    databaseConnections: countOf('DATABASE_CONNECTIONS', connections, CONNECTIONS_MAX, CONNECTIONS_MIN),
  }
}

const mailOf = ({ set, value }: SettingReader): Pick<Config, 'smtpUrl' | 'mailFrom' | 'operatorEmail'> => ({
  smtpUrl: urlOf('SMTP_URL', set('SMTP_URL'), ['smtp:', 'smtps:']),
  mailFrom: value('MAIL_FROM'),
  operatorEmail: emailOf('OPERATOR_EMAIL', set('OPERATOR_EMAIL')),
})

const relayOf = ({ set, value }: SettingReader): Pick<Config, 'relayerKey' | 'relayLimits'> => ({
  relayerKey: privateKeyOf('RELAYER_KEY', set('RELAYER_KEY')),
  relayLimits: relayLimitsOf('RELAY_LOSS_PER_HOUR', value('RELAY_LOSS_PER_HOUR')),
})

const limitsOf = ({ value }: SettingReader): Pick<Config, 'limits' | 'signInLimits' | 'strangerBytes'> => ({
  limits: {
    key: rateOf('KEY_RATE', value),
    address: rateOf('ADDRESS_RATE', value),
    visitor: rateOf('VISITOR_RATE', value),
    client: rateOf('CLIENT_RATE', value),
  },
  signInLimits: {
    signUp: perMinuteOf('SIGN_UPS_PER_MINUTE', value),
    authorize: perMinuteOf('AUTHORIZE_PER_MINUTE', value),
    userinfo: perMinuteOf('USERINFO_PER_MINUTE', value),
    tokenFailures: perMinuteOf('TOKEN_FAILURES_PER_MINUTE', value),
    balance: perMinuteOf('BALANCE_PER_MINUTE', value),
  },
  strangerBytes: perHourOf('STRANGER_BYTES_PER_HOUR', value),
})

/** The sign-in service and the pages of buyers have the origin of the rest, unless settings name others. */
const originsOf = ({ value }: SettingReader): Config['origins'] => ({
  base: originOf('BASE_URL', value('BASE_URL')),
  auth: originOf('AUTH_URL', value('AUTH_URL')),
  pay: originOf('PAY_URL', value('PAY_URL')),
  shop: originOf('SHOP_URL', value('SHOP_URL')),
})

/** Options of a connection string are looked at here, because the client looks at them only once it connects. */
const eventStoreUrlOf = (text: string | undefined): string | undefined => {
  const url = urlOf('EVENTSTORE_URL', text, ['esdb:', 'esdb+discover:', 'unix:'])
  if (url?.startsWith('esdb'))
    worded(() => {
      try {
        return readConnectionString(url)
      } catch (error) {
        throw new Error(`EVENTSTORE_URL: ${(error as Error).message}`)
      }
    })
  return url
}

/** Throws BadSetting also where a source that is not asked has an address: whoever gave it believes that it is. */
const ratesOf = ({ set, value, isGiven, wasRefused }: SettingReader): RateSources => {
  const base = (name: string) => urlOf(name, set(name), ['https:', 'http:'])
  const sources = worded(() => parseRates(value('RATES'), (source) => base(rateUrlSetting(source))))
  const isUnsure = wasRefused('RATES') || networks.some(({ name }) => wasRefused(chainSetting(name, 'RPC')))
  const asked = new Set(sources?.map(({ name }) => name))
  const idle = ALL_SOURCES.split(',').find((name) => isGiven(rateUrlSetting(name)) && !asked.has(name))
  if (idle !== undefined && !isUnsure)
    throw new BadSetting(
      `${rateUrlSetting(idle)} is set but ${idle} is not in RATES: name ${idle} in RATES, or leave this out`,
    )
  return sources
}

const viesOf = ({ set, value, wasRefused }: SettingReader): ViesSetting => {
  const url = urlOf('VIES_URL', set('VIES_URL'), ['https:', 'http:'])
  const vies = worded(() => parseVatRegistry(value('VAT_REGISTRY'), url))
  if (url !== undefined && !vies && !wasRefused('VAT_REGISTRY'))
    throw new BadSetting('VIES_URL is set but VAT_REGISTRY is not vies: set VAT_REGISTRY=vies, or leave this out')
  return vies
}

/** The part of our own environment that a process we start needs to find its programs. */
export const inheritedEnvironment = () => ({ PATH: process.env.PATH, HOME: process.env.HOME })
