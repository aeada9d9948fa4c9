import { pino } from 'pino'
import { fixedRates } from '../../../../adapters/rates/quotes/fixed.ts'
import { toDecimal } from '../../../../domain/kernel/money.ts'
import { openRelayers } from '../../../outside/relayers.ts'
import { type Finding, fine, type Looked, type LookParts, misfit, NODE_LIMITS } from './finding.ts'

const WHAT = 'relayer'
const SETTING = 'RELAYER_KEY'
/** Every EVM network's own coin has 18 decimals. */
const COIN_DECIMALS = 18

/** What the relayer has left for gas on each chain with a token that is paid by signature. */
export const lookAtRelayers = async ({ config: { relayerKey, relayLimits }, chains }: LookParts): Promise<Looked> => {
  if (relayerKey === undefined) return { findings: [fine(WHAT, SETTING, NO_KEY)] }
  const configured = chains.map(({ config }) => config)
  const nodes = new Map(chains.map(({ config, node }) => [config.network.name, node]))
  // What gas costs in dollars is not looked at, so that any prices will do.
  const relayers = await openRelayers(
    { relayerKey, chains: configured, relayLimits, nodeLimits: NODE_LIMITS },
    nodes,
    fixedRates(),
    pino({ enabled: false }),
  )
  try {
    const reports = [...(await relayers.report())]
    return { findings: reports.length === 0 ? [fine(WHAT, SETTING, NO_TOKEN)] : reports.map(findingOf) }
  } finally {
    await relayers.close()
  }
}

const NO_KEY = 'none: no payments by signature are taken, but in the sandbox'
const NO_TOKEN = 'no connected chain has a token that is paid by signature'

type Report =
  Awaited<ReturnType<Awaited<ReturnType<typeof openRelayers>>['report']>> extends ReadonlyMap<string, infer R>
    ? R
    : never

const findingOf = ([network, { status, address, balance }]: readonly [string, Report]): Finding => {
  const what = `${WHAT} ${network}`
  if (status === 'unknown' || balance === undefined)
    return misfit(what, SETTING, `what ${address} has left could not be read`, `See chain ${network}.`)
  const has = `${address} has ${toDecimal(balance, COIN_DECIMALS)} of the chain's own coin left for gas`
  return status === 'short'
    ? misfit(what, SETTING, has, 'That is too little: send coin to this address.')
    : fine(what, SETTING, has)
}
