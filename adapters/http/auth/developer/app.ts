import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import {
  dropSigningSecret,
  rotateSecret,
  type SecretKind,
  setBackchannel,
  setUris,
} from '../../../../domain/use-cases/signin/change-app.ts'
import { checkDomain, claimDomain } from '../../../../domain/use-cases/signin/check-domain.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { appPage } from '../../pages/developer/app.ts'
import { appPath, secretsPage } from '../../pages/developer/apps.ts'
import { seeOther } from '../../pages/people-page.ts'
import { doneOf } from '../people/of-people.ts'
import { ClientId, faultOf, linesOf, ofOwners, ownApp } from './own-app.ts'

/** One app of the user's, and everything that they change about it. */

const common = { ...ofOwners, path: '/account/developer/app' } as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'An app of the user',
  query: z.object({ client_id: ClientId, done: z.string().max(20).optional() }),
  async answer({ query, flow, actor }) {
    const app = await ownApp(flow, query.client_id, actor.sub)
    const said = doneOf(DONE, query.done)
    return appPage({ csrf: actor.csrf, clientId: query.client_id, app, rules: flow, done: said })
  },
})

const DONE: Readonly<Record<string, string>> = {
  saved: 'Saved.',
  claimed: 'The domain is added. Set the record below, then have it looked for.',
  proven: 'The record is there: the domain is proven.',
  released: 'The domain is removed.',
  unsigned: 'Receipts are not signed any more.',
}

const text = z.string().max(50_000).default('')
const Change = z.object({
  csrf: z.string().max(100),
  act: z.enum([
    ...(['claim', 'verify', 'release', 'uris', 'backchannel', 'unsign', 'disable'] as const),
    ...(['client-secret', 'credit-push-key', 'webhook-secret'] as const),
  ]),
  domain: z.string().max(300).default(''),
  uris: text,
  post_logout: text,
  url: z.string().max(2_100).default(''),
  sure: z.literal('1').optional(),
})

const change = endpoint({
  ...common,
  method: 'post',
  summary: 'Changes an app of the user',
  query: z.object({ client_id: ClientId, done: z.string().max(20).optional() }),
  body: Change,
  async answer({ query, body, flow, actor }) {
    const clientId = query.client_id
    await ownApp(flow, clientId, actor.sub)
    try {
      return await changed({ flow, csrf: actor.csrf, clientId }, body)
    } catch (error) {
      const said = faultOf(error)
      const app = await ownApp(flow, clientId, actor.sub)
      return appPage({ csrf: actor.csrf, clientId, app, rules: flow, error: said })
    }
  },
})

export const appEndpoints = [look, change]

type App = { readonly flow: UseCaseContext; readonly csrf: string; readonly clientId: string }
type Wish = z.output<typeof Change>

const changed = async (app: App, wish: Wish): Promise<Reply> => {
  const { flow, clientId } = app
  const domain = wish.domain.trim().toLowerCase()
  const done = (what: string) => seeOther(`${appPath(clientId)}&done=${what}`)
  switch (wish.act) {
    case 'claim':
      await claimDomain(flow, clientId, domain)
      return done('claimed')
    case 'verify':
      await verify(app, domain)
      return done('proven')
    case 'release':
      await flow.ledger.clientApp.releaseDomain(clientId, { domain })
      return done('released')
    case 'uris':
      await setUris(flow, clientId, { redirectUris: linesOf(wish.uris), postLogoutUris: linesOf(wish.post_logout) })
      return done('saved')
    case 'backchannel':
      return await saveBackchannel(app, wish.url.trim())
    case 'unsign':
      await dropSigningSecret(flow, clientId)
      return done('unsigned')
    case 'disable':
      if (!wish.sure) return refuse('invalid-request', 'Tick the box if you mean it.')
      await flow.ledger.clientApp.disable(clientId, {})
      return seeOther('/account/developer')
    default:
      return await replace(app, wish.act)
  }
}

const verify = async ({ flow, clientId }: App, domain: string): Promise<void> => {
  const { found, record } = await checkDomain(flow, clientId, domain)
  if (found === 'unclear')
    refuse('invalid-request', `The name servers of ${domain} gave no answer, so nothing has changed. Try again later.`)
  if (found === 'no-proof')
    refuse(
      'invalid-request',
      `There is no TXT record ${record.name} with that value yet. New records may take a while to show: try again later.`,
    )
}

const saveBackchannel = async (app: App, url: string): Promise<Reply> => {
  const secret = await setBackchannel(app.flow, app.clientId, url || null)
  return secret === null ? seeOther(`${appPath(app.clientId)}&done=saved`) : shown(app, 'webhook-secret', secret)
}

const replace = async (app: App, kind: SecretKind): Promise<Reply> =>
  shown(app, kind, (await rotateSecret(app.flow, app.clientId, kind)).secret)

const LABELS: Readonly<Record<SecretKind, string>> = {
  'client-secret': 'Client secret',
  'credit-push-key': 'Credit push key',
  'webhook-secret': 'Secret that signs receipts',
}

const shown = ({ csrf, clientId }: App, kind: SecretKind, value: string): Reply =>
  secretsPage({ csrf, clientId, title: 'A new secret', secrets: [{ label: LABELS[kind], value }] })
