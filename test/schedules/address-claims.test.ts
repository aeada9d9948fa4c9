import assert from 'node:assert/strict'
import test from 'ava'
import { ABANDONED_MS, addressClaim } from '../../domain/account/address-claim.ts'
import { fold } from '../../domain/kernel/decider.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { isRefusal } from '../../domain/kernel/refusal.ts'
import { pauseLostWallets } from '../../domain/reactions/policies/account.ts'
import { claimAddresses } from '../../domain/use-cases/account/address-claims.ts'
import { deciders } from '../../domain/write-side/deciders.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { createMachine, createOutside, type Machine, type Outside, watched } from './machine.ts'
import { found, holds } from './proving.ts'
import type { Scenario } from './schedule.ts'

/** Accounts that want the same address at once, in processes that may die. */

const [A, B] = ['0xa', '0xb']

test('of two accounts that set the same addresses at once one at most holds each, wherever one dies', (t) =>
  holds(
    t,
    racing([], { one: [A, B], two: [B, A] }),
    200,
    { preemptions: 2, crashes: 0 },
    { preemptions: 0, crashes: 1 },
  ))

test('who sets a wallet again that it had removed, while another takes the address over, and who proves control, are told apart', (t) =>
  holds(
    t,
    racing(removed, { one: [A], two: [A], proves: [A] }),
    100,
    { preemptions: 1, crashes: 0 },
    {
      preemptions: 0,
      crashes: 1,
    },
  ))

test('a takeover that does not look whether the claim was renewed is found', (t) =>
  found(t, racing(removed, { one: [A], two: [A] }, careless), /two wallets/, { preemptions: 2, crashes: 0 }))

/** Account `one` had the address as a wallet, and removed it long ago. */
const removed: readonly RecordedEvent[] = await (async () => {
  const store = memoryStore()
  const ledger = ledgerOn(store, fixedWorld('given', '2026-03-01T10:00:00.000Z'))
  await ledger.addressClaim.claim(`eth:${A}`, { accountId: 'one', coin: 'eth' })
  return store.events()
})()

type Setting = (machine: Machine, accountId: string, addresses: readonly string[], proves: boolean) => Promise<unknown>

const sets: Setting = async ({ ledger, world }, accountId, addresses, proves) => {
  const claimant = { accountId, network: 'eth', asset: 'eth', coin: 'eth' }
  const proven = proves ? { address: addresses[0] ?? '', provedAt: '2026-03-02T09:59:00.000Z' } : undefined
  await claimAddresses({ ledger, world }, claimant, addresses, proven)
  await ledger.wallet.setAddress(accountId, { asset: 'eth', addresses })
}

/** Takes the address by what it read before, whatever came in between. */
const careless: Setting = async (machine, accountId, addresses, proves) => {
  if (accountId !== 'two') return sets(machine, accountId, addresses, proves)
  const id = `eth:${addresses[0]}`
  await machine.ledger.wallet.read('one')
  const { holder } = await machine.ledger.addressClaim.read(id)
  if (holder) await machine.ledger.addressClaim.release(id, holder)
  await sets(machine, accountId, addresses, proves)
}

const racing =
  (before: readonly RecordedEvent[], wants: { readonly [account: string]: readonly string[] }, how = sets): Scenario =>
  (start) => {
    const outside = createOutside(before)
    const told = new Map<string, string>()
    for (const [accountId, addresses] of Object.entries(wants))
      start(accountId, (self) => {
        if (told.has(accountId)) return
        const machine = createMachine(self, outside, { store: watched(outside.store) })
        self.task('sets', async () => {
          const set = how(machine, accountId, addresses, accountId === 'proves')
          const refused = (error: unknown) => {
            if (isRefusal(error, 'address-taken')) return 'refused'
            throw error
          }
          told.set(accountId, await set.then(() => 'set', refused))
        })
      })
    return {
      shared: () => `${outside.shared()} ${JSON.stringify([...told])}`,
      always() {},
      async atRest() {
        const world = fixedWorld('at rest', '2026-03-02T12:00:00.000Z')
        await runPolicies(outside.store, ledgerOn(outside.store, world), world, [pauseLostWallets])
        onlyOwn(outside, Object.keys(wants))
        for (const [accountId, answer] of told)
          if (answer === 'set' && accountId === 'proves') assert.equal(holderOf(outside, A), 'proves')
        assert.ok(ABANDONED_MS < 3_600_000)
      },
    }
  }

const holderOf = ({ store }: Outside, address: string): string | undefined =>
  fold(
    addressClaim,
    store.events().filter(({ stream }) => stream === `addressClaim-eth:${address}`),
  ).holder?.accountId

/** Nobody has a wallet that is not paused with an address that another holds. */
const onlyOwn = (outside: Outside, accounts: readonly string[]) => {
  for (const address of [A, B]) {
    const having = accounts.filter((accountId) => {
      const own = outside.store.events().filter(({ stream }) => stream === `wallet-${accountId}`)
      const wallet = fold(deciders.wallet, own).eth
      return wallet?.active && wallet.addresses.includes(address)
    })
    if (having.length > 1) throw new Error(`two wallets have ${address}: ${having}`)
    if (having[0] !== undefined && holderOf(outside, address) !== having[0])
      throw new Error(`two wallets: ${having[0]} is paid at ${address}, which ${holderOf(outside, address)} holds`)
  }
}
