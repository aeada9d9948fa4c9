import { openRates } from '../../../outside/outside.ts'
import { rateUrlSetting } from '../../../settings/given/table.ts'
import { type Finding, fine, type Looked, type LookParts, misfit } from './finding.ts'

const WHAT = 'rates'
const SETTING = 'RATES'
/** Milliseconds that the sources have. */
const ANSWERS_MS = 9_000

/** The sources of prices: whether each answers, and whether every coin of the configured chains has a price. */
export const lookAtRates = async ({ config, chains }: LookParts): Promise<Looked> => {
  if (!config.rateSources) return { findings: [fine(WHAT, SETTING, 'a fixed table, for play money')] }
  const faults = new Map<string, string>()
  const note = (facts: unknown) => {
    const { source, fault } = facts as { readonly source?: string; readonly fault?: string }
    if (source !== undefined && fault !== undefined) faults.set(source, fault)
  }
  const closers: (() => unknown)[] = []
  try {
    const onChains = new Map(chains.map(({ config: { network, chain } }) => [network.name, { caip2: chain.caip2 }]))
    const log = { warn: note, error: note }
    const { report } = await openRates(config, onChains, log, (close) => closers.push(close), ANSWERS_MS)
    const { sources = [], missing = [] } = report() ?? {}
    const silent = sources.filter(({ fresh }) => !fresh).map(({ name }) => silentSource(name, faults.get(name)))
    const unpriced =
      missing.length === 0
        ? []
        : [
            misfit(
              WHAT,
              SETTING,
              `no price for ${missing.join(', ')}`,
              'Name more sources; two have to agree on a coin.',
            ),
          ]
    const wrong = [...silent, ...unpriced]
    const names = sources.map(({ name }) => name).join(', ')
    return { findings: wrong.length > 0 ? wrong : [fine(WHAT, SETTING, `${names} answer; every coin has a price`)] }
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

const silentSource = (name: string, fault = 'no answer'): Finding =>
  misfit(
    WHAT,
    SETTING,
    `${name} gives no prices: ${fault}`,
    `Leave it out of RATES, or say with ${rateUrlSetting(name)} where it can be asked.`,
  )
