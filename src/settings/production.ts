import { chainSetting, fileSetting, settings } from './given/table.ts'

/** What may not be left open, or be opened, where real money goes through. */

type Values = Readonly<Record<string, string | undefined>>

/** The settings that production cannot do without, beside a chain. */
const NEEDED: Readonly<Record<string, string>> = {
  BASE_URL: 'set it to the origin that callers use, such as https://pay.example.com',
  MASTER_KEY: 'make one with openssl rand -hex 32, and keep it beside the backups',
  SMTP_URL:
    'without a mail server letters go to a page that anybody can read. Set it as in smtp://user:password@host:587',
}

const isProduction = (values: Values): boolean => values.NODE_ENV?.trim() === 'production'

/** Whether a setting cannot be left out. */
export const isNeeded = (name: string, values: Values): boolean =>
  isProduction(values) && (Object.hasOwn(NEEDED, name) || /^CHAIN_[A-Z0-9]+_RPC$/.test(name))

/**
 * The settings that production needs and lacks, or has and may not have; a line for each, with the way out. Secrets
 * whose files cannot be used are not missing.
 */
export const productionFaults = (values: Values, unreadable: ReadonlySet<string>): readonly string[] => {
  if (!isProduction(values)) return []
  const set = (name: string) => values[name]?.trim() || undefined
  const isMissing = (name: string) => set(name) === undefined && !unreadable.has(name)
  return [
    ...Object.entries(NEEDED).flatMap(([name, why]) =>
      isMissing(name) ? [`${name} is needed with NODE_ENV=production: ${why}${orFile(name)}`] : [],
    ),
    ...ORIGINS.flatMap((name) => (/^http:/i.test(set(name) ?? '') ? [plainOrigin(name)] : [])),
    ...(CHAIN_NODES.every(isMissing) ? [NO_CHAIN] : []),
    ...(set('RATES') === 'fixed'
      ? ['RATES=fixed is refused with NODE_ENV=production: leave it out, and all sources of prices are asked']
      : []),
    ...(set('OUTBOUND_ALLOW') === undefined
      ? []
      : ['OUTBOUND_ALLOW opens private addresses and is refused with NODE_ENV=production: leave it out']),
    ...keyFaults(set),
  ]
}

const ORIGINS = ['BASE_URL', 'AUTH_URL', 'PAY_URL', 'SHOP_URL']

const CHAIN_NODES = settings.map(({ name }) => name).filter((name) => /^CHAIN_[A-Z0-9]+_RPC$/.test(name))

const NO_CHAIN =
  `${chainSetting('eth', 'RPC')} (or another CHAIN_<NAME>_RPC) is needed with NODE_ENV=production, because without any ` +
  'a sandbox of play money takes their place: set it to a node of the chain'

const orFile = (name: string): string =>
  settings.some((setting) => setting.name === name && setting.secret)
    ? `, or name its file with ${fileSetting(name)}`
    : ''

const plainOrigin = (name: string): string =>
  `${name} is not https, and is refused with NODE_ENV=production: keys, sessions and payments would travel in the clear. ` +
  'Set it to the https origin of the proxy in front'

/** Keys and passwords that everybody knows, or could guess. */
const keyFaults = (set: (name: string) => string | undefined): readonly string[] => [
  ...(isGuessable(set('MASTER_KEY') ?? '')
    ? ['MASTER_KEY repeats a few bytes and is refused with NODE_ENV=production: make one with openssl rand -hex 32']
    : []),
  ...(PUBLIC_KEYS.has((set('RELAYER_KEY') ?? '').replace(/^0x/i, '').toLowerCase())
    ? [
        'RELAYER_KEY is one that development chains hand to everybody, and is refused with NODE_ENV=production: ' +
          'make another, and send its address coin for gas',
      ]
    : []),
  ...(/:\/\/[^/?#]*:changeit@/.test(set('EVENTSTORE_URL') ?? '')
    ? [
        'EVENTSTORE_URL has the password that EventStoreDB comes with, and is refused with NODE_ENV=production: ' +
          'change it on the server, and have a user made by daybook eventstore prepare',
      ]
    : []),
]

/** Of 32 random bytes fewer than 16 are different once in 10^15 times. */
const DIFFERENT_BYTES_MIN = 16

const isGuessable = (key: string): boolean =>
  /^[0-9a-f]{64}$/i.test(key) && new Set(key.toLowerCase().match(/../g)).size < DIFFERENT_BYTES_MIN

/** The accounts that anvil and Hardhat have coins on, made from the words "test test … junk". */
const PUBLIC_KEYS: ReadonlySet<string> = new Set([
  'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  '7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  '47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  '8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
  '92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
  '4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
  'dbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
  '2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
])
