import { Refusal, refuse } from '../../domain/kernel/refusal.ts'
import type { ImageFormat } from '../../domain/storefront/site.ts'
import { createTurns } from '../timing/turns.ts'

/**
 * Makes a picture anew from what somebody uploaded (N-49): what is kept was written by our own encoder, so nothing that
 * was hidden in the file or behind it comes through, and neither does what a camera wrote down about the place.
 */

export type Picture = {
  readonly format: ImageFormat
  readonly bytes: Buffer
  readonly width: number
  readonly height: number
}

/** Pixels of a picture; a small file can unfold to any number of them. */
const PIXELS_MAX = 25_000_000
/** Bytes of a picture as it is kept. */
const KEPT_MAX_BYTES = 8 * 1_024 * 1_024
/** Seconds that one picture may take. */
const ENCODING_LIMIT_S = 10
/** Pictures made at once, at up to 100 MB of memory each, and those that wait for it. */
const AT_ONCE = 2
const WAITING_MAX = 16

const QUALITY = 88

/** Refuses `invalid-request` for what is no picture of the three formats, and `busy` when very many come at once. */
export const pictureOf = async (file: Buffer): Promise<Picture> => {
  const format = formatOf(file) ?? refuse('invalid-request', 'The file has to be a PNG, JPEG or WebP picture.')
  return (
    (await turns(() => encoded(file, format))) ??
    refuse('busy', 'Very many pictures come at once. Try again in a moment.')
  )
}

const turns = createTurns(AT_ONCE, WAITING_MAX)

/** The format of a file, by its first bytes alone: the decoders of everything else, SVG among them, never see it. */
const formatOf = (file: Buffer): ImageFormat | undefined => {
  const head = file.subarray(0, 12).toString('latin1')
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (head.startsWith('\xff\xd8\xff')) return 'jpg'
  return /^RIFF.{4}WEBP$/s.test(head) ? 'webp' : undefined
}

const encoded = async (file: Buffer, format: ImageFormat): Promise<Picture> => {
  const sharp = await encoder()
  try {
    const picture = sharp(file, { limitInputPixels: PIXELS_MAX, failOn: 'error' }).autoOrient()
    const { data: bytes, info } = await inFormat(picture, format).timeout({ seconds: ENCODING_LIMIT_S }).toBuffer({
      resolveWithObject: true,
    })
    if (bytes.length > KEPT_MAX_BYTES) refuse('invalid-request', 'The picture is too detailed: make it smaller.')
    return { format, bytes, width: info.width, height: info.height }
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal(
      'invalid-request',
      `The picture cannot be read, or has more than ${PIXELS_MAX} pixels. Send another one, or make it smaller.`,
      error,
    )
  }
}

type Encoder = Awaited<ReturnType<typeof encoder>>

const inFormat = (picture: ReturnType<Encoder>, format: ImageFormat) => {
  if (format === 'png') return picture.png({ compressionLevel: 9 })
  return format === 'jpg' ? picture.jpeg({ quality: QUALITY }) : picture.webp({ quality: QUALITY })
}

/**
 * Loads the encoder with the first picture, because it is large. It uses one thread for each picture, keeps nothing,
 * and has no decoder but the three.
 */
const encoder = async () => {
  const { default: sharp } = await import('sharp')
  sharp.concurrency(1)
  sharp.cache(false)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'],
  })
  return sharp
}
