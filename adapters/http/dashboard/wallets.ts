import { z } from 'zod'
import { type Asset, assets } from '../../../domain/kernel/assets.ts'
import { networkOf } from '../../../domain/kernel/networks.ts'
import { ownAssetNamed, ownAssets } from '../../../domain/use-cases/account/own-assets.ts'
import { resumeWallet } from '../../../domain/use-cases/account/set-wallet.ts'
import { endpoint, type Reply } from '../core/endpoint.ts'
import { type CoinChoice, type WalletFacts, walletsPage } from '../pages/dashboard/wallets/wallets.ts'
import { seeOther } from '../pages/people-page.ts'
import { faultsOf } from './form-faults.ts'
import { csrf, type MemberRequest, ofMembers } from './of-dashboard.ts'

/** Where the account receives each coin: the list, and what is done to a wallet that is there. */

export const WALLETS = '/dashboard/wallets'
const common = { ...ofMembers, path: WALLETS } as const
const changes = { ...common, callers: { capability: 'wallets.edit', fresh: true } } as const
/** Characters of the code of a coin. */
export const AssetCode = z.string().max(32)

const look = endpoint({
  ...common,
  method: 'get',
  callers: { capability: 'wallets.view' },
  summary: 'The receive addresses of every coin, and the tokens of the account’s own',
  query: z.object({ done: z.enum(['set', 'proven', 'paused', 'resumed', 'removed']).optional().catch(undefined) }),
  answer: ({ query, ...request }) => show(request, { done: query.done }),
})

const pause = endpoint({
  ...changes,
  method: 'post',
  when: { act: 'pause' },
  summary: 'Offers a coin no more; its addresses stay',
  body: z.object({ csrf, asset: AssetCode }),
  answer: ({ body: { asset }, ...request }) =>
    acted(request, 'paused', async ({ flow, actor: { accountId } }) => {
      await ownAssetNamed(flow.ledger, accountId, asset)
      await flow.ledger.wallet.pause(accountId, { asset })
    }),
})

const resume = endpoint({
  ...changes,
  method: 'post',
  when: { act: 'resume' },
  summary: 'Offers a coin again',
  body: z.object({ csrf, asset: AssetCode }),
  answer: ({ body: { asset }, ...request }) =>
    acted(request, 'resumed', ({ flow, actor }) => resumeWallet(flow, actor.accountId, asset)),
})

const remove = endpoint({
  ...changes,
  method: 'post',
  when: { act: 'remove' },
  summary: 'Stops receiving a coin, and forgets its addresses',
  body: z.object({ csrf, asset: AssetCode }),
  answer: ({ body: { asset }, ...request }) =>
    acted(request, 'removed', async ({ flow, actor: { accountId } }) => {
      await ownAssetNamed(flow.ledger, accountId, asset)
      await flow.ledger.wallet.remove(accountId, { asset })
    }),
})

export const walletScreenEndpoints = [look, pause, resume, remove]

type Done = Parameters<typeof walletsPage>[0]['done']

/** Does something to a wallet, and shows the list; what is refused is said above it. */
const acted = async (
  request: MemberRequest,
  done: NonNullable<Done>,
  act: (request: MemberRequest) => Promise<unknown>,
): Promise<Reply> => {
  try {
    await act(request)
  } catch (error) {
    return await show(request, { fault: faultsOf(error, [], 'asset').asset })
  }
  return seeOther(`${WALLETS}?done=${done}`)
}

const show = async (
  { flow, queries, actor }: MemberRequest,
  said: { readonly done?: Done | undefined; readonly fault?: string | undefined },
): Promise<Reply> => {
  const rows = await queries.wallets(actor.accountId)
  const own = await ownAssets(
    flow.ledger,
    actor.accountId,
    rows.map(({ asset }) => asset),
    'read',
  )
  const received = new Map((await queries.receivedOf(actor.accountId)).map((row) => [row.asset, row]))
  const wallets = rows.flatMap(({ asset: code, addresses, active }): WalletFacts[] => {
    const found = own(code)
    return found ? [{ ...coinOf(found.asset), addresses, active, received: received.get(code) }] : []
  })
  const tokens = await queries.customTokens(actor.accountId)
  return walletsPage({
    ...said,
    member: actor,
    wallets,
    tokens: tokens.map(({ code, name, network, contract }) => ({ code, name, network: titleOf(network), contract })),
    mayEdit: actor.actor.can('wallets.edit'),
  })
}

/** A coin as people call it. */
const coinOf = ({ code, name, network }: Asset): CoinChoice => ({ code, name, network: titleOf(network) })

/** The coins that an account can be paid in: those of the catalogue whose chain is connected, and its own tokens. */
export const coinChoices = async ({ flow, queries, actor }: MemberRequest): Promise<readonly CoinChoice[]> => {
  const tokens = await queries.customTokens(actor.accountId)
  return [
    ...assets.filter(({ network }) => flow.chains.has(network)).map(coinOf),
    ...tokens.map(({ code, name, network }) => ({ code, name, network: titleOf(network) })),
  ]
}

const titleOf = (network: string): string => networkOf(network)?.title ?? network
