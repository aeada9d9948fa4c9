/** What may not be left open, or be opened, where real money goes through. */

type Environment = Readonly<Record<string, string | undefined>>

/** The settings that production needs and lacks, or has and may not have; a line for each, with the way out. */
export const productionFaults = (env: Environment): readonly string[] => {
  const set = (name: string) => env[name]?.trim() || undefined
  if (set('NODE_ENV') !== 'production') return []
  const needs = (name: string, why: string) =>
    set(name) === undefined ? [`${name} is needed with NODE_ENV=production: ${why}`] : []
  return [
    ...needs('BASE_URL', 'set it to the origin that callers use, such as https://pay.example.com'),
    ...ORIGINS.flatMap((name) => (/^http:/i.test(set(name) ?? '') ? [plainOrigin(name)] : [])),
    ...needs('MASTER_KEY', 'make one with openssl rand -hex 32, and keep it beside the backups'),
    ...needs('SMTP_URL', 'without a mail server letters go to a page that anybody can read'),
    ...(Object.keys(env).some((name) => /^CHAIN_[A-Z0-9]+_RPC$/.test(name) && set(name) !== undefined)
      ? []
      : [
          'CHAIN_ETH_RPC (or another CHAIN_<NAME>_RPC) is needed with NODE_ENV=production: set it to a node of the chain',
        ]),
    ...(set('RATES') === 'fixed'
      ? ['RATES=fixed is refused with NODE_ENV=production: leave it out, and all sources of prices are asked']
      : []),
    ...(set('OUTBOUND_ALLOW') === undefined
      ? []
      : ['OUTBOUND_ALLOW opens private addresses and is refused with NODE_ENV=production: leave it out']),
  ]
}

const ORIGINS = ['BASE_URL', 'AUTH_URL', 'PAY_URL', 'SHOP_URL']

const plainOrigin = (name: string): string =>
  `${name} is not https, and is refused with NODE_ENV=production: keys, sessions and payments would travel in the clear. ` +
  'Set it to the https origin of the proxy in front'
