import { z } from 'zod'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { signUp } from '../../../../domain/use-cases/account/sign-up.ts'
import type { AccountRow } from '../../../../projections/account/accounts.ts'
import type { Queries } from '../../../../projections/index.ts'
import { type Actor, endpoint } from '../../core/endpoint.ts'
import { networkName } from '../../core/network-of.ts'
import { fiatNumber } from '../common/amounts.ts'
import { saveUrl, WebhookUrlOrNone } from '../common/webhooks.ts'

const PASSWORD_MIN = 8
/** A longer password would be no safer, and would only keep the hash busy. */
const PASSWORD_MAX = 256
/** Characters are what a person sees, so four emoji are four and not the eight halves that JavaScript counts. */
export const Password = z
  .string()
  .min(PASSWORD_MIN)
  .max(PASSWORD_MAX)
  .refine((text) => [...text].length >= PASSWORD_MIN, `has to have at least ${PASSWORD_MIN} characters`)

export const Email = z.email().max(254)

const signup = endpoint({
  method: 'post',
  path: '/v1/signup',
  summary: 'Sign up; the owner key is shown once',
  auth: 'none',
  limits: { address: 'signUp' },
  body: z.object({
    email: Email,
    password: Password,
    primary_wallet: z.string().max(200).optional(),
    agreed_to_terms: z.boolean().optional(),
  }),
  returns: z.object({ api_key: z.string(), activated: z.literal(false), next: z.string() }).meta({ id: 'SignedUp' }),
  refusals: ['terms-not-agreed', 'busy'],
  async answer({ body, flow, ip }) {
    if (body.agreed_to_terms === false) return refuse('terms-not-agreed', 'The terms have to be agreed to.')
    const { apiKey } = await signUp(flow, {
      email: body.email,
      password: body.password,
      primaryWallet: body.primary_wallet ?? null,
      termsAgreed: body.agreed_to_terms === true ? 'explicit' : 'by-omission',
      network: networkName(ip),
    })
    const next = 'Keep this key: it is not shown again. Follow the link in the mail to activate the account.'
    return { api_key: apiKey, activated: false as const, next }
  },
})

const Snapshot = z
  .object({
    email: z.string(),
    activated: z.boolean(),
    primary_wallet: z.string().nullable(),
    credit_balance: z.number(),
    webhook_url: z.string(),
    wallets: z.record(z.string(), z.string()),
    settlements_count: z.int(),
    total_earned: z.number(),
    test: z.literal(true).optional(),
  })
  .meta({ id: 'AccountSnapshot', description: 'The account at a glance; money is in US dollars.' })

const snapshotAt = (path: string) =>
  endpoint({
    method: 'get',
    path,
    summary: 'The account at a glance',
    auth: 'key',
    reach: 'account',
    callers: { capability: 'settings.view', sandbox: 'secret' },
    returns: Snapshot,
    refusals: ['not-activated'],
    async answer({ actor, flow, queries }) {
      const account = await activated(actor, queries)
      const wallets = await queries.wallets(actor.accountId)
      return {
        email: await openedText(flow.vault, account.email),
        activated: account.activated,
        primary_wallet: account.primaryWallet,
        wallets: Object.fromEntries(wallets.filter((w) => w.active).map((w) => [w.asset, w.addresses.join(',')])),
        ...(actor.testOnly ? ofTests(account) : ofMoney(account)),
      }
    },
  })

const setAgentWebhook = endpoint({
  method: 'post',
  path: '/v1/agent',
  summary: 'Set the webhook of payments for resources, or remove it by "" or null; a first secret is shown once',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.edit' },
  body: z.object({ webhook_url: WebhookUrlOrNone }),
  returns: z.object({ webhook_url: z.string(), secret: z.string().optional() }),
  refusals: ['webhook-url-refused'],
  async answer({ body: { webhook_url }, actor, flow }) {
    const secret = await saveUrl(flow, actor.accountId, 'agent', webhook_url)
    return { webhook_url, ...(secret !== undefined && { secret }) }
  },
})

const ofMoney = (account: AccountRow) => ({
  credit_balance: fiatNumber(account.credit),
  webhook_url: account.agentUrl ?? '',
  settlements_count: account.settlementsCount,
  total_earned: fiatNumber(account.totalUsd),
})

/** What a sandbox key is told: its tests earn nothing and cost nothing, and webhooks are for live keys. */
const ofTests = ({ testCount }: AccountRow) => ({
  credit_balance: 0,
  webhook_url: '',
  settlements_count: testCount,
  total_earned: 0,
  test: true as const,
})

/** The gate of Q-05: only the snapshot asks for an activated account. */
const activated = async (actor: Actor, queries: Queries): Promise<AccountRow> => {
  const account = await queries.account(actor.accountId)
  if (account?.activated) return account
  return refuse('not-activated', 'Agent not activated: follow the link in the letter that was sent at sign-up.')
}

export const accountEndpoints = [
  signup,
  ...['/v1/agent', '/v1/me', '/v1/account', '/v1/account-info'].map(snapshotAt),
  setAgentWebhook,
]
