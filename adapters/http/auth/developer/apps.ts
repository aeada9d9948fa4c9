import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { type AppSecrets, registerApp } from '../../../../domain/use-cases/signin/register-app.ts'
import { endpoint } from '../../core/endpoint.ts'
import { appsPage, newAppPage, secretsPage } from '../../pages/developer/apps.ts'
import { faultOf, linesOf, ofOwners } from './own-app.ts'

/** Apps of one user that are active at once. */
const APPS_MAX = 50

const list = endpoint({
  ...ofOwners,
  path: '/account/developer',
  method: 'get',
  summary: 'The apps that the user has registered',
  async answer({ queries, actor }) {
    return appsPage({ csrf: actor.csrf, apps: await queries.clientAppsOwnedBy(actor.sub, APPS_MAX) })
  },
})

const form = endpoint({
  ...ofOwners,
  path: '/account/developer/new',
  method: 'get',
  summary: 'The page that registers an app',
  async answer({ actor, flow }) {
    const wish = { name: '', uris: '', kind: 'confidential', url: '' } as const
    return newAppPage({ csrf: actor.csrf, wish, mayDevelop: flow.developmentApps })
  },
})

const register = endpoint({
  ...ofOwners,
  path: '/account/developer/new',
  method: 'post',
  summary: 'Registers an app and shows its secrets once',
  body: z.object({
    csrf: z.string().max(100),
    name: z.string().max(200),
    kind: z.enum(['public', 'confidential']),
    development: z.literal('1').optional(),
    uris: z.string().max(50_000).default(''),
    url: z.string().max(2_100).default(''),
  }),
  async answer({ body, flow, queries, actor }) {
    const { csrf } = actor
    try {
      if ((await queries.clientAppsOwnedBy(actor.sub, APPS_MAX)).length >= APPS_MAX)
        return refuse('state-forbids', `You have ${APPS_MAX} apps, which is the most there can be. End one first.`)
      const made = await registerApp(flow, {
        name: body.name,
        owner: actor.sub,
        confidential: body.kind === 'confidential',
        firstParty: false,
        development: body.development !== undefined,
        redirectUris: linesOf(body.uris),
        backchannelUrl: body.url.trim() || null,
      })
      return secretsPage({
        csrf,
        clientId: made.clientId,
        title: `${body.name.trim()} is registered`,
        secrets: shown(made),
        hint: body.development
          ? 'Redirect URIs on your own machine work at once, others once their domain is proven to be yours.'
          : 'Redirect URIs work once their domain is proven to be yours. That comes next.',
      })
    } catch (error) {
      return newAppPage({ csrf, wish: body, mayDevelop: flow.developmentApps, error: faultOf(error) })
    }
  },
})

export const appsEndpoints = [list, form, register]

const shown = ({ clientSecret, creditPushKey, webhookSecret }: AppSecrets) =>
  [
    { label: 'Client secret', value: clientSecret },
    { label: 'Credit push key', value: creditPushKey },
    { label: 'Secret that signs receipts', value: webhookSecret },
  ].flatMap(({ label, value }) => (value === null ? [] : [{ label, value }]))
