/** Looking back for what the server has said of cut and deleted streams while nobody was subscribed. */
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { CUTTING_TYPES, type CutStreams } from '../base/cut-streams.ts'
import { PAGE_EVENTS } from '../base/limits.ts'
import type { Connection, StoreLog } from './connection.ts'
import { retried } from './patience.ts'
import { allRequest, collect, rawCall } from './raw-calls.ts'

/** The server looks at every event for it: a log of millions, read for the first time, takes some minutes. */
const LOOK_LIMIT_MS = 600_000
/** Events that the server looks at in one step. */
const SEARCH_WINDOW_EVENTS = 1_000

/**
 * Reads the cutting events after the position of an event (-1n: all) into `cuts`. The server filters them, so that few
 * cross the network.
 */
export const lookForCuts = async (
  connection: Connection,
  cuts: CutStreams,
  after: bigint,
  log: StoreLog,
): Promise<void> => {
  for (let position = after; ; ) {
    const page = await retried(
      connection.closing,
      () =>
        rawCall(
          connection,
          'a look for cut streams',
          (client, metadata, options) => collect(client.read(cuttingRequest(position), metadata, options), position),
          LOOK_LIMIT_MS,
        ),
      (error) => log('the look for cut streams is tried again', { after: String(position), error: String(error) }),
    )
    page.forEach(cuts.see)
    // The event that the read begins at may be one of them, and is left out.
    if (page.length < PAGE_EVENTS - 1) return
    position = page.at(-1)?.position ?? position
  }
}

const cuttingRequest = (after: bigint) => {
  const request = allRequest(after, PAGE_EVENTS)
  const types = new streams.ReadReq.Options.FilterOptions.Expression().setRegex(
    `^(${CUTTING_TYPES.map((type) => type.replace('$', '\\$')).join('|')})$`,
  )
  const filter = new streams.ReadReq.Options.FilterOptions()
    .setEventType(types)
    .setMax(SEARCH_WINDOW_EVENTS)
    .setCheckpointintervalmultiplier(1)
  request.getOptions()?.setFilter(filter)
  return request
}
