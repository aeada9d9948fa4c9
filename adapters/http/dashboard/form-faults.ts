import { Refusal, type RefusalCode } from '../../../domain/kernel/refusal.ts'
import { sentenceOf } from '../../../domain/kernel/refusals/refusal-words.ts'

/** What is wrong with a form, by the names of its fields. */
export type FormFaults = Readonly<Record<string, string>>

/** These concern the whole service or the whole session, so that no field is to blame. */
const OF_NO_FIELD: ReadonlySet<RefusalCode> = new Set(['internal', 'busy', 'rate-limited', 'forbidden', 'stream-cut'])

/**
 * The words of a refusal beside the fields that they name; beside `first` where they name none of `fields`. A field is
 * named by its path in the body of the API, or by the end of that path; a list also by the path of what is in it. What
 * is no fault of a field is thrown on.
 */
export const faultsOf = (error: unknown, fields: readonly string[], first: string): FormFaults => {
  if (!(error instanceof Refusal) || OF_NO_FIELD.has(error.code)) throw error
  const faults: Record<string, string> = {}
  for (const part of sentenceOf(error).split('; ')) {
    const [, path = '', words = ''] = /^([\w.]+): (.+)$/s.exec(part) ?? []
    const name =
      fields.find((each) => path === each || path.endsWith(`.${each}`) || path.startsWith(`${each}.`)) ?? first
    const said = fields.includes(name) && words !== '' ? `${words.charAt(0).toUpperCase()}${words.slice(1)}` : part
    faults[name] = faults[name] === undefined ? said : `${faults[name]}; ${said}`
  }
  return faults
}
