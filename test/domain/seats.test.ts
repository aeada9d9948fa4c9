import test from 'ava'
import fc from 'fast-check'
import { creditAccount } from '../../domain/account/credit-account.ts'
import { ROLES, SEAT_PRICES } from '../../domain/account/roles.ts'
import { fold } from '../../domain/kernel/decider.ts'
import { type EventStore, OutcomeUnknown, type Vault } from '../../domain/kernel/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { finishSeatOrders, returnSeatPayments } from '../../domain/reactions/policies/account.ts'
import {
  changeSubagent,
  createSubagent,
  deleteSubagent,
  rotateSubagent,
} from '../../domain/use-cases/account/subagents.ts'
import { changeMember, removeMember } from '../../domain/use-cases/account/team/change-members.ts'
import { inviteMember } from '../../domain/use-cases/account/team/invitations.ts'
import { around, ledgerOn, runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { checkSeats, checkSeatsAtRest } from '../support/seats.ts'
import { fixedWorld } from '../support/world.ts'
import { flow } from './flow-setup.ts'
import { ACCOUNT } from './samples.ts'

/**
 * Random years of a team and its money, by two processes whose appends may get lost, land unheard, or be sent twice.
 */

const role = fc.constantFrom(...ROLES)
const number = fc.integer({ min: 1, max: 3 })
const count = fc.integer({ min: 1, max: 4 })
const act = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), role }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('change' as const), role, number }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('delete' as const, 'rotate' as const), number }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('invite' as const, 'changeMember' as const), role, number }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('accept' as const, 'removeMember' as const), number }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('grant' as const), dollars: fc.integer({ min: 1, max: 60 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('packs' as const, 'points' as const), count }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('charge' as const), cents: fc.integer({ min: 1, max: 900 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('policies' as const) }) },
)
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never
const fault = fc.constantFrom('none', 'none', 'none', 'lost', 'landed', 'repeated')
const turn = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 3 }),
  faults: fc.array(fault, { maxLength: 3 }),
})

test('I-CRD-03 I-CRD-04 I-CRD-05 I-CRD-06 N-95 whatever becomes of the appends, credit is never negative, and money is taken exactly for the seats there are', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 8, maxLength: 30, size: 'max' }), async (turns) => {
      const store = memoryStore()
      const faults: string[] = []
      const faulty = failing(store, faults)
      let place = 0
      await doing(store, { do: 'grant', dollars: 60 }, 'first', ++place)
      for (const { acts, faults: next } of turns) {
        faults.splice(0, faults.length, ...next)
        await Promise.all(acts.map((each, i) => doing(faulty, each, `${place}-${i}`, ++place)))
        checkSeats(store.events())
      }
      const world = fixedWorld('rest')
      await runPolicies(store, ledgerOn(store, world), world, POLICIES)
      checkSeatsAtRest(store.events())
      const { balance } = fold(
        creditAccount,
        store.events().filter(({ stream }) => stream.startsWith('creditAccount')),
      )
      t.true(balance >= 0n)
    }),
    { numRuns: 150 },
  )
})

const POLICIES = [finishSeatOrders, returnSeatPayments]

/** Does it in a process of its own; what cannot be, or breaks off, is no more than that. */
const doing = async (store: EventStore, what: Act, seed: string, place: number): Promise<void> => {
  const world = fixedWorld(seed)
  const on = { ...flow(store, world, plainVault), ledger: ledgerOn(store, world) }
  const { creditAccount: credit } = on.ledger
  const answers = { ref: seed, source: 'test', position: String(place) }
  const grantsOf = (to: Extract<Act, { role: unknown }>['role']) => ({
    role: to,
    permissions: to === 'custom' ? (['audit.view'] as const) : [],
  })
  const named = { roleName: null, displayName: null, storeScope: [] }
  const acts = {
    create: (a: Act) => 'role' in a && createSubagent(on, ACCOUNT, { ...grantsOf(a.role), ...named }),
    change: (a: Act) => a.do === 'change' && changeSubagent(on, ACCOUNT, a.number, grantsOf(a.role)),
    invite: (a: Act) => {
      if (a.do !== 'invite') return false
      const wish = { ...grantsOf(a.role), storeScope: [], email: `m${a.number}`, by: 'mem_o' }
      return inviteMember(on, ACCOUNT, { ...wish, agreed: SEAT_PRICES[a.role] })
    },
    accept: async () => {
      const { invitations } = await on.ledger.team.read(ACCOUNT)
      const [open] = Object.values(invitations)
      if (open) await on.ledger.team.accept(ACCOUNT, { ...open, memberId: `mem_${open.emailFingerprint}` })
    },
    changeMember: async (a: Act) => {
      if (a.do !== 'changeMember') return
      const wish = { ...grantsOf(a.role), by: 'mem_o' }
      const open = await changeMember(on, ACCOUNT, a.number, { ...wish, agreed: 0n })
      if (open) await changeMember(on, ACCOUNT, a.number, { ...wish, agreed: open.asks })
    },
    removeMember: (a: Act) => 'number' in a && removeMember(on, ACCOUNT, { number: a.number, by: 'mem_o' }),
    delete: (a: Act) => 'number' in a && deleteSubagent(on, ACCOUNT, a.number),
    rotate: (a: Act) => 'number' in a && rotateSubagent(on, ACCOUNT, a.number),
    grant: (a: Act) =>
      'dollars' in a && credit.grant(ACCOUNT, { amount: `${a.dollars}000000`, reason: 'top-up', ...answers }),
    packs: (a: Act) => 'count' in a && credit.buyLanderPack(ACCOUNT, { purchaseId: seed, qty: a.count }),
    points: (a: Act) => 'count' in a && credit.redeemPoints(ACCOUNT, { purchaseId: seed, points: a.count }),
    charge: (a: Act) =>
      'cents' in a &&
      credit.charge(ACCOUNT, { amount: `${a.cents}0000`, points: a.cents, reason: 'platform-fee', ...answers }),
    policies: () => runPolicies(store, on.ledger, world, POLICIES),
  }
  try {
    await acts[what.do](what)
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof OutcomeUnknown)) throw error
  }
}

/** Nothing is sealed here. */
const plainVault = {
  seal: async (subject: string, text: string) => `v1.${subject}.iv.${text}`,
  open: async () => undefined,
  fingerprint: (_kind: string, text: string) => text,
} as unknown as Vault

/** The next append has the next fault. */
const failing = (store: EventStore, faults: string[]): EventStore =>
  around(store, (go) => async (...call) => {
    const next = faults.shift()
    if (next === 'lost') throw new OutcomeUnknown('lost')
    const appended = await go(...call)
    if (next === 'landed') throw new OutcomeUnknown('landed')
    return next === 'repeated' ? go(...call) : appended
  })
