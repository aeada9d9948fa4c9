/** What schedules of signed payments share: the payment, the sale, and a seller to whom it is offered. */

import type { RelayReceipt } from '../../domain/gasless/relay.ts'
import type { Relayer } from '../../domain/gasless/relayer.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { type Authorization, authorizationId } from '../../domain/selling/authorization-terms.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { flow as stillFlow } from '../domain/flow-setup.ts'
import { ACCOUNT, created, entry, opened, PAY_TO, RES_ID, SET_ID, signed, transferData } from '../domain/samples.ts'
import { ledgerOn } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { type FixedWorld, fixedWorld } from '../support/world.ts'
import type { Machine } from './machine.ts'

export const CHALLENGE = `${SET_ID}.usdc_base`
export const first: Authorization = { ...signed, validBefore: '1772449000' }

export const usdc = {
  ...entry,
  asset: 'usdc_base',
  network: 'base',
  chain: 'eip155:8453',
  amount: '1000000',
  contract: signed.contract,
}
/** What the payment moves, once it is carried out. */
export const own = {
  ...transferData,
  network: 'base',
  asset: 'usdc_base',
  amount: '1000000',
  index: '3',
  from: first.from,
  authorization: first.nonce,
}

const relayer: Relayer = {
  network: 'base',
  address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  tokens: new Map([['usdc_base', { asset: 'usdc_base', contract: signed.contract, name: 'USD Coin', version: '2' }]]),
  cost: () => 1_000n,
  balance: () => 10n ** 18n,
  signerOf: ({ from }) => from,
  check: async () => ({ balance: 100_000_000n }),
  sentIn: () => undefined,
}

export const receipt: RelayReceipt = {
  network: 'base',
  relayer: relayer.address,
  nonce: 0,
  hash: own.tx,
  block: own.height,
  blockHash: own.blockHash,
  gasUsed: '80000',
  gasPrice: '10',
  l1Fee: '0',
  gasUsd: '1000',
  outcomes: [{ authorizationId: authorizationId(first), transfer: own, gasUsd: '1000' }],
}

export const SALE = {
  ...created,
  accountId: ACCOUNT,
  resId: RES_ID,
  amount: '1000000',
  acceptedAssets: ['usdc_base'],
  cap: { amount: '1000000', windowHours: 24 },
}

export const flowOf = (
  { ledger, store, world }: Pick<Machine, 'ledger' | 'store' | 'world'>,
  changed = (l: Ledger) => l,
): UseCaseContext => {
  const still = stillFlow(store, world as FixedWorld)
  const [chain] = still.chains.values()
  if (!chain) throw new Error('there is no chain')
  const base = { ...chain, network: 'base', caip2: 'eip155:8453' }
  return {
    ...still,
    ledger: changed(ledger),
    chains: new Map([['base', base]]),
    relayers: new Map([['base', relayer]]),
  }
}

/** A seller with a challenge that asks for a dollar on Base. */
export const open = (async (): Promise<readonly RecordedEvent[]> => {
  const store = memoryStore()
  const world = fixedWorld('given')
  const ledger = ledgerOn(store, world)
  await ledger.addressClaim.claim(`base:${PAY_TO}`, { accountId: ACCOUNT, coin: 'usdc_base' })
  await ledger.wallet.setAddress(ACCOUNT, { asset: 'usdc_base', addresses: [PAY_TO] })
  await ledger.resource.create(RES_ID, { ...created, amount: '1000000', acceptedAssets: ['usdc_base'] })
  const grant = { amount: '5000000', reason: 'email-verified', ref: ACCOUNT, source: 'given', position: '0' } as const
  await ledger.creditAccount.grant(ACCOUNT, grant)
  await ledger.challenge.open(SET_ID, { ...opened, amount: '1000000', usd: '1000000', entries: [usdc] })
  return store.events()
})()
