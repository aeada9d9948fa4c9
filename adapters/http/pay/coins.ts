import { z } from 'zod'
import { assets } from '../../../domain/kernel/assets.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { ownAssetNamed, walletOf } from '../../../domain/use-cases/account/own-assets.ts'
import { CustomTokens, customTokensShown } from '../agent/account/custom-tokens.ts'
import { consoleFunction } from './console-function.ts'
import { CoinCode } from './fields.ts'

/** The coins that there are, and the addresses at which they are received (M-SET-01, M-SET-02, M-SET-08). */

const getCodes = consoleFunction('get-cryptocurrency-codes', {
  summary: 'The coins that Daybook knows',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.view', sandbox: 'secret' },
  returns: z.object({
    codes: z.array(z.string()),
    networks: z.record(z.string(), z.array(z.string())).meta({ description: 'The codes by their network.' }),
    details: z.array(
      z.object({
        code: z.string(),
        name: z.string(),
        network: z.string(),
        decimals: z.int(),
        contract_address: z.string(),
      }),
    ),
  }),
  answer: async () => CATALOGUE,
})

/** The catalogue of coins, which is the same for everybody, whatever chains are connected. */
const CATALOGUE = {
  codes: assets.map(({ code }) => code),
  networks: Object.fromEntries(
    [...Map.groupBy(assets, ({ network }) => network)].map(([network, coins]) => [
      network,
      coins.map(({ code }) => code),
    ]),
  ),
  details: assets.map(({ code, name, network, decimals, contract = '' }) => ({
    code,
    name,
    network,
    decimals,
    contract_address: contract,
  })),
}

const getCustomTokens = consoleFunction('get-custom-tokens', {
  summary: 'The custom tokens',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.view', sandbox: 'secret' },
  returns: CustomTokens,
  answer: ({ actor, queries }) => customTokensShown(queries, actor.accountId),
})

const getAddress = consoleFunction('settings-get-address', {
  summary: 'Where a coin is received: the main address that is configured, paused or not',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'wallets.view', sandbox: 'secret' },
  body: z.object({ cryptocurrency_code: CoinCode }),
  returns: z.object({ address: z.string() }),
  refusals: ['unknown-asset', 'wallet-missing'],
  async answer({ body: { cryptocurrency_code: code }, actor: { accountId }, flow: { ledger } }) {
    const own = await ownAssetNamed(ledger, accountId, code)
    const address = walletOf(own, (await ledger.wallet.read(accountId))[code])?.addresses[0]
    return {
      address:
        address ?? refuse('wallet-missing', `There is no receive address of ${code}. Set one by POST /v1/wallets.`),
    }
  },
})

export const coinFunctions = [...getCodes, ...getCustomTokens, ...getAddress]
