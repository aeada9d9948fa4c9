import type { Context } from 'koa'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { refuseUnstorable } from '../../input/body.ts'
import { refuseStale } from '../core/csrf.ts'
import type { Endpoint } from '../core/endpoint.ts'
import { isUploadForm, readUpload, readUploadForm, type UploadedForm } from '../core/upload.ts'

/** Files that are sent, read once it is known who sends them. */

/** The one file that an operation takes. */
export const uploaded = (ctx: Context, { takes, path }: Endpoint): Promise<Buffer> => {
  if (!takes?.upload) throw new Error(`${path} declares no upload`)
  return readUpload(ctx.req, takes.upload)
}

/**
 * What a member sends with a file, whose token is looked at before anything else; undefined where an operation takes
 * none. Refuses `form-stale`.
 */
export const formOf = async (ctx: Context, { takes }: Endpoint, csrf: string): Promise<UploadedForm | undefined> => {
  if (!takes?.upload) return undefined
  const form = isUploadForm(ctx.req)
    ? await readUploadForm(ctx.req, { ...takes.upload, fields: true })
    : { fields: {}, file: undefined }
  refuseStale(form.fields, csrf)
  refuseUnstorable(form.fields)
  return form
}

export const fileIn = async ({ file }: UploadedForm): Promise<Buffer> =>
  file ?? refuse('invalid-request', 'file: has to be chosen')
