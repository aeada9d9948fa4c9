import type { Chain, RecordedEvent, Transfer } from '../../domain/kernel/ports.ts'
import { isRefusal, Refusal } from '../../domain/kernel/refusal.ts'
import { attributeTransfers, finishSettlement } from '../../domain/reactions/policies/selling.ts'
import type { ChallengeEntry } from '../../domain/selling/challenge-terms.ts'
import { setWallet } from '../../domain/use-cases/account/set-wallet.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { openChallenge } from '../../domain/use-cases/selling/challenges/open-challenge.ts'
import { transferData } from '../../domain/use-cases/selling/settling/settle-payment.ts'
import { verifyPayment } from '../../domain/use-cases/selling/settling/verify-payment.ts'
import { alone, everything, ledgerOn, react } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { flow as still } from './flow-setup.ts'
import { ACCOUNT, created } from './samples.ts'

/**
 * A seller, a chain with a block every minute, and buyers who pay on it: rightly, oddly, early, late, twice, or not at
 * all but with the hash of somebody else. It remembers who truly paid what, and says of every settlement whether it was
 * that buyer's.
 */

const MINUTE_MS = 60_000
const CONFIRMATIONS = 2

/** What a buyer was asked for, and by which challenge. */
export type Ask = { readonly buyer: number; readonly challengeId: string; readonly entry: ChallengeEntry }

export const openMarket = async (seed: string, addresses: readonly string[], prices: readonly string[]) => {
  const store = memoryStore()
  const world = fixedWorld(seed)
  const ledger = ledgerOn(store, world)
  await setWallet(still(store, world), ACCOUNT, { asset: 'usdc', addresses })
  await ledger.settings.change(ACCOUNT, { confirmations: { default: CONFIRMATIONS } })
  for (const [n, price] of prices.entries())
    await ledger.resource.create(resource(n), { ...created, amount: price, acceptedAssets: ['usdc'] })

  let height = 100
  let scanned = height
  let reacted = -1n
  const transfers: Transfer[] = []
  /** By transaction: the challenge that its payer meant; none for a payer who had none. */
  const meant = new Map<string, string | undefined>()
  const chain = chainOf(transfers, () => height)
  const flow = {
    ledger,
    world,
    rates: { usdPer: async () => '1' },
    chains: new Map([['eth', chain]]),
    headNow: (one: Chain) => one.head(),
    relayers: new Map(),
    secondVoice: alone,
    unpaidPerNetwork: 32,
  } as unknown as UseCaseContext

  const watch = async () => {
    const seen = transfers.filter(
      (transfer) => transfer.height > scanned && transfer.height <= height - CONFIRMATIONS + 1,
    )
    scanned = Math.max(scanned, height - CONFIRMATIONS + 1)
    const place = { network: 'eth', height: scanned, hash: `0x${scanned}`, head: height }
    await ledger.chainWatch.scanned('eth', { ...place, transfers: seen.map(transferData) })
    for (const event of await everything(store, reacted)) {
      for (const policy of [attributeTransfers, finishSettlement]) await react(policy, event, ledger, world)
      reacted = event.position
    }
  }

  return {
    store,
    minutes: () => height - 100,
    /** A minute goes by: a block is mined, and the watch looks at it. */
    async tick() {
      world.step(MINUTE_MS)
      height++
      await watch()
    },
    /** Undefined when the door refuses: its network holds too many, or no amount is free. */
    async ask(buyer: number, product: number, anonymous: boolean, network?: string): Promise<Ask | undefined> {
      const opening = { anonymous, ...(network !== undefined && { network }) }
      const opened = await openChallenge(flow, resource(product), opening).catch((error: unknown) => {
        if (!isRefusal(error, 'rate-limited', 'no-free-amount')) throw error
        return undefined
      })
      const [entry] = opened?.entries ?? []
      return opened && entry && { buyer, challengeId: `${opened.setId}.usdc`, entry }
    },
    /** Pays in the block to come; answers the transaction. `challengeId` is what the payer means. */
    pay(to: string, amount: bigint, challengeId: string | undefined): string {
      const tx = `0x${transfers.length.toString(16).padStart(64, '0')}`
      const minedAt = new Date(world.now().getTime() + MINUTE_MS).toISOString()
      const coin = { network: 'eth', tx, index: '0', asset: 'usdc', from: '0xpayer', to, amount }
      transfers.push({ ...coin, height: height + 1, blockHash: `0x${height + 1}`, minedAt })
      meant.set(tx, challengeId)
      return tx
    },
    verify: (challengeId: string, tx: string) =>
      verifyPayment(flow, challengeId, tx).then(
        ({ outcome }) => outcome,
        (error: unknown) => {
          if (error instanceof Refusal) return error.code
          throw error
        },
      ),
    /** Settlements by the payment of somebody else. */
    async wrong() {
      const events = (await everything(store)) as readonly RecordedEvent<{ type: string; data: never }>[]
      return events
        .filter(({ type }) => type === 'ChallengeSettled')
        .map(({ data }) => data as { challengeId: string; transfer: { tx: string } })
        .filter(({ challengeId, transfer }) => meant.get(transfer.tx) !== challengeId)
    },
    async count(type: string, reason?: string) {
      const events = await everything(store)
      return events.filter((e) => e.type === type && (!reason || (e.data as { reason?: string }).reason === reason))
        .length
    },
  }
}

const resource = (n: number) => `res_${n}`

/** A chain of these transfers, as high as it is now. */
const chainOf = (transfers: readonly Transfer[], height: () => number): Chain => ({
  network: 'eth',
  caip2: 'eip155:1',
  head: async () => ({ height: height(), hash: `0x${height()}` }),
  hashAt: async (at) => (at <= height() ? `0x${at}` : undefined),
  transfersOf: async (tx) => transfers.filter((transfer) => transfer.tx === tx && transfer.height <= height()),
  transfersIn: async () => [],
  balanceOf: async () => undefined,
  close: async () => {},
})
