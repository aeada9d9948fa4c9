import { containment, type SealedLog } from '../../adapters/audit/containment.ts'
import type { SignedHead } from '../../adapters/audit/head.ts'
import { notContinued } from '../../adapters/audit/seal-guard.ts'
import { readSealWitness, type SealWitness } from '../settings/seal-witness.ts'

/** What the journal of heads and the log say of each other. */
export type HeadComparison =
  | {
      readonly fits: true
      /** Undefined before the first seal, and where the journal is new. */
      readonly witnessed: SignedHead | undefined
      /**
       * The newest head of the log, as the journal would hold it; undefined when nothing is sealed, or nothing was
       * witnessed.
       */
      readonly log: SealWitness | undefined
      /**
       * Events that were sealed after the witnessed head and are still to be verified; 0 unless they are more than the
       * limit.
       */
      readonly left: number
    }
  | {
      readonly fits: false
      /**
       * The log ends before the head, has another history, is another log, or is not what was sealed after the head.
       */
      readonly why: 'shorter' | 'forked' | 'other-log' | 'changed'
      readonly witnessed: SignedHead
      /** The newest head of the log; undefined when nothing in it is sealed. */
      readonly log: SignedHead | undefined
      /** For people: both heads, and the ways out. */
      readonly words: string
    }

/** The name, for people, of whoever has signed the heads of the journal. */
export const JOURNAL = 'this installation'

/**
 * Verifies the log from the newest witnessed head on: that it contains the head, and that what was sealed since goes on
 * from it. What comes before the head is not read, so that it costs the same however long the log is.
 * @param file the journal of heads
 * @param limit sealed events after the head that are verified; when there are more, `left` tells how many, and none is
 */
export const compareHeads = async (log: SealedLog, file: string, limit?: number): Promise<HeadComparison> => {
  const witness = readSealWitness(file)
  if (!witness) return { fits: true, witnessed: undefined, log: undefined, left: 0 }
  const found = await containment(log, witness, JOURNAL, limit)
  if (!found.fits) {
    const { why, newest } = found
    return { fits: false, why, witnessed: witness.head, log: newest, words: notContinued(found) }
  }
  return { fits: true, witnessed: witness.head, log: found.newest, left: found.left }
}
