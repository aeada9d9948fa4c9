import { refuse } from '../../../domain/kernel/refusal.ts'

export type Rows = { current(): Promise<boolean> }

/**
 * What is looked up in rows, and perhaps was made a moment ago: looked for once more when the rows have come up.
 * Undefined for what there is not. Refuses `unavailable` when the rows did not come up in time; `what` there may be
 * that is not known yet.
 */
export const foundOrNew = async <T>(
  { current }: Rows,
  what: string,
  find: () => Promise<T | undefined>,
): Promise<T | undefined> => {
  const found = await find()
  if (found) return found
  const isCurrent = await current()
  const later = await find()
  if (later || isCurrent) return later
  return refuse('unavailable', `New ${what} are not known here yet. Try again in a moment.`)
}
