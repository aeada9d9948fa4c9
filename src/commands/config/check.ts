import { columns, type Output } from '../../console/output.ts'
import { openNode } from '../../outside/chains.ts'
import { type Config, configOf } from '../../settings/config.ts'
import type { GivenSettings } from '../../settings/given/given.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { anotherGenesis, genesisName } from '../../settings/sharing.ts'
import { clockFinding } from './clock.ts'
import { lookAtAddresses } from './looks/addresses.ts'
import { lookAtBackups } from './looks/backups.ts'
import { lookAtChain } from './looks/chains.ts'
import { lookAtDatabase } from './looks/database.ts'
import { lookAtDisk } from './looks/disk.ts'
import { lookAtEventStore } from './looks/event-store.ts'
import { type Finding, fine, type Looked, lookWithin, misfit, NODE_LIMITS } from './looks/finding.ts'
import { lookAtMail } from './looks/mail.ts'
import { lookAtNames } from './looks/names.ts'
import { lookAtRates } from './looks/rates.ts'
import { lookAtRelayers } from './looks/relayers.ts'
import { lookAtWallets } from './looks/wallets.ts'

/**
 * Reads the settings, then asks everything outside that they name, all at once, each within a time limit. It starts
 * nothing and writes nothing. Settings that cannot be read are told first, and nothing is asked then. Answers whether
 * everything fits.
 */
export const checkConfig = async (given: GivenSettings, out: Output): Promise<boolean> => {
  const { config, faults } = attempt(given)
  const unknown = given.unknown.map((line) => misfit('setting', nameIn(line), line))
  const read = [...faults.map((line) => misfit('setting', nameIn(line), line)), ...unknown]
  const findings = config ? [...read, ...(await askAll(config, given))] : read
  const fits = findings.every((finding) => finding.fits)
  await out.tell(
    { ok: fits, asked: config !== undefined, findings: findings.map(jsonOf) },
    [...linesOf(findings), '', summary(findings, config !== undefined)].join('\n'),
  )
  return fits
}

const attempt = (given: GivenSettings): { readonly config?: Config; readonly faults: readonly string[] } => {
  try {
    return { config: configOf(given), faults: [] }
  } catch (error) {
    if (error instanceof BadSetting) return { faults: error.message.split('\n') }
    throw error
  }
}

const nameIn = (line: string): string | undefined => /^[A-Za-z][A-Za-z0-9_]*/.exec(line)?.[0]

const askAll = async (config: Config, given: GivenSettings): Promise<readonly Finding[]> => {
  const chains = await Promise.all(
    config.chains.map(async (each) => ({ config: each, node: await openNode(each, NODE_LIMITS) })),
  )
  try {
    const parts = { config, chains }
    const looked = await Promise.all([
      lookWithin('event store', 'EVENTSTORE_URL', lookAtEventStore(config)),
      lookWithin('database', 'DATABASE_URL', lookAtDatabase(config)),
      ...(chains.length === 0 ? [Promise.resolve(SANDBOX)] : []),
      ...chains.map((chain) =>
        lookWithin(
          `chain ${chain.config.network.name}`,
          `CHAIN_${chain.config.network.name.toUpperCase()}_RPC`,
          lookAtChain(chain),
        ),
      ),
      lookWithin('relayer', 'RELAYER_KEY', lookAtRelayers(parts)),
      lookWithin('credit', 'PLATFORM_WALLETS', lookAtWallets(parts)),
      lookWithin('rates', 'RATES', lookAtRates(parts)),
      lookWithin('mail', 'SMTP_URL', lookAtMail(config)),
      lookWithin('names', 'DNS_SERVERS', lookAtNames(config)),
      lookWithin('addresses', 'WITNESSES', lookAtAddresses(config, given)),
      lookWithin('disk', 'DATA_DIR', lookAtDisk(config)),
      lookWithin('backups', 'BACKUP_TO', lookAtBackups(config)),
    ])
    return [
      ...looked.flatMap(({ findings }) => findings),
      ...otherGenesis(looked),
      clockFinding(looked.flatMap(({ clocks }) => clocks ?? [])),
    ]
  } finally {
    await Promise.all(chains.map(({ node }) => node.close()))
  }
}

const SANDBOX: Looked = {
  findings: [fine('chains', 'CHAIN_ETH_RPC', 'none: local sandbox chains with play money are started')],
}

/** Chains whose first block is not the one that the database has noted: two chains may have one id. */
const otherGenesis = (looked: readonly Looked[]): readonly Finding[] => {
  const noted = looked.find((each) => each.noted !== undefined)?.noted
  return looked
    .flatMap(({ firstBlocks }) => [...(firstBlocks ?? [])])
    .flatMap(([network, first]) => {
      const known = noted?.get(genesisName(network))
      if (known === undefined || known === first) return []
      const line = anotherGenesis(network, first, known)
      return [misfit(`chain ${network}`, nameIn(line), line)]
    })
}

/** A line each, and one more for the way out. */
const linesOf = (findings: readonly Finding[]): readonly string[] =>
  columns(
    findings.flatMap(({ what, setting = '–', fits, text, wayOut }) => [
      [fits ? '  ok' : '  NO', what, setting, text],
      ...(wayOut === undefined ? [] : [['', '', '', `→ ${wayOut}`]]),
    ]),
  ).split('\n')

const summary = (findings: readonly Finding[], asked: boolean): string => {
  const wrong = findings.filter(({ fits }) => !fits).length
  const count = wrong === 0 ? 'Everything fits.' : `${wrong} of ${findings.length} do not fit.`
  return asked
    ? `${count} Whether log, database, keys, mirror and witness fit together: daybook doctor`
    : `${count} Nothing outside was asked: put these right, and run it again.`
}

const jsonOf = ({ what, setting, fits, text, wayOut }: Finding) => ({
  what,
  setting: setting ?? null,
  fits,
  text,
  way_out: wayOut ?? null,
})
