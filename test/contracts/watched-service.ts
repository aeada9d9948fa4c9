import { type CallOptions, createClient } from '../../src/demo/client.ts'
import { serve } from '../../src/runtime/serve.ts'
import { readConfig } from '../../src/settings/config.ts'
import { openStage } from '../support/app.ts'
import { createTestPasswords } from '../support/passwords.ts'
import { postsFor } from '../support/sale.ts'
import { activeSeller, type Offer, ok } from '../support/seller.ts'
import { type Service, startService } from '../support/service.ts'

export type Bench<C extends ServedChain> = Awaited<ReturnType<typeof startBench<C>>>
export type Shop = Awaited<ReturnType<Bench<ServedChain>['shop']>>

/** A chain as far as the service needs it. */
export type ServedChain = {
  /** Settings of the service: CHAIN_<NAME>_RPC and CHAIN_<NAME>_ID, and what else the chain needs. */
  readonly env: Readonly<Record<string, string>>
  /** An address that nobody was ever paid at, in canonical form. */
  freshAddress(): string | Promise<string>
  /** In smallest units; in one of the two newest blocks when it resolves. Answers the hash as the chain reports it. */
  pay(asset: string, to: string, amount: bigint): Promise<string>
  /** Adds empty blocks. None may bring back what a reorganisation took away. */
  mine(blocks: number): Promise<unknown>
}

export const PRICE_USD = 10
/** What sellers ask for, but for the one who takes the network's own number. */
export const CONFIRMATIONS = 4

/** The service on a chain, with sellers of one thing for one asset. */
export const startBench = async <C extends ServedChain>(chain: C) => {
  const stage = await openStage({ store: 'eventstoredb' })
  const env = { ...stage.env, ...chain.env, LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent' }
  const world = { passwords: createTestPasswords(), openPool: stage.openPool }
  let service: Pick<Service, 'origin' | 'stop'> = await serve(readConfig(env), world)
  const app = { ...stage, env, call: createClient(() => service.origin).call }
  const calling = async (method: string, path: string, options: CallOptions) =>
    (await ok(app.call(method, path, options))).json

  return {
    app,
    chain,
    postsFor: (reference: string) => postsFor(app, reference).length,
    /**
     * Goes on as a process of its own from here on, on the same log and database; what it answers kills that and starts
     * it again.
     */
    async ownProcess() {
      await service.stop()
      let own = await startService(env)
      service = own
      return {
        async killed(meanwhile: () => Promise<unknown>) {
          await own.kill()
          await meanwhile()
          own = await startService(env)
          service = own
        },
      }
    },
    /** A seller of one thing for one asset. */
    async shop(asset: string, confirmations: number | null = CONFIRMATIONS) {
      const { key } = await activeSeller(app)
      const address = await chain.freshAddress()
      await calling('POST', '/v1/wallets', { key, body: { asset, address } })
      await calling('POST', '/v1/webhook', { key, body: { url: app.receiver.url } })
      if (confirmations !== null)
        await calling('PUT', '/v1/settings', { key, body: { confirmations: { default: confirmations } } })
      const body = { amount: PRICE_USD, currency: 'USD', accepted_assets: [asset] }
      const { res_id: resId }: { res_id: string } = await calling('POST', '/v1/resources', { key, body })
      return {
        key,
        resId,
        address,
        offer: async (): Promise<Offer> =>
          (await calling('POST', '/v1/challenge', { key, body: { res_id: resId } })).accepts[0],
        async pay({ amountAtomic, requiredConfirmations }: Offer): Promise<string> {
          const hash = await chain.pay(asset, address, BigInt(amountAtomic))
          await chain.mine(requiredConfirmations)
          return hash
        },
      }
    },
    async stop() {
      await service.stop()
      await stage.stop()
    },
  }
}
