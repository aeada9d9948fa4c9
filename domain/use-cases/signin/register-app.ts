import { refuse } from '../../kernel/refusal.ts'
import { redirectUriFault } from '../../signin/redirect-uris.ts'
import type { UseCaseContext } from '../context.ts'

export type AppWish = {
  name: string
  /** The user who owns the app; null for an app of the operator. */
  owner: string | null
  confidential: boolean
  firstParty: boolean
  /** An app in development, whose users may be sent back to their own machine. Refused in production. */
  development?: boolean | undefined
  redirectUris: readonly string[]
  backchannelUrl: string | null
}

/** The id and the secrets of an app; the secrets are shown once, and never again. */
export type AppSecrets = {
  clientId: string
  clientSecret: string | null
  creditPushKey: string | null
  webhookSecret: string | null
}

/** What changing an app needs, so that the command line can do it too. */
export type AppFlow = Pick<UseCaseContext, 'ledger' | 'world' | 'vault' | 'outbound' | 'developmentApps'>

const NAME_MAX = 100

/**
 * Registers an app (N-59). A confidential one gets a secret and a credit push key; one with a back-channel endpoint a
 * secret that its receipts are signed with. Refuses `redirect-uri-refused`, `webhook-url-refused`, `invalid-request`,
 * and `state-forbids` for an app in development in production.
 */
export const registerApp = async (flow: AppFlow, wish: AppWish): Promise<AppSecrets> => {
  const { ledger, world, vault } = flow
  const { name, backchannelUrl, confidential, development = false, ...rest } = wish
  if (name.trim() === '' || name.length > NAME_MAX)
    refuse('invalid-request', `name: has to have 1 to ${NAME_MAX} characters`)
  if (development && !flow.developmentApps) refuse('state-forbids', 'apps in development are not taken in production')
  if (development && wish.firstParty)
    refuse('invalid-request', 'An app in development has to ask for consent, and so cannot be a first-party one.')
  refuseUris(wish)
  refuseBackchannel(flow, backchannelUrl)
  const clientId = world.id('app')
  const clientSecret = confidential ? newClientSecret(flow) : null
  const creditPushKey = confidential ? newCreditPushKey(flow) : null
  const webhookSecret = backchannelUrl === null ? null : newSigningSecret(flow)
  await ledger.clientApp.register(clientId, {
    ...rest,
    name: name.trim(),
    confidential,
    ...(development && { development: true as const }),
    backchannelUrl,
    secretHash: clientSecret && world.digest(clientSecret),
    creditPushKeyHash: creditPushKey && world.digest(creditPushKey),
    signingSecret: webhookSecret && (await vault.seal(clientId, webhookSecret)),
  })
  return { clientId, clientSecret, creditPushKey, webhookSecret }
}

/** Secrets of 256 bits each, so that a plain hash of them is enough at rest. */
export const newClientSecret = ({ world }: Pick<UseCaseContext, 'world'>): string => `cs_${world.secret(32)}`
export const newCreditPushKey = ({ world }: Pick<UseCaseContext, 'world'>): string => `cpk_${world.secret(32)}`
export const newSigningSecret = ({ world }: Pick<UseCaseContext, 'world'>): string => `whsec_${world.secret(32)}`

/** Refuses `redirect-uri-refused` with what is wrong. */
export const refuseUris = ({
  redirectUris,
  confidential,
  development,
}: Pick<AppWish, 'redirectUris' | 'confidential' | 'development'>): void => {
  for (const uri of redirectUris) {
    const fault = redirectUriFault(uri, { confidential, ...(development && { development: true }) })
    if (fault !== undefined) refuse('redirect-uri-refused', `Each redirect URI ${fault}.`)
  }
}

/** Refuses `webhook-url-refused`. */
export const refuseBackchannel = ({ outbound }: Pick<UseCaseContext, 'outbound'>, url: string | null): void => {
  const fault = url === null ? undefined : outbound.refusal(url)
  if (fault !== undefined)
    refuse(
      'webhook-url-refused',
      `The address for notifications may not be called: ${fault}. Use an https URL of a public host.`,
    )
}
