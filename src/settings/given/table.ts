import { ALL_SOURCES } from '../../../adapters/rates/quotes/setting.ts'
import { networks } from '../../../domain/kernel/networks.ts'

/**
 * Every setting there is, one row each. The row says whether a setting may hold a secret, which is then never shown and
 * may also come from a file; what holds where it is left out; and how it is set. A setting that has no row cannot be
 * read (`reader.ts`), and each has its lines in `.env.example`.
 */
export type Setting = {
  readonly name: string
  /** One that works, or its form, for whoever corrects theirs; that which holds where it is left out, unless given. */
  readonly example?: string
  /** What holds where it is left out; a function of the settings where it goes by others. */
  readonly standard?: string | ((set: SettingValue) => string)
  /** What happens where it is left out and nothing else holds, as in "then … ". */
  readonly without?: string
  /** Its value may hold a secret, as every URL may that names a user or a key. */
  readonly secret?: true
}

/** The value of a setting as it was given; undefined where it was not. */
export type SettingValue = (name: string) => string | undefined

const origin = (set: SettingValue): string => set('BASE_URL') ?? `http://localhost:${set('PORT') ?? PORT}`
const payOrigin = (set: SettingValue): string => set('PAY_URL') ?? origin(set)
const PORT = '4020'

/** The port of `/metrics` is the next one, and one of the system's choice where that of the APIs is. */
const metricsPort = (set: SettingValue): string => {
  const port = Number(set('PORT') ?? PORT)
  return port === 0 ? '0' : String(port === PORT_MAX ? port - 1 : port + 1)
}
const PORT_MAX = 65_535

/** The embedded log is a local file already. */
const mirrorOf = (set: SettingValue): string => {
  const url = set('EVENTSTORE_URL')
  return url !== undefined && !url.startsWith('unix:') ? 'on' : 'off'
}

/** `CHAIN_<NETWORK>_RPC` or `CHAIN_<NETWORK>_ID`. */
export const chainSetting = (network: string, part: 'RPC' | 'ID'): string => `CHAIN_${network.toUpperCase()}_${part}`

/** The setting that says where a source of prices is. */
export const rateUrlSetting = (source: string): string => `RATES_${source.toUpperCase()}_URL`

/** Fixed rates are for play money: they are the default in the sandbox alone. */
const ratesOf = (set: SettingValue): string =>
  networks.some(({ name }) => set(chainSetting(name, 'RPC')) !== undefined) ? ALL_SOURCES : 'fixed'

const LISTENING: readonly Setting[] = [
  { name: 'PORT', standard: PORT },
  { name: 'METRICS_PORT', standard: metricsPort },
  { name: 'METRICS_HOST', standard: '127.0.0.1', example: '10.0.0.5' },
  {
    name: 'METRICS_TOKEN',
    secret: true,
    example: '$(openssl rand -hex 32)',
    without: 'metrics are served on loopback alone',
  },
  { name: 'PROCESS_HOST', standard: '127.0.0.1', example: '10.0.0.5' },
  { name: 'BASE_URL', standard: origin, example: 'https://pay.example.com' },
  { name: 'AUTH_URL', standard: origin, example: 'https://auth.example.com' },
  { name: 'PAY_URL', standard: origin, example: 'https://pay.example.com' },
  { name: 'SHOP_URL', standard: payOrigin, example: 'https://shop.example.com' },
  { name: 'TRUST_PROXY', standard: '0' },
]

const LIMITS: readonly Setting[] = [
  { name: 'UNPAID_PER_NETWORK', standard: '32' },
  { name: 'KEY_RATE_PER_SECOND', standard: '100' },
  { name: 'KEY_RATE_BURST', standard: '1000' },
  { name: 'ADDRESS_RATE_PER_SECOND', standard: '50' },
  { name: 'ADDRESS_RATE_BURST', standard: '500' },
  { name: 'VISITOR_RATE_PER_SECOND', standard: '200' },
  { name: 'VISITOR_RATE_BURST', standard: '2000' },
  { name: 'CLIENT_RATE_PER_SECOND', standard: '100' },
  { name: 'CLIENT_RATE_BURST', standard: '1000' },
  { name: 'SIGN_UPS_PER_MINUTE', standard: '60' },
  { name: 'AUTHORIZE_PER_MINUTE', standard: '120' },
  { name: 'USERINFO_PER_MINUTE', standard: '600' },
  { name: 'TOKEN_FAILURES_PER_MINUTE', standard: '30' },
  { name: 'BALANCE_PER_MINUTE', standard: '600' },
  { name: 'STRANGER_BYTES_PER_HOUR', standard: String(8 * 1_024 * 1_024) },
]

const KEEPING: readonly Setting[] = [
  { name: 'DATA_DIR', standard: '.daybook' },
  {
    name: 'DATABASE_URL',
    secret: true,
    example: 'postgres://user:password@host:5432/daybook',
    without: 'the embedded PostgreSQL is used',
  },
  { name: 'DATABASE_CONNECTIONS', standard: '10' },
  {
    name: 'EVENTSTORE_URL',
    secret: true,
    example: 'esdb://user:password@host:2113',
    without: 'the embedded event log is used',
  },
  { name: 'EVENTSTORE_LISTEN', example: '127.0.0.1:2113', without: 'nobody else reaches the embedded event log' },
  { name: 'STARTUP_WAIT_SECONDS', standard: '60' },
  { name: 'LOG_MIRROR', standard: mirrorOf, example: 'on' },
  {
    name: 'MASTER_KEY',
    secret: true,
    example: '$(openssl rand -hex 32)',
    without: 'one is made and kept in DATA_DIR/master.key',
  },
  {
    name: 'MASTER_KEY_BEFORE',
    secret: true,
    example: 'the 64 hex digits of the key before',
    without: 'MASTER_KEY alone opens what is sealed',
  },
]

const BACKUPS: readonly Setting[] = [
  { name: 'BACKUP_TO', example: '/var/backups/daybook', without: 'no backups are made by the clock' },
  {
    name: 'BACKUP_RECIPIENTS',
    example: 'age1…',
    without: 'no backups can be made by the clock, because nobody could read them',
  },
  { name: 'BACKUP_EVERY_SECONDS', standard: '3600' },
  { name: 'BACKUP_KEEP', standard: '48' },
  { name: 'BACKUP_S3_ENDPOINT', example: 'https://s3.example', without: 'that of the region is called' },
  { name: 'BACKUP_S3_REGION', standard: 'us-east-1' },
  { name: 'BACKUP_S3_KEY_ID', example: 'daybook', without: 'no bucket can be written to' },
  { name: 'BACKUP_S3_SECRET', secret: true, example: '…', without: 'no bucket can be written to' },
]

const OUTSIDE: readonly Setting[] = [
  {
    name: 'SMTP_URL',
    secret: true,
    example: 'smtp://user:password@host:587?requireTLS=true',
    without: 'letters stay on the page /dev/inbox',
  },
  { name: 'MAIL_FROM', standard: 'Daybook <daybook@localhost>', example: 'Daybook <daybook@example.com>' },
  { name: 'OPERATOR_EMAIL', example: 'you@example.com', without: 'nobody gets a letter when something needs a look' },
  { name: 'OUTBOUND_ALLOW', example: '127.0.0.1:9000', without: 'only public hosts are called' },
  { name: 'DNS_SERVERS', example: '192.0.2.53', without: 'the name servers of this machine are asked' },
  { name: 'VAT_REGISTRY', standard: 'format' },
  {
    name: 'VIES_URL',
    secret: true,
    example: 'https://vies.example/rest-api',
    without: 'VIES is asked at its public address',
  },
  { name: 'CARD_PROCESSOR_URL', standard: 'https://api.stripe.com' },
  {
    name: 'WITNESSES',
    example: 'https://witness.example/w1 witness.example/w1+c2f1f7b1+BNda…',
    without: 'nobody signs the heads of the log',
  },
  { name: 'COSIGN_EVERY_SECONDS', standard: '60' },
  {
    name: 'TIMESTAMP_URL',
    secret: true,
    example: 'https://tsa.example/tsr',
    without: 'the heads of the log are not stamped',
  },
  { name: 'TIMESTAMP_EVERY_MINUTES', standard: '60' },
]

const CHAINS: readonly Setting[] = networks.flatMap(({ name, chains: [main] }) => [
  {
    name: chainSetting(name, 'RPC'),
    secret: true as const,
    example: 'https://node.example',
    without: `${name} is not connected`,
  },
  { name: chainSetting(name, 'ID'), standard: main.id },
])

const MONEY: readonly Setting[] = [
  {
    name: 'RELAYER_KEY',
    secret: true,
    example: '0x$(openssl rand -hex 32)',
    without: 'no payments by signature are taken, but in the sandbox',
  },
  { name: 'RELAY_LOSS_PER_HOUR', standard: 'network=10,seller=2,payer=0.5,code=2' },
  { name: 'SECOND_VOICE_ABOVE_USD', standard: '100' },
  { name: 'PLATFORM_WALLETS', example: 'eth=0x…', without: 'POST /v1/top-up answers 503, but in the sandbox' },
  { name: 'RATES', standard: ratesOf, example: ALL_SOURCES },
  ...ALL_SOURCES.split(',').map((source) => ({
    name: rateUrlSetting(source),
    secret: true as const,
    example: 'https://mirror.example',
    without: `${source} is asked at its public address`,
  })),
  { name: 'CUSTOM_NETWORK_A', standard: 'gnosis' },
  { name: 'CUSTOM_NETWORK_B', standard: 'linea' },
  { name: 'PRICE_FEED', standard: 'coingecko' },
  { name: 'PRICE_FEED_URL', secret: true, standard: 'https://api.coingecko.com/api/v3' },
  { name: 'LANDER_FREE_SLOTS', standard: '1' },
]

const RUNNING: readonly Setting[] = [
  { name: 'SEAL_EVERY_SECONDS', standard: '60' },
  { name: 'NODE_ENV', standard: 'development', example: 'production' },
  { name: 'LOG_LEVEL', standard: 'info' },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    secret: true,
    example: 'https://collector.example:4318',
    without: 'nothing is traced',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    secret: true,
    example: 'authorization=Bearer%20token',
    without: 'spans are sent without headers of yours',
  },
  { name: 'OTEL_TRACES_SAMPLER_ARG', standard: '1' },
]

export const settings: readonly Setting[] = [
  ...LISTENING,
  ...LIMITS,
  ...KEEPING,
  ...BACKUPS,
  ...OUTSIDE,
  ...CHAINS,
  ...MONEY,
  ...RUNNING,
]

const byName = new Map(settings.map((setting) => [setting.name, setting]))

export const settingOf = (name: string): Setting | undefined => byName.get(name)

/** The setting that names a file with the value of a secret one. */
export const fileSetting = (name: string): string => `${name}_FILE`
