import type { Context } from 'koa'
import { koaBody } from 'koa-body'
import { BODY_MAX_BYTES } from './body.ts'

/** The text is kept as it came, so that duplicate keys and broken encodings can be seen before anything is made of it. */
const reader = koaBody({
  ...{ json: false, urlencoded: false, text: true, textLimit: BODY_MAX_BYTES },
  textTypes: ['application/json', 'application/x-www-form-urlencoded'],
})

/** Takes a body off the connection, once it is known who answers: what is refused here is refused in the words of that surface. */
export const receiveText = (ctx: Context): Promise<void> => reader(ctx, async () => {})
