import type { LogPlace } from '../../../adapters/store/base/bytes.ts'
import { isSystem, metaOf } from '../../../adapters/store/base/recorded.ts'
import { readConnectionString } from '../../../adapters/store/client/connection-string.ts'
import { openServerRights } from '../../../adapters/store/server/rights.ts'
import { openServerUsers } from '../../../adapters/store/server/users.ts'
import { deciders } from '../../../domain/write-side/deciders.ts'
import { countText } from '../../books/replaying.ts'
import type { Output } from '../../console/output.ts'
import { openServer } from '../../event-store/reach.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'

type Finding = {
  readonly what: 'connection' | 'user' | 'appends' | 'protection' | 'log' | 'streams'
  readonly ok: boolean
  readonly text: string
}

/** Streams that are named on a terminal. */
const NAMED_MAX = 10

/**
 * Says what an EventStoreDB lacks for Daybook, and whether the log in it is ours alone; it reads the whole log and
 * writes nothing. Answers false when something is missing. Rejects with BadSetting when the server cannot be used at
 * all, as a start would.
 */
export const checkEventStore = async (out: Output, url: string | undefined): Promise<boolean> => {
  if (!url || url.startsWith('unix:'))
    throw new BadSetting('EVENTSTORE_URL names no EventStoreDB: there is nothing to check of the embedded log')
  const place = await openServer(url, () => {}, { seconds: 0 })
  try {
    const connected = {
      what: 'connection',
      ok: true,
      text: `${place.name} answers, and its whole log can be read`,
    } as const
    const findings: Finding[] = [connected, await userFinding(url), ...(await rightsFindings(url))]
    findings.push(await logFinding(place), await streamsFinding(place))
    const lines = findings.map(({ what, ok, text }) => `  ${ok ? 'ok' : 'NO'}  ${what.padEnd(10)}  ${text}`)
    await out.tell({ ok: findings.every(({ ok }) => ok), findings }, lines.join('\n'))
    return findings.every(({ ok }) => ok)
  } finally {
    await place.close()
  }
}

const userFinding = async (url: string): Promise<Finding> => {
  const what = 'user'
  if (readConnectionString(url).insecure)
    return {
      what,
      ok: false,
      text: 'without TLS there are no users: whoever reaches the server may read, append and delete',
    }
  const users = openServerUsers(url)
  try {
    const { login, groups } = await users.current()
    return groups.includes('$admins')
      ? {
          what,
          ok: false,
          text: `${login} is an admin, so its password can hide events: daybook eventstore prepare makes another user`,
        }
      : { what, ok: true, text: `${login} is no admin` }
  } finally {
    await users.close()
  }
}

const rightsFindings = async (url: string): Promise<readonly Finding[]> => {
  const rights = openServerRights(url)
  try {
    const { appends, setsMetadata, deletes } = await rights.ofStreams()
    const hides = [setsMetadata ? 'set the metadata of streams' : '', deletes ? 'delete streams' : ''].filter(Boolean)
    return [
      {
        what: 'appends',
        ok: appends,
        text: appends
          ? 'the user may append'
          : 'the user may not append: daybook eventstore prepare gives it the right',
      },
      {
        what: 'protection',
        ok: hides.length === 0,
        text:
          hides.length === 0
            ? 'the user may neither set the metadata of streams nor delete them'
            : `the user may ${hides.join(' and ')}, and so hide events: daybook eventstore prepare takes that away`,
      },
    ]
  } finally {
    await rights.close()
  }
}

/** Every event has to be one that Daybook wrote: whose stream it knows, and whose metadata it can read. */
const logFinding = async ({ store, bytes }: LogPlace): Promise<Finding> => {
  const categories = new Set(Object.values(deciders).map(({ category }) => category))
  const foreign = new Set<string>()
  let events = 0
  for await (const page of bytes.readAll(-1n, await store.head()))
    for (const event of page) {
      if (isSystem(event)) continue
      events++
      const known = [...prefixes(event.stream)].some((category) => categories.has(category))
      if (foreign.size < NAMED_MAX && (!known || !isOurs(event))) foreign.add(event.stream)
    }
  return foreign.size === 0
    ? { what: 'log', ok: true, text: `${countText(events, 'event')}, all of them Daybook's` }
    : {
        what: 'log',
        ok: false,
        text: `not Daybook's alone, others write to ${[...foreign].join(', ')}: give Daybook a server of its own`,
      }
}

/** A category may have dashes in its name, and so may an id. */
function* prefixes(stream: string): Generator<string> {
  for (let at = stream.indexOf('-'); at > 0; at = stream.indexOf('-', at + 1)) yield stream.slice(0, at)
}

const isOurs = (event: Parameters<typeof metaOf>[0]): boolean => {
  try {
    return metaOf(event) !== undefined
  } catch {
    return false
  }
}

const streamsFinding = async ({ store }: LogPlace): Promise<Finding> => {
  await store.lookForCuts?.(-1n)
  const cut = store.cuts.all()
  const named = cut.slice(0, NAMED_MAX).map(({ stream, reason }) => `${stream} (${reason})`)
  return cut.length === 0
    ? { what: 'streams', ok: true, text: 'none is cut or deleted' }
    : {
        what: 'streams',
        ok: false,
        text: `${cut.length} cut or deleted: ${named.join(', ')}. See "Streams that were cut" in docs/operations.md`,
      }
}
