import { proofRecord } from '../../../domain/signin/domain-proof.ts'
import {
  dropSigningSecret,
  rotateSecret,
  type SecretKind,
  setBackchannel,
  setUris,
} from '../../../domain/use-cases/signin/change-app.ts'
import { checkDomain, claimDomain } from '../../../domain/use-cases/signin/check-domain.ts'
import { registerApp } from '../../../domain/use-cases/signin/register-app.ts'
import type { Books } from '../../books/books.ts'
import { type Operator, openOperator } from '../../books/operator-use-cases.ts'
import { CommandFailure } from '../../console/failures.ts'
import { columns, type Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { appOf, fields } from './show.ts'

type NewApp = {
  name: string
  redirect: readonly string[]
  confidential?: boolean
  firstParty?: boolean
  development?: boolean
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
    development: wish.development,
    backchannelUrl: wish.backchannel ?? null,
  })
  const told = {
    client_id: clientId,
    ...(clientSecret !== null && { client_secret: clientSecret }),
    ...(creditPushKey !== null && { credit_push_key: creditPushKey }),
    ...(webhookSecret !== null && { webhook_secret: webhookSecret }),
  }
  await out.tell(told, fields(told))
  const local = wish.development ? 'One on this machine works at once. ' : ''
  out.remark(
    `Secrets are shown this once. A redirect URI works once its domain is proven: daybook apps domains. ${local}`.trim(),
  )
}

type Rotation = { secret?: boolean; creditPushKey?: boolean; webhookSecret?: boolean }

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

type Wish = { id: string; act?: string | undefined; domain?: string | undefined }

/** Shows an app's domains, adds one, looks for its record now, or lets it go. False when the record is not there. */
export const domains = async (
  books: Books,
  config: Config,
  out: Output,
  { id, act, domain }: Wish,
): Promise<boolean> => {
  if (act !== undefined && !ACTS.includes(act)) throw new BadSetting(`${act} is none of ${ACTS.join(', ')}`)
  if (act !== undefined && domain === undefined) throw new BadSetting(`which domain to ${act} is needed`)
  const { flow } = await openOperator(books, config)
  const name = domain?.toLowerCase() ?? ''
  if (act === 'add') await claimDomain(flow, id, name)
  if (act === 'release') await flow.ledger.clientApp.releaseDomain(id, { domain: name })
  const proven = act === 'verify' ? await verify(flow, id, name) : true
  const told = Object.entries((await appOf(flow, id)).domains).map(([each, { status, token }]) => ({
    domain: each,
    status,
    record: { type: 'TXT', ...proofRecord(each, token) },
  }))
  const rows = told.map(({ domain: each, status, record }) => [each, status, record.name, record.value])
  await out.tell(told, columns([['Domain', 'Status', 'TXT record', 'Value'], ...rows]))
  return proven
}

const ACTS: readonly string[] = ['add', 'verify', 'release']

const verify = async (flow: Operator['flow'], id: string, domain: string): Promise<boolean> => {
  const { found, reason } = await checkDomain(flow, id, domain)
  if (found === 'unclear') throw new CommandFailure(`the name servers gave no answer (${reason}): nothing has changed`)
  return found === 'proof'
}
