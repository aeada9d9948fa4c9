import { z } from 'zod'
import { NewToken, saveToken } from '../../agent/account/custom-tokens.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { validInput } from '../../core/valid.ts'
import { TOKEN_FIELDS, type TokenValues, tokensPage } from '../../pages/dashboard/wallets/tokens.ts'
import { seeOther } from '../../pages/people-page.ts'
import { type FormFaults, faultsOf } from '../form-faults.ts'
import { csrf, type MemberRequest, ofMembers } from '../of-dashboard.ts'
import { AssetCode, WALLETS } from '../wallets.ts'

/** Tokens of the account's own: which there are, one more, one less. */

const common = { ...ofMembers, path: `${WALLETS}/tokens` } as const
const changes = { ...common, callers: { capability: 'settings.edit', fresh: true } } as const
const typed = z.string().max(600).default('')

const look = endpoint({
  ...changes,
  method: 'get',
  summary: 'The form for a token of the account’s own',
  answer: (request) => show(request, {}),
})

const add = endpoint({
  ...changes,
  method: 'post',
  when: { act: 'add' },
  summary: 'Adds a token of the account’s own; its receive address is set afterwards',
  body: z.object({
    csrf,
    type: typed,
    code: typed,
    name: typed,
    contract_address: typed,
    decimals: typed,
    rate: typed,
    rate_url: typed,
  }),
  async answer({ body: { csrf: _, ...values }, ...request }) {
    const { flow, actor } = request
    try {
      const { rate, rate_url, decimals, ...rest } = values
      const isNumber = /^\d{1,3}$/.test(decimals)
      const given = {
        ...rest,
        decimals: isNumber ? Number(decimals) : decimals,
        ...(rate !== '' && { rate }),
        ...(rate_url !== '' && { rate_url }),
      }
      const { code } = await saveToken(flow, actor.accountId, validInput(NewToken, given))
      return seeOther(`${WALLETS}/address?asset=${encodeURIComponent(code)}`)
    } catch (error) {
      return await show(request, { values, faults: faultsOf(error, TOKEN_FIELDS, 'code') })
    }
  },
})

const remove = endpoint({
  ...changes,
  method: 'post',
  when: { act: 'remove' },
  summary: 'Deletes a token; its wallet is not used any more',
  body: z.object({ csrf, code: AssetCode }),
  async answer({ body: { code }, ...request }) {
    const { flow, actor } = request
    try {
      await flow.ledger.customTokens.remove(actor.accountId, { code: code.toLowerCase() })
    } catch (error) {
      return await show(request, { faults: faultsOf(error, [], 'list') })
    }
    return seeOther(`${WALLETS}/tokens`)
  },
})

export const walletTokenEndpoints = [look, add, remove]

const show = async (
  { flow, queries, actor }: MemberRequest,
  { values = {}, faults }: { readonly values?: TokenValues; readonly faults?: FormFaults },
): Promise<Reply> =>
  tokensPage({
    member: actor,
    types: [...flow.tokenTypes.keys()],
    tokens: (await queries.customTokens(actor.accountId)).map(({ code, name }) => ({ code, name })),
    values,
    faults,
  })
