import { containment, type SealedLog, type WitnessedHead } from './containment.ts'

/** A head that every new seal has to go on from, and who names it: `this installation`. */
export type HeadToContinue = WitnessedHead & { readonly source: string }

/** Prevents a seal that does not go on from every known head. */
export type SealGuard = {
  /** The largest head that is known; 0 before the first. A new seal covers no less. */
  leastSize(): number
  /** Rejects with HeadNotContinued. A head that the log was found to contain is not looked for again. */
  mustContinue(log: SealedLog): Promise<void>
  /** Says that a head was just sealed in the log, so that it need not be looked for. */
  continued(witness: WitnessedHead): void
}

/** The log does not contain a head that was signed before, so nothing more is sealed. */
export class HeadNotContinued extends Error {
  override readonly name = 'HeadNotContinued'
}

/** @param heads asked anew before each round of seals */
export const sealGuard = (heads: () => readonly HeadToContinue[]): SealGuard => {
  /** Names of heads that the log contains; no more than are known, and the one that was sealed last. */
  let contained = new Set<string>()
  return {
    leastSize: () => Math.max(0, ...heads().map(({ head }) => head.size)),
    async mustContinue(log) {
      const known = heads()
      for (const witness of known) {
        if (contained.has(nameOf(witness))) continue
        const found = await containment(log, witness, witness.source)
        if (!found.fits) throw new HeadNotContinued(notContinued(found))
      }
      contained = new Set(known.map(nameOf))
    },
    continued(witness) {
      contained.add(nameOf(witness))
    },
  }
}

const nameOf = ({ head: { log, size, root } }: WitnessedHead): string => `${log} ${size} ${root}`

/** The message for people when a log does not contain a head, with both heads and the ways out. */
export const notContinued = ({ words, newest }: { words: string; newest: WitnessedHead['head'] | undefined }): string =>
  `nothing is sealed, because ${words}. ${
    newest
      ? `The newest head of the log is of ${newest.size} events, root ${newest.root}`
      : 'Nothing in the log is sealed'
  }. ${WAYS_OUT}`

const WAYS_OUT =
  'Put the log back that was sealed, or go on with this one knowingly: daybook log accept-older --reason "…"'
