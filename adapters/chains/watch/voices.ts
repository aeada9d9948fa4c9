import type { ChainVoices } from '../../../domain/kernel/chain-voices.ts'
import type { Transfer } from '../../../domain/kernel/ports.ts'
import { inTime } from '../../timing/time-limit.ts'
import type { ChainNode, ChainOptions } from '../rpc/chain-node.ts'

/**
 * The providers of one chain as witnesses: each is asked by itself, where other questions go to the first that answers.
 */

/** Milliseconds all providers together have to say what they know of one transfer. */
const VOICES_MS = 8_000

/**
 * The providers that can be asked apart, numbered by the place of their first URL, from 1: URLs of one host are one
 * voice.
 */
export const voicesAmong = (rpcUrls: readonly string[]): readonly Voice[] => {
  const numbered = rpcUrls.map((url, n) => ({ url, number: n + 1 }))
  return [...Map.groupBy(numbered, ({ url }) => hostOf(url)).values()].map((own) => ({
    number: Math.min(...own.map(({ number }) => number)),
    urls: own.map(({ url }) => url),
  }))
}

type Voice = { readonly number: number; readonly urls: readonly string[] }

/**
 * The part of a chain that asks for voices. `open` is the adapter's own way to open the chain: it is opened once more
 * for each voice, when one is first asked for, so that all that one of them says comes from it alone.
 */
export const voicesBy = <O extends ChainOptions>(
  open: (options: O) => ChainNode,
  options: O,
): Pick<ChainNode, 'voices' | 'voicesOf'> => {
  const voices = voicesAmong(options.rpcUrls)
  if (voices.length < 2) return { voices: voices.length }
  let opened: readonly { readonly number: number; readonly node: ChainNode }[] | undefined
  return {
    voices: voices.length,
    async voicesOf(transfer, confirmations) {
      opened ??= voices.map(({ number, urls }) => ({ number, node: open({ ...options, rpcUrls: urls }) }))
      const asked = opened.map(async ({ number, node }) => ({
        number,
        word: await inTime<Word, Word>(wordOf(node, transfer, confirmations), 'silent', VOICES_MS),
      }))
      const words = await Promise.all(asked)
      const whoSay = (wanted: Word) => words.flatMap(({ number, word }) => (word === wanted ? [number] : []))
      return { same: whoSay('same'), against: whoSay('against') } satisfies ChainVoices
    },
  }
}

type Word = 'same' | 'against' | 'silent'

const wordOf = async (node: ChainNode, transfer: Transfer, confirmations: number): Promise<Word> => {
  // A provider that failed a moment ago is not waited for: many payments may need its word.
  if (node.providers?.().every((state) => state === 'open' || state === 'wrong-chain')) return 'silent'
  // The head is asked for first: the answers that follow are then no older.
  const { height } = await node.head()
  if (height < transfer.height) return 'silent'
  const found = await node.transfersOf(transfer.tx)
  if (!found?.some((each) => isSame(each, transfer))) return 'against'
  return height >= transfer.height + confirmations - 1 ? 'same' : 'silent'
}

/**
 * The block's own time is left out, because it follows from the block's hash. A transfer that the ledger has under its
 * former index is looked up by that index.
 */
const isSame = (found: Transfer, asked: Transfer): boolean =>
  COMPARED.every((field) => found[field] === asked[field]) &&
  (found.index === asked.index || found.formerIndex === asked.index) &&
  found.amount === asked.amount

const COMPARED = [
  'network',
  'tx',
  'asset',
  'from',
  'to',
  'height',
  'blockHash',
  'authorization',
] as const satisfies readonly (keyof Transfer)[]

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)
