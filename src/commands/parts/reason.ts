import { BadSetting } from '../../settings/setting-kinds.ts'

const REASON_MAX_CHARS = 500

/** Why something is gone on without, for whoever reads the log later. Throws BadSetting. */
export const reasonOf = (given: string): string => {
  const reason = given.trim()
  if (reason === '' || reason.length > REASON_MAX_CHARS)
    throw new BadSetting(`--reason is not a text of 1 to ${REASON_MAX_CHARS} characters`)
  return reason
}
