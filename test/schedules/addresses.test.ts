import test from 'ava'
import { isOwn } from '../../domain/account/account.ts'
import { fold } from '../../domain/kernel/decider.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { verifyEmail } from '../../domain/use-cases/account/account-email.ts'
import { fingerprintOf } from '../../domain/use-cases/account/email-address.ts'
import { signUp } from '../../domain/use-cases/account/sign-up.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { deciders } from '../../domain/write-side/deciders.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { flow } from '../domain/flow-setup.ts'
import { memoryStore } from '../support/memory-store.ts'
import { openVault } from '../support/open-vault.ts'
import { type FixedWorld, fixedWorld } from '../support/world.ts'
import { createMachine, createOutside } from './machine.ts'
import { found, holds } from './proving.ts'
import type { Scenario } from './schedule.ts'

/**
 * Two accounts were made with one email address, and both links are followed at once: one account has it, whoever is
 * cut off or held up.
 */

const ADDRESS = 'ann@example.test'
const vault = openVault(fixedWorld())
const FINGERPRINT = fingerprintOf({ vault }, ADDRESS)
const BOTH = { preemptions: 1, crashes: 1 }

/** Both accounts, and the tokens of their links. */
const given = await (async () => {
  const store = memoryStore()
  const tokens: string[] = []
  for (const seed of ['one', 'two']) {
    const world = fixedWorld(seed)
    const terms = { primaryWallet: null, termsAgreed: 'explicit', network: '203.0.113.7' } as const
    await signUp(flow(store, world, vault), { email: ADDRESS, password: 'correct horse', ...terms })
    const letters = store.events().flatMap(({ data }) => ('letter' in data ? [String(data.letter)] : []))
    tokens.push(/token=(acc_\w+\.[0-9a-f]{64})/.exec(letters.at(-1) ?? '')?.[1] as string)
  }
  return { events: store.events(), tokens }
})()

test('N-15 N-16 two accounts that prove one address at once, with crashes, end with one that has it', (t) =>
  holds(t, following(0), 100, BOTH))

test('N-15 N-16 an account that is held up for a minute after its claim does not use an address that another took over', (t) =>
  holds(t, following(61_000), 100, BOTH))

test('an address that is taken over while the former link still works is found out', (t) =>
  found(t, following(61_000, { account: { endVerification: async () => {} } }), /^2 accounts have the address/, BOTH))

test('a link that is followed without a claim is found out', (t) =>
  found(t, following(0, { email: { claim: async () => {} } }), /^2 accounts have the address/, BOTH))

type Changed = { readonly [K in keyof Ledger]?: object }

/** The clock of the second process may be ahead, as if the first had been held up for so long. */
const following =
  (aheadMs: number, changed: Changed = {}): Scenario =>
  (start) => {
    const outside = createOutside(given.events)
    for (const [index, name] of ['A', 'B'].entries())
      start(name, (self) => {
        const { ledger, store, world } = createMachine(self, outside)
        if (name === 'B') (world as FixedWorld).step(aheadMs)
        const on: UseCaseContext = { ...flow(store, world as FixedWorld, vault), ledger: changedIn(ledger, changed) }
        self.task('follows', () => verifyEmail(on, given.tokens[index] as string, 'correct horse').catch(unlessRefused))
      })
    return {
      shared: outside.shared,
      always() {
        const own = holdersOf(outside.store.events())
        if (own.length > 1) throw new Error(`${own.length} accounts have the address`)
      },
      atRest() {
        const events = outside.store.events()
        const own = holdersOf(events)
        const { holder } = fold(deciders.email, of(events, `email-${FINGERPRINT}`))
        if (own.length !== 1 || own[0] !== holder) throw new Error(`${holder} holds the address of ${own} at rest`)
      },
    }
  }

const changedIn = (ledger: Ledger, changed: Changed): Ledger =>
  Object.create(
    ledger,
    Object.fromEntries(
      Object.entries(changed).map(([name, door]) => [name, { value: { ...ledger[name as keyof Ledger], ...door } }]),
    ),
  )

/** The accounts that are activated with the address. */
const holdersOf = (events: readonly RecordedEvent[]): string[] =>
  given.tokens
    .map((token) => token.split('.')[0] as string)
    .filter((id) => isOwn(fold(deciders.account, of(events, `account-${id}`)), FINGERPRINT))

const of = (events: readonly RecordedEvent[], stream: string) => events.filter((event) => event.stream === stream)

const unlessRefused = (error: unknown) => {
  if (!(error instanceof Refusal)) throw error
}
