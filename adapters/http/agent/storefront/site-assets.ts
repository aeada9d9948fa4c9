import { createHash } from 'node:crypto'
import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { IMAGE_NAME_LENGTH, imagePath, MEDIA_PATH } from '../../../storefront/own-images.ts'
import { pictureOf } from '../../../storefront/picture.ts'
import { endpoint, Reply } from '../../core/endpoint.ts'

/** Pictures of a storefront (S-SITE-07, N-49). */

const UPLOAD_MAX_BYTES = 2 * 1_024 * 1_024
const UPLOAD_LIMIT_MS = 15_000

const types = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' } as const

const upload = endpoint({
  method: 'post',
  path: '/v1/site',
  when: { resource: 'assets' },
  summary: 'Upload a PNG, JPEG or WebP picture; the same picture has the same URL',
  auth: 'key',
  reach: 'account',
  capability: 'design.edit',
  query: z.strictObject({ resource: z.literal('assets') }),
  upload: { maxBytes: UPLOAD_MAX_BYTES, limitMs: UPLOAD_LIMIT_MS },
  returns: z.object({ url: z.url() }),
  refusals: ['body-too-large', 'body-too-slow', 'busy'],
  async answer({ actor: { accountId }, flow, upload, pictures }) {
    const { format, bytes, width, height } = await pictureOf(await upload())
    const image = createHash('sha256').update(`${accountId}\n`).update(bytes).digest('hex').slice(0, IMAGE_NAME_LENGTH)
    // The log says first that there may be such a picture: when there may not, nothing is kept of it.
    await flow.ledger.site.addImage(accountId, { image, format, bytes: bytes.length, width, height })
    await pictures.keep(accountId, image, bytes)
    return { url: `${flow.origins.base}${imagePath(image, format)}` }
  },
})

const show = endpoint({
  method: 'get',
  path: `${MEDIA_PATH}/:file`,
  summary: 'A picture of a storefront',
  auth: 'none',
  perAddress: true,
  ledgerOnly: true,
  params: z.object({ file: z.string() }),
  headers: z.object({ 'if-none-match': z.string().optional() }),
  produces: 'image/*',
  returns: z.string().meta({ format: 'binary' }),
  otherwise: { 304: { description: 'The picture that the caller has; it never changes' } },
  refusals: ['not-found'],
  async answer({ params, headers, pictures }) {
    const [, image, format] = /^([0-9a-f]{32})\.(png|jpg|webp)$/.exec(params.file) ?? []
    if (!image) return refuse('not-found', 'No such picture.')
    const etag = `"${image}"`
    if (headers['if-none-match'] === etag) return new Reply(304, '', { ETag: etag, ...lasting })
    const bytes = await pictures.bytesOf(image)
    if (!bytes) return refuse('not-found', 'No such picture.')
    return new Reply(200, bytes, {
      'Content-Type': types[format as keyof typeof types],
      ETag: etag,
      ...lasting,
      ...inert,
    })
  },
})

const lasting = { 'Cache-Control': 'public, max-age=31536000, immutable' }

/** Whoever opens it by itself gets a picture and nothing that runs. */
const inert = {
  'X-Content-Type-Options': 'nosniff',
  // Stores have hosts of their own, and sellers show their pictures elsewhere too.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Content-Security-Policy': "default-src 'none'; sandbox",
}

export const assetEndpoints = [upload, show]
