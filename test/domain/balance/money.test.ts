import test from 'ava'
import fc from 'fast-check'
import { OutcomeUnknown } from '../../../domain/kernel/ports.ts'
import { Refusal } from '../../../domain/kernel/refusal.ts'
import { followMandates } from '../../../domain/reactions/policies/balance.ts'
import { carryTransfers } from '../../../domain/reactions/policies/carry-transfers.ts'
import { pushCredit, refundIntent } from '../../../domain/use-cases/balance/credit.ts'
import { debitDue } from '../../../domain/use-cases/balance/debit-due.ts'
import { completeIntent } from '../../../domain/use-cases/balance/intent.ts'
import { debitMandate, declineMandate, revokeMandate } from '../../../domain/use-cases/balance/mandate.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { runs } from '../../support/depth.ts'
import { around, ledgerOn, runPolicies } from '../../support/ledger.ts'
import { memoryStore } from '../../support/memory-store.ts'
import {
  approvedMandate,
  CLIENT,
  checkOrders,
  checkRefunds,
  checkRest,
  confirmedIntent,
  createMoneyCheck,
  flowOn,
  grant,
  SUB,
  sentIn,
} from '../../support/money.ts'
import { fixedWorld } from '../../support/world.ts'

/**
 * Whatever users, apps and the clock do, and whenever a process dies: no unit is made or lost, and what is asked for
 * again is answered again.
 */

const RUNS = runs({ quick: 30, deep: 1_000 })
const LIMIT_MS = runs({ quick: 120_000, deep: 900_000 })
const DAY_MS = 86_400_000
const POLICIES = [carryTransfers, followMandates]

const user = fc.constantFrom('usr_1', 'usr_2')
const app = fc.constantFrom('app_1', 'app_2')
const name = fc.constantFrom('a', 'b', 'c')
const amount = fc.bigInt({ min: 1n, max: 5n })
/** The intents and mandates of a run are known by numbers. */
const nth = fc.nat({ max: 3 })

/**
 * What happens at an append: most go well; one is lost with its process, one lands and the process dies, of one nobody
 * hears.
 */
const fates = fc.infiniteStream(fc.constantFrom(...Array<'well'>(9).fill('well'), 'lost', 'landed', 'unheard'))

test('I-BAL-01 I-BAL-02 I-BAL-04 I-BAL-05 whatever is asked for and wherever processes die, no unit is made or lost, and no limit is passed', async (t) => {
  t.timeout(LIMIT_MS)
  const property = fc.asyncProperty(fc.array(acts, { minLength: 10, maxLength: 60 }), fates, async (asked, fates) => {
    const scene = createScene(fates)
    await scene.fund()
    for (const { run } of asked) await scene.attempt(run)
    const sent = await scene.rest()
    for (const [again, answer] of scene.answered)
      t.deepEqual(await again(scene.unharmed()), { ...answer, duplicate: true })
    t.is(await scene.rest(), sent)
  })
  await fc.assert(property, { numRuns: RUNS })
})

type Answer = { ledgerRef: string; duplicate: boolean }
type Scene = {
  readonly flow: UseCaseContext
  readonly intents: { clientId: string; intentId: string; code: string }[]
  readonly mandates: { clientId: string; mandateId: string; sub: string }[]
  /** Asks, and remembers what to ask again at the end. */
  ask(what: (on: UseCaseContext) => Promise<Answer>): Promise<unknown>
  pass(days: number): void
  carry(): Promise<unknown>
}

/** Something that is done, told as text when it breaks the books. */
const act = <T>(what: string, given: fc.Arbitrary<T>, run: (scene: Scene, given: T) => unknown) =>
  given.map((value) => ({
    run: async (scene: Scene) => run(scene, value),
    [fc.toStringMethod]: () => `${what} ${fc.stringify(value)}`,
  }))

type Terms = NonNullable<Parameters<typeof approvedMandate>[1]>
const adhoc: Terms = { perDebitCap: 4n, lifetimeCap: 6n, cooldown: 'weekly' }
const schedule: Terms = {
  perDebitCap: 4n,
  lifetimeCap: 8n,
  mode: 'scheduled',
  schedAmount: 3n,
  schedInterval: 'weekly',
  auto: true,
}
/** A schedule that its app debits. */
const plan: Terms = { ...schedule, auto: false }

const acts = fc.oneof(
  act('grant', fc.record({ user, amount, name }), ({ flow }, { user, amount, name }) =>
    grant(flow.ledger, `user:${user}`, String(amount), name + amount),
  ),
  act('intent', fc.record({ user, app, amount }), async ({ flow, intents }, { user, app, amount }) => {
    const { intentId, code } = await confirmedIntent(flow, amount, user, app)
    intents.push({ clientId: app, intentId, code })
  }),
  act('complete', nth, ({ intents, ask }, n) => {
    const intent = intents[n]
    return intent && ask((on) => completeIntent(on, intent))
  }),
  act('refund', fc.record({ nth, amount, name }), ({ intents, ask }, { nth, amount, name }) => {
    const intent = intents[nth]
    return intent && ask((on) => refundIntent(on, { ...intent, amount, ref: name }))
  }),
  act('push', fc.record({ user, app, amount, name }), ({ ask }, { user, app, amount, name }) =>
    ask((on) => pushCredit(on, { sub: user, clientId: app, amount, ref: name, description: 'thanks' })),
  ),
  act(
    'mandate',
    fc.record({ user, app, terms: fc.constantFrom(adhoc, schedule, plan) }),
    async ({ flow, mandates }, given) => {
      const { user: sub, app: clientId, terms } = given
      mandates.push({ clientId, sub, mandateId: await approvedMandate(flow, { sub, clientId, ...terms }) })
    },
  ),
  act('debit', fc.record({ nth, amount, name }), ({ mandates, ask }, { nth, amount, name }) => {
    const mandate = mandates[nth]
    return mandate && ask((on) => debitMandate(on, { ...mandate, amount, idempotencyKey: name, description: 'x' }))
  }),
  act(
    'end',
    fc.record({ nth, end: fc.constantFrom(revokeMandate, declineMandate) }),
    ({ flow, mandates }, { nth, end }) => {
      const mandate = mandates[nth]
      return mandate && end(flow, mandate.mandateId, 'user')
    },
  ),
  act('run schedules', fc.constant(null), async ({ flow, mandates }) => {
    const failed = (error: unknown) => {
      throw error
    }
    await debitDue(flow.ledger, flow.world, { standingOrdersDue: async () => mandates }, failed)
  }),
  act('days', fc.integer({ min: 1, max: 20 }), ({ pass }, days) => pass(days)),
  act('carry', fc.constant(null), ({ carry }) => carry()),
)

/** Processes one after the other on one log; each lives until an append of it fails. */
const createScene = (fates: fc.Stream<string>) => {
  const store = memoryStore()
  const check = createMoneyCheck()
  const [intents, mandates]: [Scene['intents'], Scene['mandates']] = [[], []]
  const answered: [(on: UseCaseContext) => Promise<Answer>, Answer][] = []
  let [processes, days] = [0, 0]
  const mortal = around(store, (go) => async (...call) => {
    const fate = fates.next().value
    if (fate === 'lost') throw new Error(DIES)
    const appended = await go(...call)
    if (fate === 'landed') throw new Error(DIES)
    if (fate === 'unheard') throw new OutcomeUnknown(DIES)
    return appended
  })
  const start = (on: typeof store | typeof mortal) => {
    const world = fixedWorld(`process ${++processes}`)
    world.step(days * DAY_MS)
    return flowOn(on, ledgerOn(on, world), world)
  }
  let flow = start(mortal)
  const scene: Scene = {
    get flow() {
      return flow
    },
    intents,
    mandates,
    async ask(what) {
      const answer = await what(flow)
      if (!answered.some(([, { ledgerRef }]) => ledgerRef === answer.ledgerRef)) answered.push([what, answer])
    },
    pass(more) {
      days += more
      flow = start(mortal)
    },
    carry: () => runPolicies(mortal, flow.ledger, fixedWorld('carries'), POLICIES),
  }
  return {
    answered,
    unharmed: () => start(store),
    /** Everybody has something, and something to do with it. */
    async fund() {
      const on = start(store)
      for (const account of ['user:usr_1', 'user:usr_2', 'app:app_1'] as const)
        await grant(on.ledger, account, '12', 'first')
      for (const sub of ['usr_1', 'usr_2']) intents.push({ ...(await confirmedIntent(on, 4n, sub)), clientId: CLIENT })
      for (const terms of [adhoc, schedule, plan])
        mandates.push({ clientId: CLIENT, sub: SUB, mandateId: await approvedMandate(on, terms) })
      await runPolicies(store, on.ledger, fixedWorld('funds'), POLICIES)
    },
    /** Refusals are answers; a process that dies is followed by another. */
    async attempt(run: (scene: Scene) => Promise<unknown>) {
      await run(scene).catch((error: unknown) => {
        if (error instanceof Refusal) return
        if (!(error instanceof Error) || error.message !== DIES) throw error
        flow = start(mortal)
      })
      check(store.events())
    },
    /** All that is on its way arrives; answers how much was sent in all. */
    async rest() {
      await runPolicies(store, start(store).ledger, fixedWorld('rests'), POLICIES)
      checkRest(store.events())
      checkOrders(store.events())
      checkRefunds(store.events())
      return sentIn(store.events()).length
    },
  }
}
const DIES = 'the process dies'
