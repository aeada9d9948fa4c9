import type { ClientApp } from '../../../domain/signin/client-app.ts'
import { isLive, isLivePostLogout } from '../../../domain/signin/redirect-uris.ts'
import type { Books } from '../../books/books.ts'
import { type Operator, openOperator } from '../../books/operator-use-cases.ts'
import { CommandFailure } from '../../console/failures.ts'
import { columns, type Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'

/** The most apps that are shown at once. */
const APPS_MAX = 1_000

/** Lists all apps, as the log has them now. */
export const listApps = async (books: Books, config: Config, out: Output): Promise<void> => {
  const { flow, ids } = await openOperator(books, config)
  const known = await ids('client_apps', 'ClientAppRegistered', async (queries) =>
    (await queries.clientApps(APPS_MAX)).map(({ clientId }) => clientId),
  )
  const told = []
  for (const id of known) {
    const app = await flow.ledger.clientApp.read(id)
    if (app.status !== 'none') told.push(summary(id, app))
  }
  const rows = told.map(({ client_id, name, kind, status, owner }) => [client_id, name, kind, status, owner ?? '–'])
  await out.tell(told, columns([['Client id', 'Name', 'Kind', 'Status', 'Owner'], ...rows]))
}

/** Shows one app without its secrets. */
export const showApp = async (books: Books, config: Config, out: Output, id: string): Promise<void> => {
  const { flow } = await openOperator(books, config)
  const app = await appOf(flow, id)
  const uris = (list: readonly string[], live: (uri: string) => boolean) =>
    list.map((uri) => ({ uri, live: live(uri) }))
  const told = {
    ...summary(id, app),
    redirect_uris: uris(app.redirectUris, (uri) => isLive(uri, app, flow)),
    post_logout_uris: uris(app.postLogoutUris, (uri) => isLivePostLogout(uri, app, flow)),
    backchannel: app.backchannelUrl,
    receipts_signed: app.signingSecret !== null,
    domains: Object.entries(app.domains).map(([domain, { status }]) => ({ domain, status })),
  }
  const lines = (list: typeof told.redirect_uris) => list.map(({ uri, live }) => `${uri}${live ? '' : ' (not alive)'}`)
  await out.tell(
    told,
    fields({
      ...told,
      redirect_uris: lines(told.redirect_uris),
      post_logout_uris: lines(told.post_logout_uris),
      domains: told.domains.map(({ domain, status }) => `${domain} ${status}`),
    }),
  )
}

/** Fails when there is no such app; one that is disabled is there. */
export const appOf = async ({ ledger }: Pick<Operator['flow'], 'ledger'>, id: string): Promise<ClientApp> => {
  const app = await ledger.clientApp.read(id)
  if (app.status === 'none') throw new CommandFailure(`there is no app ${id}`)
  return app
}

const summary = (id: string, { name, confidential, firstParty, development, status, owner }: ClientApp) => ({
  client_id: id,
  name,
  kind: confidential ? 'confidential' : 'public',
  first_party: firstParty,
  development: development ?? false,
  status,
  owner,
})

/** Names and values below each other; a list has its items below each other. */
export const fields = (values: Readonly<Record<string, unknown>>): string =>
  columns(
    Object.entries(values).flatMap(([name, value]) =>
      Array.isArray(value) && value.length > 0
        ? value.map((item, i) => [i === 0 ? name : '', String(item)])
        : [[name, Array.isArray(value) || value === null ? '–' : String(value)]],
    ),
  )
