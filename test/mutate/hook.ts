/**
 * Loads a changed source in the place of one file, so that nothing is written into the tree. It is preloaded by
 * `--import` into every process of a trial; NODE_OPTIONS carries it on to those that tests start, and DAYBOOK_MUTANT
 * tells them the change. Only what is started by `spawnSync` with an environment of its own does not hear of it.
 */
import { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Change } from './mutant.ts'

/** Where the mutated file lies, and what is changed in it. */
export type PlacedChange = Change & { readonly url: string }

/** What is loaded anew for a trial, under addresses that end with its name, beside what stays from the one before. */
export type Edition = { readonly name: string; readonly urls: ReadonlySet<string> }

const MUTANT = 'DAYBOOK_MUTANT'
/** What a test leaves out when it gives a process an environment of its own. */
const CARRIED = ['NODE_OPTIONS', MUTANT]

let edition: Edition | undefined
/** What a file is without its types; the same in every edition. */
const stripped = new Map<string, string>()

/** From now on the files of an edition are loaded anew, with the change or without. */
export const beginEdition = (next: Edition, change: PlacedChange | undefined): void => {
  edition = next
  if (change) process.env[MUTANT] = JSON.stringify(change)
  else delete process.env[MUTANT]
}

/** The address under which a file of this edition is loaded. */
export const editionUrl = (url: string): string => (edition?.urls.has(url) ? `${url}?edition=${edition.name}` : url)

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context)
    return { ...resolved, url: editionUrl(resolved.url) }
  },
  load: (url, context, next) => {
    const [bare = url] = url.split('?')
    const change = changeNow()
    const isMutated = change?.url === bare
    if (!isMutated && !edition?.urls.has(bare)) return next(url, context)
    const source = isMutated ? strip(bare, change) : (stripped.get(bare) ?? strip(bare))
    if (!isMutated) stripped.set(bare, source)
    return { format: 'module', source, shortCircuit: true }
  },
})

const { spawn } = ChildProcess.prototype as unknown as { spawn(options: { envPairs?: string[] }): unknown }
Object.assign(ChildProcess.prototype, {
  spawn(this: ChildProcess, options: { envPairs?: string[] }) {
    const given = options.envPairs ?? []
    const missing = CARRIED.filter((name) => process.env[name] && !given.some((pair) => pair.startsWith(`${name}=`)))
    options.envPairs = [...given, ...missing.map((name) => `${name}=${process.env[name]}`)]
    return spawn.call(this, options)
  },
})

function changeNow(): PlacedChange | undefined {
  const text = process.env[MUTANT]
  return text ? (JSON.parse(text) as PlacedChange) : undefined
}

function strip(url: string, change?: Change): string {
  const text = readFileSync(fileURLToPath(url), 'utf8')
  // Types give way to spaces, so that places are the same as in the source.
  return stripTypeScriptTypes(change ? text.slice(0, change.start) + change.text + text.slice(change.end) : text)
}
