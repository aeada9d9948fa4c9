import { z } from 'zod'
import { endpoint } from '../../core/endpoint.ts'
import { recordOf } from '../../core/record-of.ts'

/** Credentials of connected services; shown in plain to whoever may edit settings (J-INT-01, X-MASK-01). */

const INTEGRATIONS_MAX = 50
const NAME_MAX = 64
const VALUE_MAX = 4_096
/** Characters of all names and values together, as JSON: they are one event, and stay in memory with their stream. */
const TOTAL_MAX_CHARS = 16_384

const Values = recordOf(z.string().min(1).max(NAME_MAX), z.string().max(VALUE_MAX), INTEGRATIONS_MAX)
const Shown = z.object({ integrations: Values })

const readIntegrations = endpoint({
  method: 'get',
  path: '/v1/integrations',
  summary: 'The credentials of connected services',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.edit' },
  returns: Shown,
  async answer({ actor, flow }) {
    const { values } = await flow.ledger.integrations.read(actor.accountId)
    const text = values && (await flow.vault.open(values))
    return { integrations: JSON.parse(text ?? '{}') as Record<string, string> }
  },
})

const setIntegrations = endpoint({
  method: 'put',
  path: '/v1/integrations',
  summary: 'Replace the credentials of connected services',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.edit' },
  body: z.object({
    integrations: Values.refine(
      (map) => JSON.stringify(map).length <= TOTAL_MAX_CHARS,
      `has to have at most ${TOTAL_MAX_CHARS} characters in all`,
    ),
  }),
  returns: Shown,
  refusals: ['not-found'],
  async answer({ body: { integrations }, actor: { accountId }, flow }) {
    const text = JSON.stringify(integrations)
    const fingerprint = flow.vault.fingerprint('integrations', `${accountId} ${text}`)
    await flow.ledger.integrations.set(accountId, { values: await flow.vault.seal(accountId, text), fingerprint })
    return { integrations }
  },
})

export const integrationEndpoints = [readIntegrations, setIntegrations]
