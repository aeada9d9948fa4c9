/** The filter by which the server keeps events of some types from a reader. */
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { CUTTING_TYPES, type CutStreams } from '../base/cut-streams.ts'
import { PAGE_EVENTS } from '../base/limits.ts'
import { isSystem } from '../base/recorded.ts'
import type { Connection, StoreLog } from './connection.ts'
import { retried } from './patience.ts'
import { allRequest, collect, rawCall } from './raw-calls.ts'

/**
 * Matches the types of all events but those, as a regular expression that .NET and JavaScript understand alike. Of the
 * server's own events it matches those by which streams are cut.
 */
export const typesBeside = (leftOut: ReadonlySet<string>): string =>
  `^(?!(?:${[...leftOut].map(escaped).join('|')})$)(?:[^$]|(?:${CUTTING_TYPES.map(escaped).join('|')})$)`

/** Where a look reads, and where it notes what it finds of cut streams. */
type Look = { readonly connection: Connection; readonly cuts: Pick<CutStreams, 'see'>; readonly log: StoreLog }

/**
 * Position of the newest event after a position whose type is not left out; the position itself where there is none.
 * The server's own events are none of these, but what they say of cut streams is known afterwards.
 */
export const newestBeside = async (
  { connection, cuts, log }: Look,
  leftOut: ReadonlySet<string>,
  after: bigint,
): Promise<bigint> => {
  const types = typesBeside(leftOut)
  let newest = after
  for (let position = after; ; ) {
    const page = await retried(
      connection.closing,
      () =>
        rawCall(connection, 'a look for news', (client, metadata, options) =>
          collect(client.read(typesRequest(types, position), metadata, options), position),
        ),
      (error) => log('a look for news is tried again', { after: String(position), error: String(error) }),
    )
    page.filter(isSystem).forEach(cuts.see)
    newest = page.findLast((event) => !isSystem(event))?.position ?? newest
    position = page.at(-1)?.position ?? position
    // The event that the read begins at may be one of them, and is not counted.
    if (page.length < PAGE_EVENTS - 1) return newest
  }
}

/** Asks for a page of the events from a position on whose types match a regular expression. */
export const typesRequest = (types: string, after: bigint) => {
  const request = allRequest(after, PAGE_EVENTS)
  const filter = new streams.ReadReq.Options.FilterOptions()
    .setEventType(new streams.ReadReq.Options.FilterOptions.Expression().setRegex(types))
    .setMax(SEARCH_WINDOW_EVENTS)
    .setCheckpointintervalmultiplier(1)
  request.getOptions()?.setFilter(filter)
  return request
}

/** Events that the server looks at in one step. */
const SEARCH_WINDOW_EVENTS = 1_000

const escaped = (type: string): string => type.replace('$', '\\$')
