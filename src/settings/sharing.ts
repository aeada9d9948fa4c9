import type { ChainNode } from '../../adapters/chains/rpc/chain-node.ts'
import type { Sql } from '../../adapters/postgres/connect.ts'
import { createSharedSettings, type SharedSettings } from '../../adapters/postgres/shared-settings.ts'
import { inTime } from '../../adapters/timing/time-limit.ts'
import type { ChainConfig } from './chain-settings.ts'
import type { Config } from './config.ts'
import { BadSetting } from './setting-kinds.ts'

/**
 * Processes on one log act for each other: one answers a request, another watches the chain and sends the webhook. So
 * the origins and the chains that a log is kept with are noted beside it, and a process with others is refused before
 * it touches anything.
 */

type Origins = Config['origins']

/** A chain that the service makes for itself where none is configured. */
const SANDBOX = 'sandbox'
const SANDBOX_NETWORKS = ['eth', 'base']
/** The way out for whoever has changed a setting knowingly. */
const KNOWINGLY = 'Where it has changed for all of them, stop them all, run daybook settings accept, and start again'

/**
 * Notes the origins and the chains, or throws BadSetting with a line for each that is not as it was noted. Where others
 * cannot be beside this process, because the log or the database is its own, its origins may change, and chains may go.
 */
export const mustShare = async (sql: Sql, config: SharedConfig): Promise<void> => {
  const shared = await createSharedSettings(sql)
  const faults = sharingFaults(config, await shared.all())
  if (faults.length > 0) throw new BadSetting(faults.join('\n'))
  for (const [name, value] of originsBySetting(config.origins))
    if (isAlone(config)) await shared.replace(name, value)
    else await shared.note(name, value)
  for (const [network, value] of chainValues(config.chains)) await shared.note(chainName(network), value)
}

type SharedConfig = Pick<Config, 'chains' | 'eventStoreUrl' | 'databaseUrl' | 'origins'>

/** A line for each of them that is not as it was noted. */
export const sharingFaults = (config: SharedConfig, known: ReadonlyMap<string, string>): readonly string[] => {
  const alone = isAlone(config)
  return [...(alone ? [] : originFaults(config.origins, known)), ...chainFaults(config.chains, known, alone)]
}

const isAlone = ({ eventStoreUrl, databaseUrl }: Pick<Config, 'eventStoreUrl' | 'databaseUrl'>): boolean =>
  eventStoreUrl === undefined || databaseUrl === undefined

/** Settings whose port the system chooses at every start are nobody's to share. */
const originsBySetting = ({ base, auth, pay, shop }: Origins): readonly (readonly [name: string, value: string])[] =>
  (
    [
      ['BASE_URL', base],
      ['AUTH_URL', auth],
      ['PAY_URL', pay],
      ['SHOP_URL', shop],
    ] as const
  ).filter(([, value]) => !value.endsWith(':0'))

const originFaults = (origins: Origins, known: ReadonlyMap<string, string>): readonly string[] =>
  originsBySetting(origins).flatMap(([name, value]) => {
    const noted = known.get(name)
    // An origin that goes by BASE_URL on both sides is right as soon as that is.
    const follows = name !== 'BASE_URL' && value === origins.base && noted === known.get('BASE_URL')
    return noted === undefined || noted === value || follows
      ? []
      : [`${name} is ${value} here, and ${noted} for the processes on this log: set ${name}=${noted}. ${KNOWINGLY}`]
  })

const chainName = (network: string) => `CHAIN_${network.toUpperCase()}`

const chainValues = (chains: readonly ChainConfig[]): ReadonlyMap<string, string> =>
  chains.length === 0
    ? new Map(SANDBOX_NETWORKS.map((network) => [network, SANDBOX]))
    : new Map(chains.map(({ network, chain }) => [network.name, chain.id]))

const chainFaults = (
  chains: readonly ChainConfig[],
  known: ReadonlyMap<string, string>,
  alone: boolean,
): readonly string[] => {
  const noted = [...known].flatMap(([name, id]) => (name.startsWith('CHAIN_') ? [{ name, id }] : []))
  const [chain] = chains
  const real = noted.find(({ id }) => id !== SANDBOX)
  if (!chain && real)
    return [
      `${real.name}_RPC is not set, and this log is kept with chain ${real.id}: a sandbox beside it would undo its payments. Set it. ${KNOWINGLY}`,
    ]
  if (chain && noted.some(({ id }) => id === SANDBOX))
    return [
      `${chainName(chain.network.name)}_RPC is set, and this log was begun in the sandbox, whose payments are play money: ` +
        `begin another log with another DATA_DIR. ${KNOWINGLY}`,
    ]
  const own = chainValues(chains)
  return noted.flatMap(({ name, id }) => {
    const network = name.slice('CHAIN_'.length).toLowerCase()
    const value = own.get(network)
    if (value === id || (value === undefined && alone)) return []
    return value === undefined
      ? [`${name}_RPC is not set, and the processes on this log watch ${network} (chain ${id}): set it. ${KNOWINGLY}`]
      : [`${name}_ID means chain ${value} here, and this log is kept with ${id}: set ${name}_ID=${id}. ${KNOWINGLY}`]
  })
}

/** How long the first block of a chain is waited for; a node that does not answer is asked again at the next start. */
const GENESIS_WAIT_MS = 5_000

/**
 * Notes the first block of each EVM chain, or throws BadSetting where it is another one: there, chains of one id may
 * differ in all else. The ids of the other families are made of their first blocks.
 */
export const mustBeSameChains = async (
  sql: Sql,
  chains: ReadonlyMap<string, ChainNode>,
  configured: readonly ChainConfig[],
): Promise<void> => {
  const shared = await createSharedSettings(sql)
  for (const { network } of configured) {
    const node = chains.get(network.name)
    if (network.family === 'evm' && node) await mustBeSameGenesis(shared, node, network.name)
  }
}

const mustBeSameGenesis = async (shared: SharedSettings, node: ChainNode, network: string): Promise<void> => {
  const first = await inTime(node.hashAt(0), undefined, GENESIS_WAIT_MS)
  if (first === undefined) return
  const noted = await shared.note(genesisName(network), first)
  if (noted !== first) throw new BadSetting(anotherGenesis(network, first, noted))
}

/** The name under which the first block of a chain is noted. */
export const genesisName = (network: string): string => `GENESIS_${network.toUpperCase()}`

/** The words for a chain whose first block is not the one that was noted. */
export const anotherGenesis = (network: string, first: string, noted: string): string =>
  `${chainName(network)}_RPC names a chain whose first block is ${first}, and this log is kept with one that begins with ${noted}: ` +
  `name a node of that chain. ${KNOWINGLY}`
