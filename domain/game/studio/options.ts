import { refuse } from '../../kernel/refusal.ts'
import { type Option, type WorkKind, workNamed } from '../world/works.ts'

/** The options of a work as they are chosen, by name: every one that it has. */
export type WorkOptions = Readonly<Record<string, string>>

/**
 * The chosen options with defaults for those that were left out, in one order, so that the same choice is always the
 * same data; and the price. Refuses `not-found`, `invalid-request`.
 */
export const chosenWork = (slug: string, opts: WorkOptions): { opts: WorkOptions; priceUnits: number } => {
  const work =
    workNamed(slug) ?? refuse('not-found', 'The studio makes no such work. Look for it in GET /v1/game/studio.')
  const unknown = Object.keys(opts).find((name) => !Object.hasOwn(work.options, name))
  if (unknown !== undefined)
    return refuse('invalid-request', `A ${slug} has no such option, so leave it out: ${unknown.slice(0, 40)}`)
  return priceOf(work, opts)
}

/** The options as one text, the same for the same options. */
export const optsText = (opts: WorkOptions): string =>
  JSON.stringify(Object.entries(opts).sort(([a], [b]) => (a < b ? -1 : 1)))

export const optsFrom = (text: string): WorkOptions => Object.fromEntries(JSON.parse(text) as [string, string][])

const priceOf = (work: WorkKind, opts: WorkOptions) => {
  let priceUnits = work.units
  const each = Object.entries(work.options).map(([name, option]) => {
    const { value, units } = priced(name, option, opts[name])
    priceUnits += units
    return [name, value] as const
  })
  return { opts: Object.fromEntries(each), priceUnits }
}

const priced = (name: string, option: Option, given: string | undefined): { value: string; units: number } => {
  if ('letters' in option) return textOf(name, option, given ?? '')
  const value = given ?? Object.keys(option.values)[0] ?? ''
  const units = Object.hasOwn(option.values, value) ? option.values[value] : undefined
  if (units === undefined)
    return refuse('invalid-request', `${name}: has to be one of ${Object.keys(option.values).join(', ')}`)
  return { value, units }
}

/** A text option and its price, counted in characters; those that cannot be seen are refused. */
const textOf = (name: string, { letters, unitsEach }: { letters: number; unitsEach: number }, given: string) => {
  const value = given.normalize('NFC').trim()
  const length = [...value].length
  if (length > letters || /[\p{C}\p{Zl}\p{Zp}]/u.test(value))
    return refuse('invalid-request', `${name}: has to have at most ${letters} characters, all of which can be seen`)
  return { value, units: length * unitsEach }
}
