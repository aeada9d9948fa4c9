import type { ChainNode } from '../../../../adapters/chains/rpc/chain-node.ts'
import { atMost } from '../../../../adapters/timing/time-limit.ts'
import { describe } from '../../../console/failures.ts'
import type { ChainConfig } from '../../../settings/chain-settings.ts'
import type { Config } from '../../../settings/config.ts'
import { withoutLogins } from '../../../settings/given/veil.ts'

/** What was found out about one thing that the settings name. */
export type Finding = {
  /** The thing, in a word or two. */
  readonly what: string
  /** The setting that decides; undefined where it is no setting. */
  readonly setting: string | undefined
  readonly fits: boolean
  /** What was found; without secrets. */
  readonly text: string
  /** What to do about it; undefined where it fits, or where the text says so already. */
  readonly wayOut?: string | undefined
}

/** How far the clock of this machine is ahead of another, in milliseconds; below 0 where it is behind. */
export type ClockReading = {
  /** Whose clock the other is. */
  readonly of: string
  readonly aheadMs: number
  /** True where the other may be behind by nature, so that only a clock of ours that is behind it tells something. */
  readonly lags: boolean
}

/** The outcome of one look, with what others are held against. */
export type Looked = {
  readonly findings: readonly Finding[]
  readonly clocks?: readonly ClockReading[]
  /** What the first start has noted of the settings that all processes share. */
  readonly noted?: ReadonlyMap<string, string>
  /** The first block of each EVM chain, by its network. */
  readonly firstBlocks?: ReadonlyMap<string, string>
}

export type OpenChain = { readonly config: ChainConfig; readonly node: ChainNode }

/** What a look may use. */
export type LookParts = {
  readonly config: Config
  /** The configured chains, opened and not asked yet. */
  readonly chains: readonly OpenChain[]
}

export const fine = (what: string, setting: string | undefined, text: string): Finding => ({
  what,
  setting,
  fits: true,
  text,
})

export const misfit = (what: string, setting: string | undefined, text: string, wayOut?: string): Finding => ({
  what,
  setting,
  fits: false,
  text: withoutLogins(text),
  wayOut: wayOut?.replace(/\.$/, ''),
})

/** Milliseconds that a node has for one question: more than while serving, since nothing goes on meanwhile. */
export const NODE_LIMITS = { timeoutMs: 5_000 }

/** Milliseconds that one look may take, whatever limits its own questions have. */
const LOOK_LIMIT_MS = 12_000

/** A look within its time; one that fails or is late is a finding itself. */
export const lookWithin = async (
  what: string,
  setting: string,
  look: Promise<Looked>,
  limitMs = LOOK_LIMIT_MS,
): Promise<Looked> => {
  const silent = misfit(what, setting, `there was no answer within ${limitMs / 1_000} s`, SILENT)
  try {
    return (await atMost(limitMs, look)) ?? { findings: [silent] }
  } catch (error) {
    return { findings: [failed(what, setting, error)] }
  }
}

const SILENT = 'Look whether it runs, and whether a firewall is between.'

/** A failure whose message names its setting and, in a sentence of its own, what to do. */
export const failed = (what: string, setting: string, error: unknown): Finding => {
  const said = describe(error).replace(new RegExp(`^${setting}: `), '')
  const [, text = said, wayOut] = /^(.+?)\. ([A-Z].*)$/s.exec(said) ?? []
  return misfit(what, setting, text, wayOut ?? `Correct ${setting}.`)
}
