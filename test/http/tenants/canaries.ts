/** What a tenant can read of itself, and what of it nobody else may ever be told. */
import type { TestApp } from '../../support/app.ts'
import { labelOf, type Operation, operations, parametersOf, written } from './declared.ts'
import type { Ids } from './tenant.ts'

/** Shorter texts stand in many answers by chance. */
const CANARY_MIN_CHARS = 6

const READS = /^(get-|download-|settings-get|invoice$|payment-link$|encryption$)/

/**
 * The heads of the log are everybody's, an event is proved once it is sealed, a chart ends with the moment at which it
 * is asked for, and the request log has the very calls of this test.
 */
const MOVING = ['/v1/audit/seals', '/v1/audit/proof', '/v1/audit/books/series', '/v1/request-log']

const reads = operations.filter(
  ({ auth, method, when, path }) =>
    auth === 'key' &&
    !MOVING.includes(path) &&
    (method === 'get' ? path !== '/api.php' : READS.test(String(when?.function))),
)

/** Every read that a key is allowed, of everything that it may name: what was called, and the answer. */
export const readAll = async (
  app: TestApp,
  key: string,
  ids: Ids,
  among: (e: Operation) => boolean = () => true,
): Promise<ReadonlyMap<string, string>> => {
  const answers = new Map<string, string>()
  for (const e of reads.filter(among))
    for (const given of ways(e, ids)) {
      const { method, path, ...options } = written(e, given)
      const { status, text } = await app.call(method, path, { key, ...options })
      if (status >= 500) throw new Error(`${labelOf(e)} answered ${status}: ${text}`)
      answers.set(`${method} ${path} ${options.body ?? ''}`, `${status} ${withoutChains(text)}`)
    }
  return answers
}

/** Without the networks that are behind: a busy machine has them come and go. */
const withoutChains = (text: string): string => text.replace(/,?\{"kind":"chains-behind"[^}]*\}/, '')

/** Without a name where none is needed, and once for every name that an operation takes. */
const ways = (e: Operation, ids: Ids) => {
  const named = parametersOf(e).filter(({ name }) => ids[name] !== undefined)
  const each = named.flatMap(({ at, name }) =>
    (ids[name] ?? []).map((id) => ({ query: {}, body: {}, [at]: { [name]: id } })),
  )
  return named.some(({ required }) => required) ? each : [{ query: {}, body: {} }, ...each]
}

/**
 * What stands in one's answers and not in the other's, nor is a part of something there: texts and numbers, in small
 * letters.
 */
export const canariesOf = (
  own: ReadonlyMap<string, string>,
  others: ReadonlyMap<string, string>,
  secrets: readonly string[] = [],
): readonly string[] => {
  const known = [...others.values()].flatMap(leavesOf).join('\n')
  const leaves = [...own.values()].flatMap(leavesOf)
  return [...new Set([...leaves, ...secrets.map((secret) => secret.toLowerCase())])].filter(
    (leaf) => !known.includes(leaf),
  )
}

/** Times, and numbers so short that many a hash holds them: places in the log are such. */
const BY_CHANCE = /^(\d{4}-\d\d-\d\d[t ].*|\d{1,9})$/

const leavesOf = (answer: string): string[] => {
  const text = answer.slice(answer.indexOf(' ') + 1)
  const found = text.startsWith('{') ? jsonLeaves(JSON.parse(text)) : text.split(/[",\r\n]+/)
  return found
    .map((leaf) => leaf.toLowerCase())
    .filter((leaf) => leaf.length >= CANARY_MIN_CHARS && !BY_CHANCE.test(leaf))
}

const jsonLeaves = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => [name, ...jsonLeaves(item)])
}

/** The canaries that an answer holds, in its body or its headers. */
export const leaksIn = (answer: { text: string; headers: Headers }, canaries: Iterable<string>): string[] => {
  const said = `${answer.text}\n${[...answer.headers].flat().join('\n')}`.toLowerCase()
  return [...canaries].filter((canary) => said.includes(canary))
}
