import { OutcomeUnknown } from '../../../domain/kernel/ports.ts'
import type { CutStreams } from '../base/cut-streams.ts'
import type { Reads } from './reads.ts'

/** The newest event that the server has confirmed to this process. */
type Landmark = { readonly position: bigint; readonly id: string }

/**
 * Notices a log that was put back from a backup under this process: positions of a log only rise, so an append that is
 * confirmed before the newest event of before shows that this event may be gone. Then it is looked for.
 */
export type Landmarks = {
  /** To be asked before an append is sent. */
  newest(): Landmark | undefined
  /**
   * Takes the position of a confirmed append. Throws StreamCut when the log lacks what it had before, and nothing is
   * appended any more; throws OutcomeUnknown when nobody can tell.
   */
  confirmed(stream: string, appended: Landmark, before: Landmark | undefined): Promise<void>
}

export const openLandmarks = (reads: Reads, cuts: CutStreams): Landmarks => {
  let newest: Landmark | undefined
  return {
    newest: () => newest,
    async confirmed(stream, appended, before) {
      if (appended.position > (newest?.position ?? -1n)) newest = appended
      if (!before || appended.position > before.position) return
      // A repeat is confirmed where its events have been all the time.
      const there = await reads.at(before.position).catch((cause: unknown) => {
        throw new OutcomeUnknown(`the store did not say whether it has the event at ${before.position}`, { cause })
      })
      if (there?.id === before.id) return
      const how = `took an append at position ${appended.position}, and has lost the event at ${before.position}`
      throw cuts.found(stream, 'misplaced', how)
    },
  }
}
