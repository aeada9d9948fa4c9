import { z } from 'zod'
import { walletCoin } from '../../../domain/account/custom-tokens.ts'
import { ownAssetNamed } from '../../../domain/flows/own-assets.ts'
import { refuse } from '../../../domain/refusal.ts'
import { endpoint } from '../endpoint.ts'

/** Addresses in one list; rotation needs no more. */
const ADDRESSES_MAX = 100
const ADDRESS_LIST_MAX_CHARS = 10_000

const listWallets = endpoint({
  method: 'get',
  path: '/v1/wallets',
  summary: 'The receive address of every active coin',
  auth: 'key',
  reach: 'account',
  capability: 'wallets.view',
  query: z.object({ all: z.literal('1').optional() }),
  returns: z.object({ wallets: z.record(z.string(), z.string()), paused: z.array(z.string()).optional() }),
  async answer({ query, actor, queries }) {
    const rows = await queries.wallets(actor.accountId)
    const shown = rows.filter((row) => row.active || query.all)
    const paused = rows.filter((row) => !row.active).map((row) => row.asset)
    const wallets = Object.fromEntries(shown.map((row) => [row.asset, row.addresses.join(',')]))
    return { wallets, ...(query.all && { paused }) }
  },
})

const setWallet = endpoint({
  method: 'post',
  path: '/v1/wallets',
  summary: 'Set the receive address of a coin',
  auth: 'key',
  reach: 'account',
  capability: 'wallets.edit',
  body: z.object({ asset: z.string().max(32), address: z.string().min(1).max(ADDRESS_LIST_MAX_CHARS) }),
  returns: z.object({ asset: z.string(), address: z.string() }),
  refusals: ['unknown-asset', 'bad-address'],
  async answer({ body: { asset, address }, actor, flow }) {
    const own = await ownAssetNamed(flow.ledger, actor.accountId, asset)
    const list = address.split(',').map((item) => item.trim())
    if (list.length > ADDRESSES_MAX) return refuse('invalid-request', `at most ${ADDRESSES_MAX} addresses`)
    const addresses = list.map(
      (item) =>
        flow.addresses.canonicalOn(own.asset.network, item) ?? refuse('bad-address', `not an address of ${asset}`),
    )
    const coin = own.token && walletCoin(own.token)
    const wallet = { asset, addresses: [...new Set(addresses)], ...(coin !== undefined && { coin }) }
    await flow.ledger.wallet.setAddress(actor.accountId, wallet)
    return { asset, address }
  },
})

const switchWallet = endpoint({
  method: 'put',
  path: '/v1/wallets',
  summary: 'Pause or resume a coin; its address stays',
  auth: 'key',
  reach: 'account',
  capability: 'wallets.edit',
  query: z.object({ asset: z.string() }),
  body: z.object({ active: z.boolean() }),
  returns: z.object({ asset: z.string(), active: z.boolean() }),
  refusals: ['unknown-asset', 'wallet-missing'],
  async answer({ query: { asset }, body: { active }, actor, flow }) {
    await ownAssetNamed(flow.ledger, actor.accountId, asset)
    await flow.ledger.wallet[active ? 'resume' : 'pause'](actor.accountId, { asset })
    return { asset, active }
  },
})

const removeWallet = endpoint({
  method: 'delete',
  path: '/v1/wallets',
  summary: 'Stop receiving a coin and forget its addresses',
  auth: 'key',
  reach: 'account',
  capability: 'wallets.edit',
  query: z.object({ asset: z.string() }),
  returns: z.object({ asset: z.string(), deleted: z.literal(true) }),
  refusals: ['unknown-asset', 'wallet-missing'],
  async answer({ query: { asset }, actor, flow }) {
    await ownAssetNamed(flow.ledger, actor.accountId, asset)
    await flow.ledger.wallet.remove(actor.accountId, { asset })
    return { asset, deleted: true as const }
  },
})

export const walletEndpoints = [listWallets, setWallet, switchWallet, removeWallet]
