import test from 'ava'
import { stateFromJson, stateToJson } from '../../adapters/postgres/snapshots.ts'
import { type AnyDecider, fold } from '../../domain/kernel/decider.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { type Deciders, deciders } from '../../domain/write-side/deciders.ts'
import { runs } from '../support/depth.ts'
import { ownRounds } from './own-rounds.ts'
import {
  ACCOUNT,
  CHALLENGE_ID,
  checkoutSaved,
  created,
  opened,
  RES_ID,
  requestOpened,
  transferData,
} from './samples.ts'

/**
 * A stream may live for years: hundreds of rounds of every command, thousands in the deep run, leave a state that is
 * small, and that a snapshot keeps as it is.
 */

const ROUNDS = runs({ quick: 400, deep: 2_000 })
const START = Date.parse('2026-03-02T10:00:00.000Z')
const time = (minutes: number) => new Date(START + minutes * 60_000).toISOString()
const outcome = { status: 200, reason: null, bodyHead: 'x'.repeat(1_000), durationMs: 1, attemptedAt: time(0) }
const candidate = { secret: 'v1.s', last4: 'last' }

const sealKey = { keyId: 'k', publicKey: 'p', privateKey: 'v1.k', previous: null, endorsement: null }
const AT = '2026-03-02T10:00:00.000Z'
const sameLog = { log: 'e', base: '0', by: 'operator' }
const head = { log: 'e', order: '7', root: 'r', chain: 'c', keyId: 'k', frontier: 'f'.repeat(900) }

const checkpoint = {
  origin: 'o'.repeat(80),
  root: 'r'.repeat(44),
  publicKey: 'p'.repeat(44),
  signature: 's'.repeat(88),
}
const cosignature = { line: 'l'.repeat(180), cosignedAt: time(0) }

const token = {
  type: 'erc-20',
  network: 'eth',
  contract: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  decimals: 18,
  name: 'Shop Coin',
  rate: '0.25',
  rateUrl: null,
  confirmations: null,
  img: null,
}

type Command = readonly [command: string, data: object]

const rounds: { readonly [K in keyof Deciders]: (n: number, last: boolean) => readonly Command[] } = {
  ...ownRounds,
  account: (n) => [
    [
      'signUp',
      {
        email: 'v1.e',
        emailFingerprint: 'f',
        key: { keyId: `k${n}` },
        cloudToken: { token: 'v1.t' },
        verification: { ...letter(0), tokenHash: 'h' },
      },
    ],
    ['verifyEmail', { tokenHash: 'h' }],
    ['askLetter', { ...letter(n), address: { email: 'v1.e', emailFingerprint: `f${n}` } }],
    ['verifyEmail', { tokenHash: `h${n}` }],
    ['endVerification', { emailFingerprint: `f${n + 1}` }],
    ['resetPassword', { passwordHash: `p${n}` }],
    ['rotateKey', { key: { keyId: `r${n}` }, keepsOld: true, cause: 'operator' }],
    ['requestRecovery', { tokenHash: `t${n}`, expiresAt: time(n + 1), letter: 'v1.l' }],
    ['recoverKey', { tokenHash: `t${n}`, key: { keyId: `q${n}` }, network: 'v1.n' }],
    ['suspend', { by: 'b', reason: 'r' }],
    ['reinstate', { by: 'b', reason: 'r' }],
    ['endSessions', { by: 'b', reason: 'r' }],
    ...(n === ROUNDS - 1
      ? ([
          ['close', { by: 'm', network: 'v1.n' }],
          ['erase', {}],
        ] as const)
      : []),
  ],
  email: (n) => [
    ['request', { accountId: `a${n}`, network: `n${n % 3}` }],
    ['claim', { accountId: `a${n}`, proven: true }],
    ['reclaim', { from: `a${n - 1}`, claimedAt: time(n - 1), accountId: `a${n}`, proven: true }],
    ...(n % 2 ? [['release', { accountId: `a${n}` }] as const] : []),
  ],
  webhook: (n) => [
    ['setUrl', { slot: 'agent', url: `https://a/${n}`, ...candidate }],
    ['setUrl', { slot: 'account', url: `https://b/${n}`, ...candidate }],
    ['needSecret', candidate],
    ['chooseReceiver', { receiver: n % 2 ? 'built-in' : 'none', ...candidate }],
    ['rotateSecret', candidate],
    ['clearUrl', { slot: n % 2 ? 'agent' : 'account' }],
  ],
  settings: (n) => [
    ['change', { confirmations: { coins: { eth: n % 7 } }, web3Names: { ens: `${n}.eth` } }],
    ['change', { vat: { enabled: true, country: 'DE', rates: { FR: `${n % 50}` } } }],
    ['change', { timeZone: n % 2 ? 'Europe/Berlin' : 'America/New_York' }],
    ['change', { mandates: { accept: ['self'], issuers: [{ iss: `https://${n}.test`, jwksUri: 'https://a.test' }] } }],
  ],
  customTokens: (n) => [
    ['add', { ...token, code: `t${n % 3}` }],
    ['remove', { code: `t${(n + 1) % 3}` }],
  ],
  paymentName: (n) => [
    [
      'take',
      {
        accountId: ACCOUNT,
        resId: RES_ID,
        authorizationId: `a${n}`,
        validUntil: '2026-03-02T11:00:00.000Z',
        replaces: `a${n - 1}`,
      },
    ],
  ],
  resource: (n) => [
    ['create', created],
    ['capSpend', { accountId: ACCOUNT, maxPerCaller: n % 2 ? null : { amount: String(n + 1), windowHours: 1 } }],
    ['describe', { accountId: ACCOUNT, title: `Tea ${n}`, listed: n % 2 === 0 }],
    ...(n === ROUNDS - 1 ? [['disable', { accountId: ACCOUNT }] as const] : []),
  ],
  paymentRequest: (n) => [
    ['open', { ...requestOpened, title: `t${n}` }],
    ...(n === ROUNDS - 2 ? [['expire', {}] as const] : []),
    ['change', { amount: `${n + 1}` }],
    ['withdraw', { reason: 'by-hand' }],
    ['pay', { challengeId: CHALLENGE_ID, round: n }],
    ['reopen', { challengeId: CHALLENGE_ID, round: n }],
  ],
  checkout: (n) => [
    ['create', checkoutSaved],
    ['change', { accountId: ACCOUNT, version: n + 1, facts: { title: `Title ${n}` } }],
    ...(n === ROUNDS - 1 ? [['delete', { accountId: ACCOUNT }] as const] : []),
  ],
  receiveAddress: (n) => [
    ['reserve', { ...held(n), price: '100000', step: '1', anonymous: true, network: `n${n % 7}`, unpaidMax: 3 }],
    ['reserveRest', { ...held(n), missing: '5000', step: '1' }],
    ['lend', { ...held(n), challengeId: `l${n}`, heldUntil: time(n + 1) }],
    ['noteUnmatched', { minedAt: time(n) }],
  ],
  challenge: (n) => [
    ['open', opened],
    ['detect', { ...payment(n), confirmations: 1 }],
    ['reserve', { challengeId: CHALLENGE_ID, asset: 'eth', authorizationId: `a${n}` }],
    ['release', { challengeId: CHALLENGE_ID, asset: 'eth', authorizationId: `a${n}` }],
    ['retract', { ...payment(n), transferId: `eth:0x${n - 4}:native` }],
    ['add', part(n)],
    ['simulate', { challengeId: CHALLENGE_ID, asset: 'eth', added: 1, tx: 'test_x' }],
    ['simulateLate', { challengeId: CHALLENGE_ID, asset: 'eth', tx: 'test_x' }],
    ['reverse', { ...part(n), times: 1, reason: 'reorganised' }],
    ...(n === ROUNDS - 1 ? [['settle', payment(n)] as const] : []),
  ],
  news: (n) => [
    [
      'note',
      { accountId: ACCOUNT, kind: 'sale', order: String(n), item: { reference: `4503599627${n}`, amount: `${n}` } },
    ],
    ...(n % 90 === 0 ? [['tell', {}] as const] : []),
  ],
  delivery: (n) => [
    ['schedule', { accountId: ACCOUNT, transactionId: String(n), url: 'https://a', slot: 'agent', test: false }],
    ['skip', { accountId: ACCOUNT, transactionId: String(n) }],
    ['record', outcome],
  ],
  chainWatch: (n) => [
    ['scanned', { network: 'eth', height: n, hash: `0x${n}`, head: n, transfers: [payment(n).transfer] }],
    ['reorganised', { network: 'eth', from: n, height: n - 1 }],
    ['final', { network: 'eth', height: n }],
  ],
  seals: (n) => [...(n === 0 ? [['publish', sealKey] as const] : []), ['seal', { ...head, size: n + 1, from: n }]],
  cosignatures: (n) => [
    ['sign', { ...checkpoint, size: n + 1 }],
    // Each witness falls behind the next one, so that many checkpoints are worth keeping.
    ...[0, 1, 2, 3, 4, 5, 6, 7].map(
      (w) => ['cosign', { checkpoint: { ...checkpoint, size: n + 1 - w }, witness: `w${w}`, ...cosignature }] as const,
    ),
    ['refuse', { witness: `w${n}`, ...checkpoint, size: n + 1, reason: 'parted', seen: n }],
    ['stamp', { checkpoint: { ...checkpoint, size: n + 1 }, stampedAt: time(n), response: 'r'.repeat(9_000) }],
  ],
  quarantine: (n) => [
    ['setAside', { event: `e${n}`, stream: 's-1', revision: '0', type: 'T', fault: 'f', by: 'root', reason: 'r' }],
  ],
  log: (n) => [
    ['recordCopy', { from: `e${n}`, source: 'file:/log', events: n, lastOrder: String(n) }],
    ['recordLostKeys', { ...sameLog, reason: 'r', lost: n, subjects: n }],
    ['recordRefill', { ...sameLog, from: String(n), to: String(n + 1), events: 1 }],
    [
      'recordFallBack',
      {
        ...sameLog,
        reason: 'r',
        head: { id: 'e', order: '1', at: AT },
        seen: { by: 'database', reach: String(n), at: null },
        gone: n,
        branch: `branch_${n}`,
      },
    ],
  ],
}

/** An address with 150 amounts at some 200 bytes each, or 100 keys at some 80; all else is far below. */
const BYTES_MAX: { readonly [K in keyof Deciders]?: number } = {
  // 64 entries.
  gameTournament: 20_480,
  // 400 stakes of a day.
  gameMember: 32_768,
  gameCharacter: 24_576,
  receiveAddress: 40_960,
  sandboxKeys: 16_384,
  site: 16_384,
  checkoutSession: 16_384,
  // 256 payments of one payer under way, 100 of one caller, and 48 transactions of a relayer, at some 200 to 400 bytes
  // each.
  payer: 65_536,
  caller: 32_768,
  relay: 32_768,
  // 60 minutes, and 64 calls about a stock.
  relayBudget: 8_192,
  stock: 8_192,
  // 64 transfers of a refund that were lost.
  transaction: 24_576,
  // 100 parts of a price, and 128 payments that wait for confirmations.
  challenge: 32_768,
  // 9 checkpoints with up to 8 cosignatures.
  cosignatures: 16_384,
  // 1,000 ids of events.
  quarantine: 49_152,
  // Up to 150 transfers that are not booked, and a few orders.
  userBalance: 32_768,
  appCredit: 16_384,
}

for (const [name, d] of Object.entries(deciders) as [keyof Deciders, AnyDecider][])
  test(`the state of ${name} stays small, survives a snapshot, and every command of it is tried`, (t) => {
    let state = d.initial
    let events = 0
    const tried = new Set<string>()
    for (let n = 0; n < ROUNDS; n++)
      for (const [command, data] of rounds[name](n, n === ROUNDS - 1)) {
        tried.add(command)
        const decided = decide(d, state, command, data, time(n))
        state = fold(d, decided, state)
        events += decided.length
      }
    t.true(events > 0)
    t.deepEqual([...tried].sort(), Object.keys(d.decide).sort())
    const text = stateToJson(state)
    t.true(text.length < (BYTES_MAX[name] ?? 2_048), `${text.length} bytes`)
    t.deepEqual(stateFromJson(text), JSON.parse(JSON.stringify(state, keepBigints), reviveBigints))
    t.deepEqual(decidedBy(d, stateFromJson(text), name), decidedBy(d, state, name))
  })

const letter = (n: number) => ({ tokenHash: `h${n}`, expiresAt: time(1e6), letter: 'v1.l' })

const held = (n: number) => ({
  challengeId: `c${n}`,
  accountId: `a${n}`,
  endsAt: time(n + 40),
  heldUntil: time(n + 100),
})

const payment = (n: number) => ({
  challengeId: CHALLENGE_ID,
  asset: 'eth',
  transfer: { ...transferData, tx: `0x${n}` },
})

/** A hundred of them are fewer than the price. */
const part = (n: number) => ({ ...payment(n), transfer: { ...payment(n).transfer, amount: '7' } })

const decide = (d: AnyDecider, state: unknown, command: string, data: object, now: string) => {
  try {
    return d.decide[command]?.(state, data, now) as readonly { type: string; data: object }[]
  } catch (error) {
    if (error instanceof Refusal) return []
    throw error
  }
}

/** What a state decides about one more round: a state from a snapshot decides the same. */
const decidedBy = (d: AnyDecider, state: unknown, name: keyof Deciders) =>
  rounds[name](ROUNDS, false).map(([command, data]) => decide(d, state, command, data, time(ROUNDS)))

const keepBigints = (_key: string, value: unknown) => (typeof value === 'bigint' ? { big: String(value) } : value)
const reviveBigints = (_key: string, value: unknown) =>
  typeof value === 'object' && value !== null && 'big' in value ? BigInt(String(value.big)) : value
