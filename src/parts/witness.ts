import { type Containment, containment, isHeadContained } from '../../adapters/audit/containment.ts'
import { hashBytes } from '../../adapters/audit/hash.ts'
import type { SignedHead } from '../../adapters/audit/head.ts'
import { readSealWitness } from '../settings/seal-witness.ts'
import type { LogReach, LogReading } from './log.ts'
import { events, type InstallationPart, type Misfit, partOf } from './part.ts'
import { JOURNAL } from './witnessed.ts'

/** The misfit for each way in which a log may not contain a head. */
const MISFITS: Readonly<Record<Extract<Containment, { fits: false }>['why'], Misfit>> = {
  shorter: 'log-older',
  forked: 'log-parted',
  changed: 'log-parted',
  'other-log': 'another-log',
}

const SAYS: Readonly<Record<Extract<Containment, { fits: false }>['why'], string>> = {
  shorter: 'the log ends before',
  forked: 'the log was sealed otherwise',
  changed: 'the log is not what was sealed',
  'other-log': 'it has seen another log',
}

/**
 * Holds the newest head of the journal against the log. The seals around it tell that the log contains it; what was
 * sealed after it is verified by the sealer.
 * @param file the journal of heads
 */
export const witnessPart = async (
  file: string,
  { store, bytes }: LogReading,
  log: LogReach,
): Promise<InstallationPart> => {
  const damage = damageOf(file)
  if (damage !== undefined)
    return partOf('witness', { reach: 'unreadable', fits: false, misfit: 'witness-unreadable', says: damage })
  const witness = readSealWitness(file)
  if (!witness) return partOf('witness', { reach: 'none yet', fits: true })
  const { head } = witness
  const known = { whose: head.log, reach: nameOf(head), at: head.sealedAt }
  const sealed = { store, lines: bytes.readLines }
  if (await isHeadContained(sealed, witness, JOURNAL)) return partOf('witness', { ...known, fits: true })
  const found = await containment(sealed, witness, JOURNAL, 0)
  if (found.fits) return partOf('witness', { ...known, fits: true })
  if (!log.head) return partOf('witness', { ...known, fits: false, misfit: 'log-gone', says: 'the log is empty' })
  const newest = found.newest ? `its newest head is ${nameOf(found.newest)}` : 'nothing in it is sealed'
  return partOf('witness', { ...known, fits: false, misfit: MISFITS[found.why], says: `${SAYS[found.why]}: ${newest}` })
}

/** Why the journal cannot be read; undefined when it can. */
const damageOf = (file: string): string | undefined => {
  try {
    readSealWitness(file)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const SHOWN_HEX = 12

/** A head for people: `2,239 events · 28004271f555`. */
const nameOf = ({ size, root }: SignedHead): string =>
  `${events(size)} · ${hashBytes(root)?.toString('hex').slice(0, SHOWN_HEX) ?? ''}`
