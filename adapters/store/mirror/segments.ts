/**
 * The segments of a mirror as they lie in its directory: `<first order, 20 digits>.jsonl`, each with its note beside
 * it.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { NO_SEGMENT, readNote, type SegmentNote, sealHash } from './note.ts'

export type Segment = {
  readonly name: string
  readonly file: string
  readonly note: SegmentNote
  /** Hash of the note as it is written. */
  readonly noteHash: string
  /** Whether it is full and never changes again. */
  readonly sealed: boolean
}

/**
 * The mirror is not what was written: a segment is missing, has another size or other bytes. Nothing repairs it by
 * itself, because it is evidence.
 */
export class MirrorDamage extends Error {
  override readonly name = 'MirrorDamage'
}

export const segmentName = (order: bigint): string => String(order).padStart(NAME_DIGITS, '0')
export const segmentFile = (dir: string, name: string): string => join(dir, `${name}.jsonl`)
export const noteFile = (dir: string, name: string, sealed: boolean): string =>
  join(dir, `${name}.${sealed ? 'sealed' : 'open'}.json`)

/**
 * The segments in the order of the log, none when there is no mirror. Throws MirrorDamage when they are not what their
 * notes say, as far as that is known without reading them.
 */
export const segmentsIn = async (dir: string): Promise<readonly Segment[]> => {
  for (let looks = 1; ; looks++)
    try {
      return await look(dir)
    } catch (error) {
      // The writer may have gone on between two looks; what is really wrong stays so.
      if (!(error instanceof MirrorDamage) || looks === LOOKS) throw error
      await pause(LOOK_AGAIN_MS)
    }
}

/**
 * The note of the newest segment that holds any event; undefined when there is no mirror, or an empty one. It reads two
 * files at most, whatever the length of the log, and proves nothing of what lies before. Throws MirrorDamage when it is
 * no note.
 */
export const newestNote = async (dir: string): Promise<SegmentNote | undefined> => {
  const names = new Set((await filesIn(dir)).flatMap((file) => NAME.exec(file)?.[1] ?? []))
  for (const name of [...names].sort().reverse().slice(0, NEWEST_NOTES)) {
    const text = (await textOf(noteFile(dir, name, false))) ?? (await textOf(noteFile(dir, name, true)))
    const note = text === undefined ? undefined : readNote(text)
    if (!note) throw new MirrorDamage(`the seal of segment ${name} is none`)
    if (note.last) return note
  }
  return undefined
}

/** Only the newest segment may be empty. */
const NEWEST_NOTES = 2
const NAME_DIGITS = 20
const LOOKS = 3
const LOOK_AGAIN_MS = 50
const NAME = new RegExp(`^(\\d{${NAME_DIGITS}})\\.(jsonl|open\\.json|sealed\\.json)$`)

const look = async (dir: string): Promise<readonly Segment[]> => {
  const names = new Set((await filesIn(dir)).flatMap((file) => NAME.exec(file)?.[1] ?? []))
  const segments: Segment[] = []
  for (const name of [...names].sort()) {
    const segment = await segmentAt(dir, name)
    follows(segment, segments.at(-1))
    segments.push(segment)
  }
  return segments
}

const filesIn = (dir: string): Promise<readonly string[]> =>
  readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })

const segmentAt = async (dir: string, name: string): Promise<Segment> => {
  const file = segmentFile(dir, name)
  // The open note is looked for first: it becomes the sealed one at the moment it is renamed.
  const open = await textOf(noteFile(dir, name, false))
  const text = open ?? (await textOf(noteFile(dir, name, true)))
  if (text === undefined) throw new MirrorDamage(`the mirror has lost the seal of segment ${name}`)
  const note = readNote(text)
  if (!note || segmentName(note.first.order) !== name) throw new MirrorDamage(`the seal of segment ${name} is none`)
  const sealed = open === undefined
  const bytes = await sizeOf(file)
  const fits = sealed ? bytes === note.bytes : (bytes ?? 0) >= note.bytes
  if (!fits) throw new MirrorDamage(`segment ${name} of the mirror has ${bytes ?? 'no'} bytes, not ${note.bytes}`)
  return { name, file, note, noteHash: sealHash(text), sealed }
}

/**
 * Checks that a segment follows the one before it: a missing one breaks the chain, and only the newest may lack its
 * seal.
 */
const follows = ({ name, note }: Segment, before: Segment | undefined): void => {
  const wrong = (what: string) => new MirrorDamage(`segment ${name} of the mirror ${what}`)
  if (note.previous !== (before?.noteHash ?? NO_SEGMENT)) throw wrong('does not follow the one before it')
  if (!before) return
  if (!before.sealed) throw wrong(`comes after ${before.name}, which is not sealed`)
  if (note.log !== before.note.log || note.origin !== before.note.origin) throw wrong('is of another log')
  const { last } = before.note
  if (!last || last.order >= note.first.order || last.position >= note.first.position)
    throw wrong('begins before the end of the one before it')
}

const textOf = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(missing)

const sizeOf = async (file: string): Promise<number | undefined> => (await stat(file).catch(missing))?.size

const missing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error
}
