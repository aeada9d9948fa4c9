import { type Hex, pad } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { mintDollars, putDollar, usdcCall } from '../../../adapters/chains/sandbox/sandbox-dollar.ts'
import type { Authorization } from '../../../domain/selling/authorization-terms.ts'
import type { Answer } from '../../../src/demo/client.ts'
import { startAnvil } from '../../support/anvil.ts'
import { startApp } from '../../support/app.ts'
import { byLog } from '../../support/by-log.ts'
import { authorize, cancellation, type Dollar, type Payer, type Signing, WALLET_CODE } from '../../support/gasless.ts'
import { freshAddress, saidOf } from '../../support/sale.ts'
import { activeSeller, ok } from '../../support/seller.ts'
import { decoded, encoded, v1Payload } from '../../support/signed-sale.ts'
import { follow } from './told.ts'

/** A service on a chain whose blocks come at a pace, with shops that are paid by signature. */

export type Hour = Awaited<ReturnType<typeof openHour>>
export type Shop = { readonly address: string; readonly path: string }

/** What a door asks for, and promises. */
export type Asked = { readonly payTo: string; readonly amount: string; readonly extra: Record<string, unknown> }

const BALANCE = 1_000_000_000n
/** Millionths of a US dollar. */
const CREDIT = '5000000000'

export const openHour = async (dollar: Dollar, blockTimeSeconds: number, settings: Record<string, string>) => {
  const chain = await startAnvil({ chainId: dollar.chainId, blockTimeSeconds })
  await putDollar(chain.client, dollar.contract)
  const [relayer] = chain.accounts
  if (!relayer) throw new Error('the chain has no accounts')
  const name = dollar.network.toUpperCase()
  const app = await startApp({
    env: {
      [`CHAIN_${name}_RPC`]: chain.url,
      [`CHAIN_${name}_ID`]: String(dollar.chainId),
      RELAYER_KEY: relayer.privateKey,
      RATES: 'fixed',
      ADDRESS_RATE_PER_SECOND: '5000',
      ADDRESS_RATE_BURST: '9000',
      UNPAID_PER_NETWORK: '3000',
      STRANGER_BYTES_PER_HOUR: String(9 * 10 ** 8),
      ...settings,
    },
    ...(dollar.network === 'eth' && { rpcUrl: chain.url }),
  })
  const log = follow(app)
  const signAs = (payer: Payer, asked: Asked, how: Partial<Signing> = {}) =>
    authorize(payer, { to: asked.payTo, value: BigInt(asked.amount), ...how }, dollar)

  return {
    app,
    chain,
    dollar,
    relayer: relayer.address,
    log,
    async openShop(): Promise<Shop> {
      const { key } = await activeSeller(app)
      const address = freshAddress()
      await ok(app.call('POST', '/v1/wallets', { key, body: { asset: dollar.asset, address } }))
      const { json } = await ok(app.call('POST', '/v1/resources', { key, body: { amount: 5 } }))
      const [created] = await saidOf(app, 'ResourceCreated', json.res_id)
      // What an hour's gas is billed from: who owes a dollar is offered no more.
      const credit = { amount: CREDIT, reason: 'top-up', ref: json.res_id, source: 'hour', position: '1' } as const
      await byLog(app, ({ creditAccount }) => creditAccount.grant(created?.accountId ?? '', credit))
      const { pathname, search } = new URL(json.checkout_url)
      return { address, path: pathname + search }
    },
    payer: async (): Promise<Payer> => {
      const key = generatePrivateKey()
      const account = privateKeyToAccount(key)
      await mintDollars(chain.client, account.address, BALANCE, dollar.contract)
      return { ...account, key }
    },
    /** A contract that holds dollars. */
    wallet: async (code: Hex, owner?: Payer): Promise<string> => {
      const wallet = freshAddress()
      await chain.setCode(wallet, code)
      if (owner && code === WALLET_CODE)
        await chain.client.setStorageAt({ address: wallet as Hex, index: pad('0x0'), value: pad(owner.address) })
      await mintDollars(chain.client, wallet, BALANCE, dollar.contract)
      return wallet
    },
    asked: async (shop: Shop, caller: string): Promise<Asked> => {
      const { status, headers } = await app.call('GET', shop.path, { headers: { 'user-agent': caller } })
      const required = headers.get('payment-required')
      const entry = required ? decoded(required).accepts[0] : undefined
      if (!entry) throw new Error(`nothing is asked for that a signature pays: ${status}`)
      return entry
    },
    signAs,
    pay: (shop: Shop, caller: string, asked: Asked, signed: Authorization): Promise<Answer> => {
      const { payload } = v1Payload(signed)
      const sent = { x402Version: 2, resource: { url: 'https://shop.test' }, accepted: asked, payload, extensions: {} }
      return app.call('GET', shop.path, { headers: { 'user-agent': caller, 'payment-signature': encoded(sent) } })
    },
    cancel: async (payer: Payer, nonce: string) =>
      chain.submit({ to: dollar.contract, data: await cancellation(payer, nonce, dollar), gas: 120_000n }),
    /** The payer's money is gone before it is taken. */
    empty: (of: string) => mintDollars(chain.client, of, 0n, dollar.contract),
    balance: async (of: string): Promise<bigint> => {
      const { data } = await chain.client.call({ to: dollar.contract, data: usdcCall('balanceOf', [of]) })
      return BigInt(data ?? '0x0')
    },
    async stop() {
      await log.stop()
      await app.stop()
      await chain.stop()
    },
  }
}
