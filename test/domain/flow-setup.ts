import { fixedRates } from '../../adapters/rates/quotes/fixed.ts'
import { localArtist } from '../../adapters/studio/artist.ts'
import { createVatRegistry } from '../../adapters/vat/registry.ts'
import type { Chain, EventStore, Vault } from '../../domain/kernel/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { alone, ledgerOn } from '../support/ledger.ts'
import { type FixedWorld, fixedWorld } from '../support/world.ts'
import { ACCOUNT, created, PAY_TO, RES_ID } from './samples.ts'

/** What tests of flows begin with. */

export const chain = (): Chain => ({
  network: 'eth',
  caip2: 'eip155:1',
  head: async () => ({ height: 100, hash: '0x100' }),
  hashAt: async () => undefined,
  transfersOf: async () => undefined,
  transfersIn: async () => [],
  balanceOf: async () => undefined,
  close: async () => {},
})

/** The flows with the real ledger and vault; what lies outside is still. */
export const flow = (store: EventStore, world: FixedWorld, vault?: Vault): UseCaseContext => ({
  ledger: ledgerOn(store, world),
  world,
  vault: vault as Vault,
  signer: { newKey: outside, sign: outside },
  artist: localArtist,
  passwords: { hash: async () => '$argon2id$x', verify: async () => true, outdated: () => false },
  addresses: { canonical: (_, address) => address, canonicalOn: (_, address) => address, unpayable: () => undefined },
  proofs: { isSigned: outside },
  rates: fixedRates(),
  prices: { refusal: () => undefined, usdFrom: async () => undefined },
  tokenTypes: new Map(),
  outbound: { refusal: () => undefined, post: outside, get: outside, sign: () => '', receive: outside as never },
  chains: new Map([['eth', chain()]]),
  secondVoice: alone,
  relayers: new Map(),
  dns: { txt: async () => ({ status: 'absent' }) },
  vatRegistry: createVatRegistry(undefined),
  cards: {
    verify: outside,
    openCheckout: outside,
    readCheckout: outside,
    closeCheckout: outside,
    refund: outside,
    checkoutOfCharge: outside,
    refundedOf: outside,
    notice: async () => undefined,
    alarm: () => {},
  },
  keyLists: { profile: outside, jwks: outside },
  headNow: (chain) => chain.head(),
  balanceNow: (chain, address, coin) => chain.balanceOf(address, coin),
  developmentApps: true,
  landerFreeSlots: 1,
  unpaidPerNetwork: 32,
  relayLimits: { network: 10_000_000n, seller: 2_000_000n, payer: 500_000n, code: 2_000_000n },
  origins: { base: 'https://b.test', pay: 'https://p.test', auth: 'https://a.test', shop: 'https://s.test' },
})

const outside = () => Promise.reject(new Error('nothing goes out'))

export const sellerOn = async (store: EventStore, acceptedAssets = ['eth'], amount = created.amount) => {
  const ledger = ledgerOn(store, fixedWorld('seller'))
  await ledger.addressClaim.claim(`eth:${PAY_TO}`, { accountId: ACCOUNT, coin: 'eth' })
  await ledger.wallet.setAddress(ACCOUNT, { asset: 'eth', addresses: [PAY_TO] })
  await ledger.resource.create(RES_ID, { ...created, acceptedAssets, amount })
  return ledger
}

export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof Refusal) return error.code
      throw error
    },
  )
