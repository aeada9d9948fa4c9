import { z } from 'zod'
import { storeOf } from '../../../domain/account/stores.ts'
import { DEFAULT_STORE } from '../../../domain/kernel/in-store.ts'
import { openedText } from '../../../domain/kernel/opened-text.ts'
import { testConnection } from '../../../domain/use-cases/selling/webhooks/deliver-now.ts'
import { limit } from '../core/limits.ts'
import { mayName, StoreNumber } from '../core/stores.ts'
import { consoleFunction } from './console-function.ts'
import { optionalField } from './fields.ts'

/** The cloud API: a store's publishable token, and what can be tried out with it (M-CLD-01, M-CLD-04, N-61). */

const getCloudToken = consoleFunction(
  'get-cloud-token',
  {
    summary: 'The publishable token of a store, the default one unless another is named',
    auth: 'key',
    reach: 'store',
    callers: { capability: 'settings.view', sandbox: 'secret' },
    body: z.object({ store_id: optionalField(StoreNumber) }),
    returns: z.object({ cloud_token: z.string(), store_id: z.int() }),
    refusals: ['store-not-found'],
    async answer({ body, actor, flow }) {
      const store_id = body.store_id ?? actor.storeScope?.[0] ?? DEFAULT_STORE
      mayName(actor, store_id)
      const { cloudToken } = storeOf(await flow.ledger.stores.read(actor.accountId), store_id)
      return { cloud_token: cloudToken ? await openedText(flow.vault, cloudToken) : '(erased)', store_id }
    },
  },
  ['cloud'],
)

const connection = consoleFunction(
  'test-connection',
  {
    summary:
      'Send a signed test delivery to where a payment of the store is told, then one with a wrong signature; answers what the receiver said',
    auth: 'cloud',
    returns: z.object({
      http_status: z.int().nullable(),
      response_body: z.string(),
      signature_verified: z.boolean(),
      wrong_signature_refused: z.boolean().nullable(),
    }),
    refusals: ['no-webhook-url', 'rate-limited'],
    async answer({ actor: { accountId, storeId }, flow, signIn }) {
      await limit({ flow, signIn }, 'connection-test', accountId, String(storeId))
      // The URL and why it failed are not for everybody who has the token.
      const {
        outcome,
        signatureVerified,
        wrongSignatureRefused = null,
      } = await testConnection(flow, accountId, storeId)
      return {
        http_status: outcome?.status ?? null,
        response_body: outcome?.bodyHead ?? '',
        signature_verified: signatureVerified,
        wrong_signature_refused: wrongSignatureRefused,
      }
    },
  },
  ['cloud'],
)

export const cloudFunctions = [...getCloudToken, ...connection]
