import { z } from 'zod'
import type { CustomToken } from '../../../../domain/account/custom-tokens.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Queries } from '../../../../projections/index.ts'
import { endpoint } from '../../core/endpoint.ts'
import { HttpsUrl } from '../../core/https-url.ts'

/** Tokens of a seller's own (document 1, Custom tokens). Their receive addresses are set with the wallets. */

const DECIMALS_MAX = 36
const CONFIRMATIONS_MAX = 200
const NAME_MAX = 100
const CONTRACT_MAX = 90
const RATE_URL_MAX = 512

const Token = z
  .object({
    code: z.string(),
    type: z.string(),
    network: z.string(),
    name: z.string(),
    contract_address: z.string(),
    decimals: z.int(),
  })
  .meta({ id: 'CustomToken', description: 'A token that the account can be paid in beside the built-in coins.' })

export const CustomTokens = z.object({ custom_tokens: z.array(Token) })

export const NewToken = z.object({
  type: z
    .string()
    .max(40)
    .meta({ examples: ['erc-20', 'base-20', 'trc-20', 'spl', 'ton-jetton'] }),
  code: z.string().regex(/^[A-Za-z0-9_]{1,32}$/, 'has to be one to 32 letters, digits or underscores'),
  contract_address: z.string().min(1).max(CONTRACT_MAX),
  decimals: z.int().min(0).max(DECIMALS_MAX),
  name: z.string().min(1).max(NAME_MAX),
  rate: z
    .string()
    .regex(/^\d{1,15}(\.\d{1,12})?$/, 'has to be a decimal with at most 15 digits before the point and 12 after it')
    .regex(/[1-9]/, 'has to be above zero')
    .optional(),
  rate_url: z.string().min(1).max(RATE_URL_MAX).optional(),
  confirmations: z.int().min(0).max(CONFIRMATIONS_MAX).optional(),
  img: HttpsUrl.optional(),
})

const listTokens = endpoint({
  method: 'get',
  path: '/v1/custom-tokens',
  summary: 'The custom tokens',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.view', sandbox: 'secret' },
  returns: CustomTokens,
  answer: ({ actor, queries }) => customTokensShown(queries, actor.accountId),
})

/** The custom tokens of an account, the same on both surfaces (M-SET-02). */
export const customTokensShown = async (
  queries: Queries,
  accountId: string,
): Promise<z.input<typeof CustomTokens>> => ({
  custom_tokens: shown(await queries.customTokens(accountId)),
})

const addToken = endpoint({
  method: 'post',
  path: '/v1/custom-tokens',
  summary: 'Add a custom token; its receive address is set with POST /v1/wallets',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.edit' },
  body: NewToken,
  returns: NewToken.meta({ id: 'NewCustomToken' }),
  refusals: ['custom-token-exists'],
  answer: ({ body, actor, flow }) => saveToken(flow, actor.accountId, body),
})

/** Adds a token. Refuses `invalid-request` for what no network can have, `custom-token-exists`. */
export const saveToken = async (
  flow: UseCaseContext,
  accountId: string,
  body: z.output<typeof NewToken>,
): Promise<z.input<typeof NewToken>> => {
  const { type, contract_address, decimals, name, rate = null, rate_url = null } = body
  const code = body.code.toLowerCase()
  const types = [...flow.tokenTypes.keys()].join(', ')
  const network = flow.tokenTypes.get(type) ?? refuse('invalid-request', `type: has to be one of ${types}`)
  const contract =
    flow.addresses.canonicalOn(network, contract_address) ??
    refuse('invalid-request', `contract_address: has to be an address on ${network}`)
  const reason = rate_url === null ? undefined : flow.prices.refusal(rate_url)
  if (reason !== undefined) return refuse('invalid-request', `rate_url: ${reason}; use an https URL of a public host`)
  const token = { type, code, network, contract, decimals, name, rate, rateUrl: rate_url }
  const { confirmations = null, img = null } = body
  await flow.ledger.customTokens.add(accountId, { ...token, confirmations, img })
  return { ...body, code }
}

const deleteToken = endpoint({
  method: 'delete',
  path: '/v1/custom-tokens',
  summary: 'Delete a custom token; its wallet is not used any more',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.edit' },
  query: z.object({ code: z.string().min(1) }),
  returns: z.object({ deleted: z.literal(true), custom_tokens: z.array(Token) }),
  refusals: ['not-found'],
  async answer({ query, actor, flow }) {
    const { state } = await flow.ledger.customTokens.remove(actor.accountId, { code: query.code.toLowerCase() })
    return { deleted: true as const, custom_tokens: shown(Object.values(state)) }
  },
})

type CustomTokenFacts = Pick<CustomToken, 'code' | 'type' | 'network' | 'name' | 'contract' | 'decimals'>

const shown = (tokens: readonly CustomTokenFacts[]) =>
  tokens
    .toSorted((a, b) => (a.code < b.code ? -1 : 1))
    .map(({ code, type, network, name, contract, decimals }) => ({
      code,
      type,
      network,
      name,
      contract_address: contract,
      decimals,
    }))

export const customTokenEndpoints = [listTokens, addToken, deleteToken]
