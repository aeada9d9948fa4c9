import { createHash } from 'node:crypto'
import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { LAYOUTS, THEMES } from '../../../../domain/storefront/looks.ts'
import { templateOf } from '../../../../domain/storefront/site.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Pictures } from '../../../postgres/pictures.ts'
import { layouts } from '../../../storefront/layouts.ts'
import { IMAGE_NAME_LENGTH, imagePath, MEDIA_PATH, ownImageOf } from '../../../storefront/own-images.ts'
import { pictureOf } from '../../../storefront/picture.ts'
import { styleVars, themes } from '../../../storefront/themes.ts'
import { endpoint, Reply } from '../../core/endpoint.ts'
import {
  looksGiven,
  NewTemplate,
  SiteChange,
  SiteShown,
  Template,
  TemplateChange,
  templateShown,
} from './site-shape.ts'

/** Pictures of a storefront (S-SITE-07, N-49). */

export const UPLOAD_MAX_BYTES = 2 * 1_024 * 1_024
export const UPLOAD_LIMIT_MS = 15_000

const types = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' } as const

const upload = endpoint({
  method: 'post',
  path: '/v1/site',
  when: { resource: 'assets' },
  summary: 'Upload a PNG, JPEG or WebP picture; the same picture has the same URL',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'design.edit' },
  query: z.strictObject({ resource: z.literal('assets') }),
  takes: { upload: { maxBytes: UPLOAD_MAX_BYTES, limitMs: UPLOAD_LIMIT_MS } },
  returns: z.object({ url: z.url() }),
  refusals: ['body-too-large', 'body-too-slow', 'busy'],
  async answer({ actor: { accountId }, flow, upload, pictures }) {
    return { url: `${flow.origins.base}${await keepPicture({ flow, pictures }, accountId, await upload())}` }
  },
})

/** Keeps what was uploaded, made anew. @returns its path. Refuses as `pictureOf` and the ledger do. */
export const keepPicture = async (
  { flow, pictures }: { readonly flow: Pick<UseCaseContext, 'ledger'>; readonly pictures: Pick<Pictures, 'keep'> },
  accountId: string,
  file: Buffer,
): Promise<string> => {
  const { format, bytes, width, height } = await pictureOf(file)
  const image = createHash('sha256').update(`${accountId}\n`).update(bytes).digest('hex').slice(0, IMAGE_NAME_LENGTH)
  // The picture is entered in the log first: when the ledger refuses it, nothing of it is kept.
  await flow.ledger.site.addImage(accountId, { image, format, bytes: bytes.length, width, height })
  await pictures.keep(accountId, image, bytes)
  return imagePath(image, format)
}

const show = endpoint({
  method: 'get',
  path: `${MEDIA_PATH}/:file`,
  summary: 'A picture of a storefront',
  auth: 'none',
  limits: { keyless: true },
  waits: 'after',
  params: z.object({ file: z.string() }),
  headers: z.object({ 'if-none-match': z.string().optional() }),
  produces: 'image/*',
  returns: z.string().meta({ format: 'binary' }),
  otherwise: { 304: { description: 'The picture that the caller has; it never changes' } },
  refusals: ['not-found'],
  async answer({ params, headers, pictures }) {
    const [, image, format] = /^([0-9a-f]{32})\.(png|jpg|webp)$/.exec(params.file) ?? []
    if (!image)
      return refuse(
        'not-found',
        'There is no such picture: it was deleted, or its address is not whole. Copy the address again.',
      )
    const etag = `"${image}"`
    if (headers['if-none-match'] === etag) return new Reply(304, '', { ETag: etag, ...lasting })
    const bytes = await pictures.bytesOf(image)
    if (!bytes)
      return refuse(
        'not-found',
        'There is no such picture: it was deleted, or its address is not whole. Copy the address again.',
      )
    return new Reply(200, bytes, {
      'Content-Type': types[format as keyof typeof types],
      ETag: etag,
      ...lasting,
      ...inert,
    })
  },
})

const lasting = { 'Cache-Control': 'public, max-age=31536000, immutable' }

/** Headers with which a picture that is opened by itself is only a picture: nothing in it runs. */
const inert = {
  'X-Content-Type-Options': 'nosniff',
  // Stores have hosts of their own, and sellers show their pictures elsewhere too.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Content-Security-Policy': "default-src 'none'; sandbox",
}

const assetEndpoints = [upload, show]

/** The storefront of an account and its templates (S-SITE-01 to S-SITE-09). */

const PATH = '/v1/site'
const Nothing = z.strictObject({})
const Templates = z.strictObject({ resource: z.literal('templates') })
const OneTemplate = Templates.extend({
  id: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'has to be the number of a template')
    .transform(Number),
})
const Saved = z.object({ saved: z.literal(true) })

const readSite = endpoint({
  method: 'get',
  path: PATH,
  summary: 'The storefront as it is, and the themes and layouts to choose from',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'landers.view', sandbox: 'secret' },
  query: Nothing,
  returns: z.object({ site: SiteShown }),
  async answer({ actor: { accountId }, flow: { ledger } }) {
    const [site, { branding }] = await Promise.all([ledger.site.read(accountId), ledger.settings.read(accountId)])
    return {
      site: {
        values: site.chrome,
        template: site.template,
        themes: THEMES.map((name) => ({ name, says: themes[name].says })),
        layouts: LAYOUTS.map((name) => ({ name, says: layouts[name].says })),
        layout: site.layout,
        style_vars: styleVars(site.theme, branding),
      },
    }
  },
})

const listTemplates = endpoint({
  method: 'get',
  path: PATH,
  when: { resource: 'templates' },
  summary: 'The templates of the account, oldest first',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'landers.view', sandbox: 'secret' },
  query: Templates,
  returns: z.object({ templates: z.array(Template) }),
  async answer({ actor, flow }) {
    const { templates } = await flow.ledger.site.read(actor.accountId)
    return { templates: Object.values(templates).map(templateShown) }
  },
})

const readTemplate = endpoint({
  method: 'get',
  path: PATH,
  when: { resource: 'templates', id: true },
  summary: 'One template',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'landers.view', sandbox: 'secret' },
  query: OneTemplate,
  returns: z.object({ template: Template }),
  refusals: ['not-found'],
  answer: async ({ actor, flow, query }) => ({
    template: templateShown(templateOf(await flow.ledger.site.read(actor.accountId), query.id)),
  }),
})

const changeSite = endpoint({
  method: 'put',
  path: PATH,
  summary: 'Change what the storefront shows; a member that is given is replaced whole',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'design.edit' },
  query: Nothing,
  body: SiteChange,
  returns: Saved,
  async answer({ actor: { accountId }, flow, body }) {
    const { images } = await flow.ledger.site.read(accountId)
    await flow.ledger.site.change(accountId, looksGiven(body, ownImageOf(images)))
    return { saved: true as const }
  },
})

const createTemplate = endpoint({
  method: 'post',
  path: PATH,
  when: { resource: 'templates' },
  summary: 'Make a template',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'design.edit' },
  query: Templates,
  body: NewTemplate,
  returns: Saved.extend({ id: z.int() }),
  async answer({ actor: { accountId }, flow, body }) {
    const { name, base_template: baseTemplate, base_theme: baseTheme, css } = body
    const { images } = await flow.ledger.site.read(accountId)
    const { chrome = {}, layout = baseTemplate } = looksGiven(body, ownImageOf(images))
    const template = { name, baseTemplate, baseTheme, chrome, css, layout }
    const { state } = await flow.ledger.site.createTemplate(accountId, template)
    return { id: state.last, saved: true as const }
  },
})

const changeTemplate = endpoint({
  method: 'put',
  path: PATH,
  when: { resource: 'templates', id: true },
  summary: 'Change a template; the storefront shows it once it is applied again',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'design.edit' },
  query: OneTemplate,
  body: TemplateChange,
  returns: Saved,
  refusals: ['not-found'],
  async answer({ actor: { accountId }, flow, query: { id }, body }) {
    const { images } = await flow.ledger.site.read(accountId)
    const { chrome = {}, layout } = looksGiven(body, ownImageOf(images))
    await flow.ledger.site.changeTemplate(accountId, { id, chrome, css: body.css, layout })
    return { saved: true as const }
  },
})

const applyTemplate = endpoint({
  method: 'post',
  path: PATH,
  when: { resource: 'templates', action: 'apply', id: true },
  summary: 'Make the storefront look like a template',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'design.edit' },
  query: OneTemplate.extend({ action: z.literal('apply') }),
  body: Nothing,
  returns: z.object({ applied: z.literal(true) }),
  refusals: ['not-found'],
  async answer({ actor, flow, query: { id } }) {
    await flow.ledger.site.applyTemplate(actor.accountId, { id })
    return { applied: true as const }
  },
})

const deleteTemplate = endpoint({
  method: 'delete',
  path: PATH,
  when: { resource: 'templates', id: true },
  summary: 'Delete a template; a storefront that looks like it stays as it is',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'design.edit' },
  query: OneTemplate,
  returns: z.object({ deleted: z.literal(true) }),
  refusals: ['not-found'],
  async answer({ actor, flow, query: { id } }) {
    await flow.ledger.site.deleteTemplate(actor.accountId, { id })
    return { deleted: true as const }
  },
})

export const siteEndpoints = [
  readSite,
  listTemplates,
  readTemplate,
  changeSite,
  createTemplate,
  changeTemplate,
  applyTemplate,
  deleteTemplate,
  ...assetEndpoints,
]
