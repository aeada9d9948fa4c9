import { parseArgs } from 'node:util'

export type MutateOptions = {
  /** Files or folders. */
  readonly named: readonly string[]
  readonly sample: number
  readonly seed: number
  readonly tests: readonly string[]
  readonly files: number
  readonly jobs: number
  readonly json: boolean
  /** Percent; below it the run fails. */
  readonly atLeast: number
}

export const USAGE = `npm run mutate -- <file or folder>… [--sample 100] [--seed 1] [--tests <glob>]… [--files 12]
  [--jobs 1] [--at-least <percent>] [--json]`

const SEEDS = 1_000_000

/** What the arguments ask for. Throws a TypeError for what nobody may ask. */
export const optionsFrom = (args: readonly string[]): MutateOptions => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      sample: { type: 'string', default: '100' },
      seed: { type: 'string', default: String(Date.now() % SEEDS) },
      tests: { type: 'string', multiple: true, default: [] },
      files: { type: 'string', default: '12' },
      jobs: { type: 'string', default: '1' },
      'at-least': { type: 'string', default: '0' },
      json: { type: 'boolean', default: false },
    },
  })
  if (positionals.length === 0) throw new TypeError(`name a file or a folder: ${USAGE}`)
  return {
    named: positionals,
    tests: values.tests,
    json: values.json,
    sample: wholeNumber('sample', values.sample, 1),
    seed: wholeNumber('seed', values.seed, 0),
    files: wholeNumber('files', values.files, 1),
    jobs: wholeNumber('jobs', values.jobs, 1),
    atLeast: wholeNumber('at-least', values['at-least'], 0),
  }
}

const wholeNumber = (name: string, text: string, least: number): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < least) throw new TypeError(`--${name} is a whole number from ${least} on`)
  return value
}
