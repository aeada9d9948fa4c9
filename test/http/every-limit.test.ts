import test, { type ExecutionContext } from 'ava'
import { createKeyLists } from '../../adapters/ap2/key-lists.ts'
import { createOpenSets } from '../../adapters/http/agent/common/open-sets.ts'
import { createBuckets } from '../../adapters/http/core/bounds/token-buckets.ts'
import { limit, type LimitName as PeopleLimit } from '../../adapters/http/core/limits.ts'
import { connect, type Sql } from '../../adapters/postgres/connect.ts'
import { limitRows } from '../../adapters/postgres/sign-in/limits.ts'
import { createSignInRows } from '../../adapters/postgres/sign-in/rows.ts'
import { account } from '../../domain/account/account.ts'
import { member } from '../../domain/account/members/member.ts'
import { sandboxKeys } from '../../domain/account/sandbox-keys.ts'
import { team } from '../../domain/account/team.ts'
import { gameCharacter } from '../../domain/game/characters/character.ts'
import { gameMember } from '../../domain/game/members/member.ts'
import { payer } from '../../domain/gasless/payer.ts'
import { relayBudget, withinFrom } from '../../domain/gasless/relay-budget.ts'
import { type AnyDecider, type EventsOf, fold } from '../../domain/kernel/decider.ts'
import { LIMITS, type LimitName, LimitReached, secondsUntil } from '../../domain/kernel/refusals/limits.ts'
import { receiveAddress } from '../../domain/selling/receive-address.ts'
import { user } from '../../domain/signin/user.ts'
import { stock } from '../../domain/storefront/stock.ts'
import { NOW } from '../support/given.ts'
import { createDatabase } from '../support/postgres.ts'
import { fixedWorld } from '../support/world.ts'

/**
 * Every limit on how often something may be done, from the code's own list: whoever is at it is told how long to wait,
 * is refused until then, and gets through then.
 */

let sql: Sql
let drop: () => void
test.before(async () => {
  const database = await createDatabase()
  drop = database.drop
  sql = connect(database.url)
  await createSignInRows(sql)
})
test.after.always(async () => {
  await sql?.end({ timeout: 1 })
  await drop?.()
})

type Clock = { ms: number }
/** Does once more what is limited, at the time of the clock. */
type OnceMore = (n: number) => unknown
type LimitCase = (t: ExecutionContext, clock: Clock) => OnceMore | Promise<OnceMore>

const START = Date.parse(NOW)
const at = (ms: number) => new Date(ms).toISOString()

const bucket =
  (name: LimitName, rate = { perSecond: 1 / 360, burst: 3 }): LimitCase =>
  (_, clock) => {
    const buckets = createBuckets(name, rate, () => clock.ms)
    return () => buckets.take('somebody')
  }

const people =
  (name: PeopleLimit): LimitCase =>
  (_, clock) => {
    const world = { ...fixedWorld(), now: () => new Date(clock.ms) }
    const vault = { fingerprint: (...parts: readonly string[]) => parts.join('|') } as never
    return () => limit({ flow: { world, vault }, signIn: { limits: limitRows(sql) } }, name, 'somebody')
  }

/** What a stream counts. */
const stream = <D extends AnyDecider>(decider: D, ...history: readonly EventsOf<D>[]) => {
  let state = fold(decider, history)
  return (command: string, data: object, clock: Clock) => {
    state = fold(decider, decider.decide[command]?.(state, data, at(clock.ms)) ?? [], state)
  }
}

const link = (n: number) => ({ purpose: 'enrol', tokenHash: `t${n}`, expiresAt: NOW, letter: 'v1.usr_a.iv.l' })
const address = { email: 'v1.acc_1.iv.a', emailFingerprint: 'a' }
const stakes = { scopes: ['game.pvp.wager'], grants: { 'game.pvp.wager': 1_000 }, label: 'mine' } as const
const holder = { accountId: 'acc_1', holder: 'acc_1', consumerId: 'gcu_1' }
const units = { from: 'house', units: 1_000, returned: null, position: '1', balance: 1_000 } as const
const reservation = (n: number, clock: Clock) => ({
  authorizationId: `a${n}`,
  value: '1',
  balance: '1000000',
  until: at(clock.ms + 600_000),
})

const cases: Readonly<Record<LimitName, LimitCase>> = {
  'calls.key': bucket('calls.key', { perSecond: 50, burst: 100 }),
  'calls.address': bucket('calls.address'),
  'calls.visitor': bucket('calls.visitor'),
  'calls.client': bucket('calls.client'),
  'calls.strangerBytes': bucket('calls.strangerBytes', { perSecond: 1, burst: 2 }),
  'calls.signUp': bucket('calls.signUp'),
  'calls.authorize': bucket('calls.authorize'),
  'calls.userinfo': bucket('calls.userinfo'),
  'calls.tokenFailures': bucket('calls.tokenFailures'),
  'calls.balance': bucket('calls.balance'),
  'calls.newChallenges': (_, clock) => {
    const sets = createOpenSets<{ incomplete?: true }>(900_000)
    const asked = (n: number) => ({ resource: `r${n}`, ip: 'i', caller: 'i', terms: '', now: clock.ms })
    return (n) =>
      sets.of(
        asked(n),
        async () => ({}),
        async () => true,
      )
  },
  'calls.profiles': (_, clock) => {
    const get = async () => ({ status: 404, reason: undefined, body: '' })
    const { profile } = createKeyLists({ outbound: { refusal: () => undefined, get }, now: () => clock.ms })
    return async (n) => {
      const failed = await profile(`https://p${n}.example/`, 'k').catch((error: unknown) => error)
      if (failed instanceof LimitReached) throw failed
    }
  },
  'people.login-account': people('login-account'),
  'people.login-address': people('login-address'),
  'people.login-device': people('login-device'),
  'people.sign-up': people('sign-up'),
  'people.mail': people('mail'),
  'people.code': people('code'),
  'people.code-account': people('code-account'),
  'people.verify-email': people('verify-email'),
  'people.confirm': people('confirm'),
  'people.recover-key': people('recover-key'),
  'people.owner-password': people('owner-password'),
  'people.receipt': people('receipt'),
  'people.receipt-network': people('receipt-network'),
  'people.receipt-address': people('receipt-address'),
  'people.webhook-test': people('webhook-test'),
  'people.connection-test': people('connection-test'),
  'people.checkout': people('checkout'),
  'letters.user': (_, clock) => {
    const of = stream(user, { type: 'UserRegistered', data: { ...address, passwordHash: 'p', profile: 'p' } })
    return (n) => of('requestLink', link(n), clock)
  },
  'letters.member': (_, clock) => {
    const of = stream(member, { type: 'MemberJoined', data: { accountId: 'acc_1', role: 'owner', joinedAt: NOW } })
    return (n) => of('requestCode', { codeHash: `c${n}`, expiresAt: NOW, letter: 'v1.acc_1.iv.l' }, clock)
  },
  'letters.invitations': (_, clock) => {
    const of = stream(team)
    const grants = { role: 'clerk', permissions: [], storeScope: [] } as const
    const link = (n: number) => ({ tokenHash: `t${n}`, expiresAt: at(clock.ms + 604_800_000), letter: 'v1.acc_1.iv.l' })
    return (n) => of('invite', { email: 'e', emailFingerprint: 'f', by: 'mem_1', ...grants, ...link(n) }, clock)
  },
  'letters.account': (_, clock) => {
    const data = { ...address, passwordHash: 'p', primaryWallet: null, termsAgreed: 'explicit' } as const
    const of = stream(account, { type: 'AccountSignedUp', data })
    return (n) => of('askLetter', { tokenHash: `t${n}`, expiresAt: NOW, letter: 'l', address }, clock)
  },
  'sandbox-keys': (_, clock) => {
    const of = stream(sandboxKeys)
    return (n) =>
      of('issue', { keyId: `k${n}`, keyHash: `h${n}`, hint: 'sk_test_', kind: 'secret', label: null }, clock)
  },
  'unpaid-challenges': (_, clock) => {
    const of = stream(receiveAddress)
    const wish = { accountId: 'acc_1', price: '1000000', step: '1', anonymous: true, network: 'n1', unpaidMax: 5 }
    return (n) => {
      const until = at(clock.ms + 1_800_000)
      of('reserve', { ...wish, challengeId: `c${n}`, endsAt: until, heldUntil: until }, clock)
    }
  },
  'lent-pieces': (_, clock) => {
    const counted = {
      accountId: 'acc_1',
      count: 40,
      before: null,
      lent: 0,
      reason: 'set',
      by: 'k',
      changedAt: NOW,
    } as const
    const of = stream(stock, { type: 'StockChanged', data: counted })
    return (n) => of('lend', { holder: `s${n}`, quantity: 1, until: at(clock.ms + 1_800_000), network: 'n1' }, clock)
  },
  'game.plays': (_, clock) => {
    const data = { member: 'usr_a', characterId: 7, name: 'Ada', class: 'envoy', createdAt: NOW } as const
    const of = stream(gameCharacter, { type: 'CharacterCreated', data })
    const run = { slug: 'signal-echo', linkId: 'gln_1', seed: 's', commit: 'c', deal: [] }
    return (n) => of('startRun', { ...run, runId: `r${n}` }, clock)
  },
  'game.stakes': (_, clock) => {
    const made = { linkId: 'gln_1', codeHash: 'h', expiresAt: at(START + 1), madeAt: NOW, ...stakes }
    const of = stream(
      gameMember,
      { type: 'GameLinkCodeMade', data: made },
      { type: 'GameLinkClaimed', data: { linkId: 'gln_1', ...holder, claimedAt: NOW } },
      { type: 'GameUnitsReceived', data: units },
    )
    const stake = { linkId: 'gln_1', scope: 'game.pvp.wager', units: 1, to: 'escrow:pvp:d' }
    const reason = { kind: 'duel-accept', duelId: 'd', requestId: 'r' }
    return (n) => of('stake', { ...stake, stakeId: `s${n}`, for: reason }, clock)
  },
  'payer.failures': (_, clock) => {
    const of = stream(payer)
    return (n) => {
      of('reserve', reservation(n, clock), clock)
      of('release', { authorizationId: `a${n}`, failed: true }, clock)
    }
  },
  'payer.under-way': (_, clock) => {
    const of = stream(payer)
    return (n) => of('reserve', reservation(n, clock), clock)
  },
  'relay-budget': (_, clock) => {
    let state = relayBudget.initial
    const loss = { usd: '30', authorizationId: 'a', tx: '0x1', source: 's' }
    return (n) => {
      const now = at(clock.ms)
      const until = withinFrom(state, { most: 100n, others: 0n, own: 10n }, now)
      if (until !== undefined) throw new LimitReached('relay-budget', secondsUntil(until, now), 'lost')
      state = relayBudget.evolve.RelayLossCounted(state, { ...loss, position: String(n), at: now })
    }
  },
}

for (const name of LIMITS)
  test(`N-09 L-AUT-11 whoever is at the limit ${name} is told the true time to wait`, async (t) => {
    const clock = { ms: START }
    const onceMore = await cases[name](t, clock)
    let n = 0
    const wait = async (): Promise<number> => {
      try {
        await onceMore(++n)
        return 0
      } catch (error) {
        if (!(error instanceof LimitReached)) throw error
        t.is(error.limit, name)
        return error.retryAfterS ?? 0
      }
    }
    let waitS = 0
    while (waitS === 0 && n < 2_000) {
      waitS = await wait()
      // Tries that come one after the other, so that what began first also ends first.
      if (waitS === 0) clock.ms += 7
    }
    t.true(waitS > 0, 'the limit is reached')
    clock.ms += (waitS - 1) * 1_000
    t.true((await wait()) > 0, `is refused ${waitS - 1} s later`)
    clock.ms += 1_000
    t.is(await wait(), 0, `gets through ${waitS} s later`)
  })
