import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openServerRights } from '../../../../adapters/store/server/rights.ts'
import { openServer } from '../../../event-store/reach.ts'
import type { Config } from '../../../settings/config.ts'
import { type Finding, failed, fine, type Looked, misfit } from './finding.ts'

const WHAT = 'event store'
const SETTING = 'EVENTSTORE_URL'

/** The event log: whether its server answers and may be read and written, or whether the embedded one is there. */
export const lookAtEventStore = async ({ eventStoreUrl: url, dataDir }: Config): Promise<Looked> => {
  if (url === undefined) return { findings: [fine(WHAT, SETTING, embedded(join(dataDir, 'events.db')))] }
  try {
    const place = await openServer(url, () => {}, { seconds: 0 })
    const head = await place.store.head().finally(() => place.close())
    const answers = `${place.name} answers; its log ${head < 0n ? 'is empty' : `ends at position ${head}`}`
    return { findings: [url.startsWith('unix:') ? fine(WHAT, SETTING, answers) : await rightsOf(url, answers)] }
  } catch (error) {
    return { findings: [failed(WHAT, SETTING, error)] }
  }
}

const BYTES_IN_MB = 1_000_000

const embedded = (file: string): string =>
  existsSync(file)
    ? `embedded, in DATA_DIR/events.db (${Math.ceil(statSync(file).size / BYTES_IN_MB)} MB)`
    : 'embedded; the first start makes it in DATA_DIR/events.db'

/** Whether the user may append. What it may do beyond is said by `daybook eventstore check`. */
const rightsOf = async (url: string, answers: string): Promise<Finding> => {
  const rights = openServerRights(url)
  try {
    const { appends, deletes, setsMetadata } = await rights.ofStreams()
    if (!appends)
      return misfit(
        WHAT,
        SETTING,
        `${answers}, and the user may not append`,
        'daybook eventstore prepare gives it the right',
      )
    const more = deletes || setsMetadata ? '; the user may hide events, see daybook eventstore check' : ''
    return fine(WHAT, SETTING, `${answers}; the user may append${more}`)
  } finally {
    await rights.close()
  }
}
