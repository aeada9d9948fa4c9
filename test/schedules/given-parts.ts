import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import type { TransferData } from '../../domain/selling/challenge-terms.ts'
import { ACCOUNT, CHALLENGE_ID, EXPIRES, entry, opened, SET_ID, transferData } from '../domain/samples.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'

/** Logs in which one price is paid in parts. */

const ADDRESS = `eth:eth:${transferData.to}`
const ASKED = BigInt(entry.amount)

const transfer = (n: number, amount: bigint, minedAt = transferData.minedAt): TransferData => ({
  ...transferData,
  tx: `0x${String(n).repeat(64)}`,
  amount: String(amount),
  height: transferData.height + n,
  minedAt,
})

/** Two parts that make the price together, and the price in full, all three of them confirmed. */
export const FIRST = transfer(1, (ASKED * 4n) / 10n)
export const SECOND = transfer(2, ASKED - (ASKED * 4n) / 10n)
export const WHOLE = transfer(3, ASKED)
/** Mined after the challenge had expired. */
export const LATE = transfer(4, ASKED, '2026-03-02T11:30:00.000Z')

/** A part in a block that leaves the chain again: it was seen, and is not deep enough to be booked. */
export const SHALLOW = { ...transfer(5, (ASKED * 4n) / 10n), height: 129, blockHash: '0x129' }
/** The same part in the block that came instead, which is deep enough. */
export const MOVED = { ...SHALLOW, height: 130, blockHash: '0x130b' }

/** The watch has seen the shallow part, and then ten blocks with the rest of the price, or with all of it. */
export const paidOverReorganisation = async (then: TransferData): Promise<readonly RecordedEvent[]> => {
  const store = memoryStore(await paidInParts([SHALLOW]))
  const world = fixedWorld('reorganisation')
  const ledger = ledgerOn(store, world)
  await runPolicies(store, ledger, world)
  const head = { network: 'eth', height: 140, hash: '0x140b', head: 140 }
  await ledger.chainWatch.scanned('eth', { ...head, transfers: [then] })
  return store.events()
}

/** One challenge is open, and the watch has seen these transfers; `ask`: its seller wants to match odd ones. */
export const paidInParts = async (seen: readonly TransferData[], ask = false): Promise<readonly RecordedEvent[]> => {
  const store = memoryStore()
  const world = fixedWorld('parts')
  const ledger = ledgerOn(store, world)
  if (ask) await ledger.settings.change(ACCOUNT, { payment: { oddPayments: 'ask' } })
  await ledger.receiveAddress.reserve(ADDRESS, {
    challengeId: CHALLENGE_ID,
    accountId: ACCOUNT,
    price: '40000000000000000',
    step: '10000000000',
    anonymous: false,
    endsAt: EXPIRES,
    heldUntil: '2026-03-02T13:00:00.000Z',
  })
  await ledger.challenge.open(SET_ID, opened)
  await ledger.chainWatch.scanned('eth', {
    network: 'eth',
    height: 130,
    hash: '0x130',
    head: 130,
    transfers: seen,
  })
  // Odd ones are set aside for the seller before anything else happens.
  if (ask) await runPolicies(store, ledger, world)
  return store.events()
}
