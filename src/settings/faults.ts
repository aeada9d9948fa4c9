import { BadSetting } from './setting-kinds.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The name of the setting that a fault begins with. */
const NAME = /^[A-Z][A-Z0-9_]*/

/**
 * What a reading of the environment gives. Throws BadSetting with all that is wrong, `others` among it: a setting that
 * cannot be used is left out, and the rest is read again, until nothing more is found.
 */
export const collectFaults = <T>(env: Environment, read: (env: Environment) => T, others: readonly string[]): T => {
  const faults: string[] = []
  const all = () => new BadSetting([...new Set([...faults, ...others])].join('\n'))
  for (let left = env; ; ) {
    const found = attempt(() => read(left))
    if ('value' in found) {
      if (faults.length + others.length > 0) throw all()
      return found.value
    }
    faults.push(found.fault)
    const name = NAME.exec(found.fault)?.[0] ?? ''
    // A fault that no setting can be left out for ends the search.
    if (left[name] === undefined) throw all()
    left = { ...left, [name]: undefined }
  }
}

const attempt = <T>(read: () => T): { readonly value: T } | { readonly fault: string } => {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof BadSetting) return { fault: error.message }
    throw error
  }
}
