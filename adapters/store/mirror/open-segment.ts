/**
 * The segment that grows: its file, and the note that says how much of it is durable. After an error it is closed and
 * opened anew.
 */
import { createHash, type Hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { LogLine } from '../base/log-line.ts'
import { type Disk, replaceFile } from './disk.ts'
import { idOf, mirrorLine } from './mirror-line.ts'
import { type SegmentNote, sealHash, writeNote } from './note.ts'
import { hashOf } from './reading.ts'
import { noteFile, type Segment, segmentFile, segmentName } from './segments.ts'

export type OpenSegment = {
  /** The note with everything that was put; its hash is that of what was saved. */
  note(): SegmentNote
  /** Bytes that are written and not yet durable. */
  unsaved(): number
  put(lines: readonly LogLine[]): Promise<void>
  /** Makes durable what was put, and then notes it. */
  save(): Promise<void>
  /** Saves it for the last time; answers the hash that the next segment has to name. */
  seal(): Promise<string>
  close(): Promise<void>
}

/**
 * Begins a segment that follows another. The note is there before the file, so that a file without one is never a
 * crash.
 */
export const beginSegment = async (
  on: Disk,
  dir: string,
  empty: Pick<SegmentNote, 'log' | 'origin' | 'first' | 'before' | 'previous'>,
): Promise<OpenSegment> => {
  const hash = createHash('sha256')
  const note: SegmentNote = { ...empty, events: 0, bytes: 0, sha256: hash.copy().digest('hex') }
  await replaceFile(on, noteFile(dir, segmentName(note.first.order), false), writeNote(note))
  return growing(on, dir, note, await on.open(segmentFile(dir, segmentName(note.first.order)), true), hash)
}

/**
 * Goes on with a segment. Bytes behind the last note are cut away. Throws MirrorDamage when the noted bytes are not
 * what was written.
 */
export const resumeSegment = async (on: Disk, dir: string, segment: Segment): Promise<OpenSegment> => {
  const { file, note } = segment
  const handle = await on.open(file)
  try {
    const hash = await hashOf(handle, segment)
    if ((await handle.stat()).size > note.bytes) await on.truncate(handle, note.bytes)
    return growing(on, dir, note, handle, hash)
  } catch (error) {
    await handle.close()
    throw error
  }
}

const growing = (on: Disk, dir: string, begun: SegmentNote, file: FileHandle, hash: Hash): OpenSegment => {
  const name = segmentName(begun.first.order)
  let note = begun
  let saved = note.bytes
  const save = async () => {
    if (note.bytes === saved) return
    await on.sync(file)
    note = { ...note, sha256: hash.copy().digest('hex') }
    await replaceFile(on, noteFile(dir, name, false), writeNote(note))
    saved = note.bytes
  }
  return {
    note: () => note,
    unsaved: () => note.bytes - saved,
    put: async (lines) => {
      const bytes = Buffer.from(lines.map(mirrorLine).join(''))
      await on.write(file, bytes, note.bytes)
      hash.update(bytes)
      note = withLines(note, lines, bytes.length)
    },
    save,
    seal: async () => {
      await save()
      await on.rename(noteFile(dir, name, false), noteFile(dir, name, true))
      await file.close()
      return sealHash(writeNote(note))
    },
    close: () => file.close(),
  }
}

const withLines = (note: SegmentNote, lines: readonly LogLine[], bytes: number): SegmentNote => {
  const last = lines.at(-1)
  if (!last) return note
  return {
    ...note,
    last: { order: last.order, position: last.position, id: idOf(last) },
    before: lines.at(-2)?.position ?? note.last?.position ?? note.before,
    events: note.events + lines.length,
    bytes: note.bytes + bytes,
  }
}
