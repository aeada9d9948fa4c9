import { setBackchannel, setUris } from '../../../domain/use-cases/signin/change-app.ts'
import type { Books } from '../../books/books.ts'
import { openOperator } from '../../books/operator-use-cases.ts'
import type { Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { fields } from './fields.ts'
import { appOf } from './show.ts'

/** An option without a value empties the list. */
type Uris = readonly string[] | true

/** Sets where people may be sent back to, and tells it. */
export const redirects = async (
  books: Books,
  config: Config,
  out: Output,
  id: string,
  { set, postLogout }: { set?: Uris; postLogout?: Uris },
): Promise<void> => {
  const { flow } = await openOperator(books, config)
  await setUris(flow, id, { redirectUris: set && listed(set), postLogoutUris: postLogout && listed(postLogout) })
  const { redirectUris, postLogoutUris } = await appOf(flow, id)
  const told = { client_id: id, redirect_uris: redirectUris, post_logout_uris: postLogoutUris }
  await out.tell(told, fields(told))
}

/** Sets the endpoint of receipts and logout notifications. */
export const backchannel = async (
  books: Books,
  config: Config,
  out: Output,
  id: string,
  { url, none }: { url?: string; none?: boolean },
): Promise<void> => {
  if (url === undefined && !none) throw new BadSetting('--url or --none is needed')
  const { flow } = await openOperator(books, config)
  const secret = await setBackchannel(flow, id, url ?? null)
  const told = { client_id: id, backchannel: url ?? null, ...(secret !== null && { webhook_secret: secret }) }
  await out.tell(told, fields(told))
}

/** Ends an app for good. */
export const disable = async (
  books: Books,
  config: Config,
  out: Output,
  { id, yes }: { id: string; yes?: boolean },
): Promise<void> => {
  if (!yes) throw new BadSetting('disabling an app cannot be undone: say --yes if you mean it')
  const { flow } = await openOperator(books, config)
  await flow.ledger.clientApp.disable(id, {})
  await out.tell({ disabled: id }, `${id} is disabled`)
}

const listed = (uris: Uris): readonly string[] => (uris === true ? [] : uris)
