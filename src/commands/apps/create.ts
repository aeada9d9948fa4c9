import { registerApp } from '../../../domain/use-cases/signin/register-app.ts'
import type { Books } from '../../books/books.ts'
import { openOperator } from '../../books/operator-use-cases.ts'
import type { Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { fields } from './fields.ts'

export type NewApp = {
  name: string
  redirect: readonly string[]
  confidential?: boolean
  firstParty?: boolean
  backchannel?: string
  owner?: string
}

/** Registers an app and tells its id and its secrets. */
export const createApp = async (books: Books, config: Config, out: Output, wish: NewApp): Promise<void> => {
  const { flow } = await openOperator(books, config)
  const { clientId, clientSecret, creditPushKey, webhookSecret } = await registerApp(flow, {
    name: wish.name,
    owner: wish.owner ?? null,
    redirectUris: wish.redirect,
    confidential: wish.confidential ?? false,
    firstParty: wish.firstParty ?? false,
    backchannelUrl: wish.backchannel ?? null,
  })
  const told = {
    client_id: clientId,
    ...(clientSecret !== null && { client_secret: clientSecret }),
    ...(creditPushKey !== null && { credit_push_key: creditPushKey }),
    ...(webhookSecret !== null && { webhook_secret: webhookSecret }),
  }
  await out.tell(told, fields(told))
  out.remark('Secrets are shown this once. A redirect URI works once its domain is proven: daybook apps domains.')
}
