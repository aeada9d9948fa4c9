import { dropSigningSecret, rotateSecret, type SecretKind } from '../../../domain/use-cases/signin/change-app.ts'
import type { Books } from '../../books/books.ts'
import { openOperator } from '../../books/operator-use-cases.ts'
import type { Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { fields } from './fields.ts'

export type Rotation = { secret?: boolean; creditPushKey?: boolean; webhookSecret?: boolean }

/** Makes a new secret of one kind and tells it; or has receipts sent unsigned. */
export const rotate = async (books: Books, config: Config, out: Output, id: string, wish: Rotation): Promise<void> => {
  const asked = Object.entries(NAMES).filter(([option]) => wish[option as keyof Rotation] !== undefined)
  const [chosen] = asked
  if (!chosen || asked.length > 1)
    throw new BadSetting('one of --secret, --credit-push-key, --webhook-secret and --no-webhook-secret is needed')
  const { flow } = await openOperator(books, config)
  if (wish.webhookSecret === false) {
    await dropSigningSecret(flow, id)
    await out.tell({ client_id: id, webhook_secret: null }, `receipts to ${id} are not signed any more`)
    return
  }
  const [kind, name] = chosen[1]
  const { secret, previousUntil } = await rotateSecret(flow, id, kind)
  const told = { client_id: id, [name]: secret, ...(previousUntil !== null && { previous_until: previousUntil }) }
  await out.tell(told, fields(told))
}

const NAMES: Readonly<Record<keyof Rotation, readonly [SecretKind, string]>> = {
  secret: ['client-secret', 'client_secret'],
  creditPushKey: ['credit-push-key', 'credit_push_key'],
  webhookSecret: ['webhook-secret', 'webhook_secret'],
}
