import { z } from 'zod'

/** The parts of a backup; the master key is among them only where it was asked for. */
export const PARTS = ['log', 'data-keys', 'pictures', 'heads', 'master-key'] as const
export type BackupPart = (typeof PARTS)[number]

/** The parts that every backup has. */
export const NEEDED_PARTS: readonly BackupPart[] = PARTS.filter((part) => part !== 'master-key')

export const fileOf = (part: BackupPart): string => `${part}.gz.age`

const count = z.int().nonnegative()
const position = z.string().regex(/^-?\d{1,19}$/)

const partShape = z.strictObject({
  part: z.enum(PARTS),
  /** Of the file as it lies there. */
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Events, keys, pictures or heads. */
  rows: count,
})

const shape = z.strictObject({
  daybook_backup: z.literal(1),
  name: z.string(),
  /** The release of Daybook that has written it. */
  release: z.string(),
  begun_at: z.iso.datetime(),
  ended_at: z.iso.datetime(),
  log: z.strictObject({
    id: z.string(),
    /** What the ledger's own order adds to the positions of the store. */
    base: position,
    /** The last event that is in it: its position and order, its id, and when it was decided. */
    position,
    order: position,
    last_event: z.string(),
    at: z.string(),
    events: count,
  }),
  /** The newest head that the journal had; null before the first seal. */
  head: z.strictObject({ size: count, root: z.string(), sealed_at: z.string() }).nullable(),
  parts: z.array(partShape).max(PARTS.length),
})

/** What a backup says of itself, in plain text. Times are ISO 8601. */
export type Manifest = z.infer<typeof shape>
export type ManifestPart = Manifest['parts'][number]

/** Undefined when the text is no manifest of this version. */
export const manifestIn = (text: string): Manifest | undefined => {
  try {
    return shape.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/**
 * The first line of every part, inside the encryption: it tells which backup the part is of, so that one of another
 * backup does not pass.
 */
const headerShape = z.strictObject({
  backup: z.string(),
  part: z.enum(PARTS),
  log: z.string(),
  /** Of data keys: what tells the master key that they are wrapped by, and the wrapped key of fingerprints; hex. */
  proof: z.string().optional(),
  fingerprint: z.string().nullable().optional(),
})

export type PartHeader = z.infer<typeof headerShape>

export const headerIn = (line: string): PartHeader | undefined => {
  try {
    return headerShape.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
