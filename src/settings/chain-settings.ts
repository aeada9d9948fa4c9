import { voicesAmong } from '../../adapters/chains/watch/voices.ts'
import { FIAT_DECIMALS, toUnits } from '../../domain/kernel/money.ts'
import { chainOf, type Network, type NetworkChain } from '../../domain/kernel/networks.ts'
import type { SettingReader } from './given/reader.ts'
import { chainSetting } from './given/table.ts'
import { BadSetting, BadValue, countOf, urlOf } from './setting-kinds.ts'

/** The settings of the chains, and of how far one provider of them is believed. */

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

/** The highest bound for a second voice, in US dollars. */
const SECOND_VOICE_ABOVE_MAX = 100_000_000

/** The chain of a network; none where no node of it is named. */
export const chainConfig = (network: Network, { set, value, isGiven, wasRefused }: SettingReader): ChainConfig[] => {
  const [rpcName, idName] = [chainSetting(network.name, 'RPC'), chainSetting(network.name, 'ID')]
  const [rpc, id] = [set(rpcName), value(idName)]
  const chain = chainOf(network, id)
  const known = network.chains.map((each) => each.id).join(', ')
  if (!chain) throw new BadValue(`${idName} is not one of ${known}: ${id}`)
  if (rpc === undefined) {
    if (isGiven(idName) && !wasRefused(rpcName))
      throw new BadSetting(`${idName} is set but ${rpcName} is not: set that too, or leave both out`)
    return []
  }
  const rpcUrls = rpc.split(',').map((url) => urlOf(rpcName, url.trim(), ['http:', 'https:']) as string)
  if (rpcUrls.some((url) => !url)) throw new BadValue(`${rpcName} has an empty entry`)
  return [{ network, rpcUrls, chain }]
}

/**
 * Throws BadSetting when the bound is set and a chain has one provider: whoever asks for a second voice must not be
 * left without one, unnoticed.
 */
export const secondVoiceAbove = ({ value, isGiven }: SettingReader, chains: readonly ChainConfig[]): bigint => {
  const name = 'SECOND_VOICE_ABOVE_USD'
  const dollars = countOf(name, value(name), SECOND_VOICE_ABOVE_MAX)
  const alone = chains.find(({ rpcUrls }) => voicesAmong(rpcUrls).length < 2)
  if (isGiven(name) && alone)
    throw new BadSetting(
      `${name} is set, but ${chainSetting(alone.network.name, 'RPC')} names one provider (voices: 1): name a second one on another host`,
    )
  return toUnits(String(dollars), FIAT_DECIMALS)
}
