import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { ownAssetNamed } from '../../../../domain/use-cases/account/own-assets.ts'
import { askWalletProof, resumeWallet, setWallet } from '../../../../domain/use-cases/account/set-wallet.ts'
import { endpoint } from '../../core/endpoint.ts'

/** Addresses in one list; rotation needs no more. */
export const ADDRESSES_MAX = 100
export const ADDRESS_LIST_MAX_CHARS = 10_000
export const ADDRESS_MAX_CHARS = 100
/** Characters of the text, the signature and the state that prove control of an address. */
export const PROOF_TEXT_MAX_CHARS = 2_000
const SIGNATURE_MAX_CHARS = 8_400
export const STATE_INIT_MAX_CHARS = 20_000

const listWallets = endpoint({
  method: 'get',
  path: '/v1/wallets',
  summary: 'The receive address of every active coin',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'wallets.view', sandbox: 'secret' },
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

const askProof = endpoint({
  method: 'get',
  path: '/v1/wallets',
  when: { proof: '1' },
  summary: 'A text to sign with the key of a receive address, which makes it yours whoever has it',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'wallets.edit' },
  query: z.object({
    proof: z.literal('1'),
    asset: z.string().max(32),
    address: z.string().min(1).max(ADDRESS_MAX_CHARS),
  }),
  returns: z.object({
    asset: z.string(),
    network: z.string(),
    address: z.string().meta({ description: 'As it is stored; the text names it so.' }),
    text: z.string().meta({ description: 'Sign it as it is, line breaks and all. It is good once.' }),
    payload: z.string().meta({ description: 'TON alone: the payload to ask ton_proof for, the SHA-256 of the text.' }),
    method: z.string().meta({ description: 'How addresses of this network sign.' }),
    expires_at: z.string(),
  }),
  refusals: ['unknown-asset', 'bad-address'],
  async answer({ query: { asset, address }, actor, flow }) {
    const { expiresAt, ...asked } = await askWalletProof(flow, actor.accountId, { asset, address })
    return { asset, ...asked, expires_at: expiresAt }
  },
})

/** What proves control of an address. */
export const AddressProof = z
  .object({
    text: z.string().max(PROOF_TEXT_MAX_CHARS),
    signature: z.union([
      z.string().max(SIGNATURE_MAX_CHARS),
      z.object({
        timestamp: z.int().min(0),
        domain: z.object({ lengthBytes: z.int().min(0), value: z.string().max(256) }),
        signature: z.string().max(SIGNATURE_MAX_CHARS),
        state_init: z.string().max(STATE_INIT_MAX_CHARS).optional(),
      }),
    ]),
  })
  .meta({
    description:
      'From GET /v1/wallets?proof=1: the text, and its signature by the address. EVM and Tron: hex; Solana: base58 or base64; Bitcoin and Litecoin: base64; TON: the ton_proof object of TON Connect, with state_init for a wallet that is not deployed.',
  })

const setAddresses = endpoint({
  method: 'post',
  path: '/v1/wallets',
  summary: 'Set the receive address of a coin',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'wallets.edit' },
  body: z.object({
    asset: z.string().max(32),
    address: z.string().min(1).max(ADDRESS_LIST_MAX_CHARS),
    proof: AddressProof.optional(),
  }),
  returns: z.object({ asset: z.string(), address: z.string() }),
  refusals: ['unknown-asset', 'bad-address', 'address-taken', 'proof-invalid', 'unavailable'],
  async answer({ body: { asset, address, proof }, actor, flow }) {
    const list = address.split(',').map((item) => item.trim())
    if (list.length > ADDRESSES_MAX)
      return refuse('invalid-request', `address: a coin has at most ${ADDRESSES_MAX} addresses, so send fewer`)
    const addresses = await setWallet(flow, actor.accountId, { asset, addresses: list, proof })
    return { asset, address: addresses.join(',') }
  },
})

const switchWallet = endpoint({
  method: 'put',
  path: '/v1/wallets',
  summary: 'Pause or resume a coin; its address stays',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'wallets.edit' },
  query: z.object({ asset: z.string() }),
  body: z.object({ active: z.boolean() }),
  returns: z.object({ asset: z.string(), active: z.boolean() }),
  refusals: ['unknown-asset', 'wallet-missing', 'address-taken'],
  async answer({ query: { asset }, body: { active }, actor: { accountId }, flow }) {
    await ownAssetNamed(flow.ledger, accountId, asset)
    if (active) await resumeWallet(flow, accountId, asset)
    else await flow.ledger.wallet.pause(accountId, { asset })
    return { asset, active }
  },
})

const removeWallet = endpoint({
  method: 'delete',
  path: '/v1/wallets',
  summary: 'Stop receiving a coin and forget its addresses',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'wallets.edit' },
  query: z.object({ asset: z.string() }),
  returns: z.object({ asset: z.string(), deleted: z.literal(true) }),
  refusals: ['unknown-asset', 'wallet-missing'],
  async answer({ query: { asset }, actor, flow }) {
    await ownAssetNamed(flow.ledger, actor.accountId, asset)
    await flow.ledger.wallet.remove(actor.accountId, { asset })
    return { asset, deleted: true as const }
  },
})

export const walletEndpoints = [listWallets, askProof, setAddresses, switchWallet, removeWallet]
