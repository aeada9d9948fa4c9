import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { toUnits } from '../../domain/kernel/money.ts'
import type { Answer } from '../../src/demo/client.ts'
import { eventually } from '../../src/demo/stage.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { runs } from '../support/depth.ts'
import { authorize, type GaslessChain, type Payer, startGaslessChain } from '../support/gasless.ts'
import { assertReplayEqual, freshAddress, inLine, logOf } from '../support/sale.ts'
import { encoded, facilitated, v1Payload } from '../support/signed-sale.ts'
import { payHostilely, TURNS, type Turn } from './adversary/hostile-signers.ts'
import {
  askedAt,
  type Buyer,
  configurationOf,
  KINDS,
  type Kind,
  moveTo,
  openBuyer,
  openSeller,
  requirementAt,
  rowsOf,
  type Seller,
  type Sent,
  secondStoreKey,
  someone,
} from './adversary/scene.ts'
import { isDoor, type Known, knowing, type Move, moves, takesPayment } from './adversary/weapons.ts'
import { labelOf, written } from './tenants/declared.ts'

/**
 * A shop sells while it is attacked. Honest buyers pay in every way; meanwhile a thief with a free account, with a key
 * of the shop's second store and with none calls whatever the service lists, naming the shop's address, the hashes of
 * its buyers and one signature of its own, sends dust, parts and sums that others were asked for, and signs payments
 * that are good until they are carried out.
 */

const ROUNDS = runs({ quick: 2, deep: 150 })
/** Calls of the attackers at once. */
const CALLS = 40
const SEED = 1_131
/** What the relayer may lose has tests of its own: here nobody is to be refused for what others have cost it. */
const UNBOUNDED = { RELAY_LOSS_PER_HOUR: 'network=9999,seller=9999,payer=9999,code=9999' }

let chain: GaslessChain
let app: TestApp
let payer: Payer
let victim: Seller
let thief: Seller
let callers: readonly (string | undefined)[]
/** How far the service's clock is from the chain's: odd payments are only taken for what was asked a while ago. */
let shiftMs = 0
const A_WHILE_MS = 120_000

/** Where money came to the victim, the newest last, and all of it that came in Ether. */
const addresses: string[] = []
const came: Sent[] = []
/** Challenges of which somebody was told that they are paid, and what one signature bought, by its nonce. */
const told = new Set<string>()
const bought = new Map<string, Set<string>>()
/** Nonces of hostile signatures that were told to have paid. */
const believed: string[] = []

test.before(async () => {
  chain = await startGaslessChain()
  const rates = { KEY_RATE_PER_SECOND: '5000', KEY_RATE_BURST: '9000', ADDRESS_RATE_BURST: '9000' }
  app = await startApp({
    world: { now: () => new Date(Date.now() + shiftMs) },
    env: { ...chain.env, ...rates, ...UNBOUNDED, TRUST_PROXY: '1', STRANGER_BYTES_PER_HOUR: String(9 * 10 ** 8) },
  })
  payer = await chain.payer(10n ** 12n)
  victim = await openSeller(app)
  thief = await openSeller(app)
  callers = [undefined, undefined, thief.key, await secondStoreKey(app, victim)]
})
test.after.always(async () => {
  await app?.stop()
  await chain?.stop()
})

test.serial(
  'X-TEN-01 Q-55 N-24 whatever strangers call and pay, goods never exceed money, honest buyers get theirs, and each payment has one row',
  async (t) => {
    const strange = fc.array(fc.constantFrom('dust', 'part', 'copy', 'own'), { maxLength: 2 })
    const attack = fc.array(moves(callers.length, shops()), { minLength: CALLS, maxLength: CALLS })
    const round = fc.record({
      buyers: fc.array(fc.tuple(fc.constantFrom(...KINDS), fc.nat(2)), { minLength: 1, maxLength: 4 }),
      thiefAsks: fc.boolean(),
      attacks: fc.tuple(attack, attack),
      strange: fc.tuple(strange, strange),
      turns: fc.array(fc.constantFrom(...TURNS), { maxLength: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(round, (each) => play(t, each)),
      { numRuns: ROUNDS, seed: SEED, endOnFailure: true, includeErrorInReport: true },
    )
    await assertBooks(t)
  },
)

test.after('every read model equals its replay', (t) => assertReplayEqual(t, app))

/** What is for sale, by the ids that its doors take. */
const things = () => [...victim.things, ...thief.things]
const shops = () => things().flatMap(({ resId, checkoutId }) => [resId, checkoutId])

type Round = {
  readonly buyers: readonly (readonly [Kind, number])[]
  /** Whether the thief has open challenges of its own at the same address. */
  readonly thiefAsks: boolean
  /** What is called while buyers pay, and while they ask for their goods. */
  readonly attacks: readonly [readonly Move[], readonly Move[]]
  /** What strangers send before and after the buyers. */
  readonly strange: readonly [readonly string[], readonly string[]]
  /** How the thief pays by signature, and does not. */
  readonly turns: readonly Turn[]
}

/** Buyers ask, and pay and ask for their goods while strangers attack. */
const play = async (t: ExecutionContext, { buyers, thiefAsks, attacks, strange, turns }: Round): Promise<void> => {
  addresses.push(freshAddress())
  await moveTo(app, victim.key, addresses.at(-1) ?? '')
  const before = await configurationOf(app, victim)
  const signature = await thiefsSignature()
  shiftMs = -A_WHILE_MS
  const own = thiefAsks ? await thiefsChallenges() : new Map<Known, string>()
  const open = await Promise.all(buyers.map(([kind, n]) => openBuyer(app, payer, kind, victim.things[n]?.path ?? '')))
  shiftMs = 0
  const attack = async (n: 0 | 1, meanwhile: () => Promise<unknown>) => {
    const known = knownNow(own)
    await Promise.all([meanwhile(), ...attacks[n].map((move) => strike(t, move, known, signature))])
  }
  const signing = turns.map((turn) => payHostilely(app, chain, victim.things[0]?.path ?? '', turn))
  await attack(0, async () => {
    await sendStrangely(strange[0], open, own)
    for (const buyer of open) came.push(...(await buyer.pay()))
    await sendStrangely(strange[1], open, own)
    await app.anvil.mine(6)
  })
  await attack(1, async () => {
    const answers = await Promise.all(open.map((buyer) => buyer.collect()))
    for (const [n, answer] of answers.entries()) assertServed(t, open[n], answer)
  })
  for (const nonce of await Promise.all(signing)) if (nonce !== undefined) believed.push(nonce)
  await eventually('a row for each payment', async () => {
    const rows = new Set((await rowsOf(app, victim)).map(({ hash }) => hash))
    return came.every(({ hash }) => rows.has(hash))
  })
  t.deepEqual(await configurationOf(app, victim), before, 'what the victim has set is as it was')
}

const knownNow = (own: ReadonlyMap<Known, string>): ReadonlyMap<string, string> =>
  new Map([
    ...own,
    ...came
      .slice(-3)
      .flatMap(({ hash }, n) => [[`@hash${n}`, hash] as const, [`@transfer${n}`, `eth:${hash}:native`] as const]),
    ...addresses.slice(-2).map((address, n) => [`@address${n}`, address] as const),
  ])

/** The asked amount in time gets the goods; odd amounts may be left to the seller. */
const assertServed = (t: ExecutionContext, buyer: Buyer | undefined, answer: Answer): void => {
  const { kind, offer } = buyer ?? {}
  if (kind === 'exact') t.deepEqual([answer.status, answer.json], [200, { settled: true }], answer.text)
  if (kind === 'signed') t.is(answer.status, 200, answer.text)
  if (offer && answer.json.settled === true) told.add(offer.challengeId)
}

/** One call of the thief's; what it was told of goods is noted. */
const strike = async (
  t: ExecutionContext,
  move: Move,
  known: ReadonlyMap<string, string>,
  signature: Awaited<ReturnType<typeof thiefsSignature>>,
): Promise<void> => {
  const { e, signed } = move
  const query = knowing(move.query, known)
  const body = knowing(move.body, known)
  const pays = signed && takesPayment(e)
  const given = pays && !isDoor(e) ? facilitated(signature.authorization, signature.requirement) : body
  const { method, path, ...options } = written(e, { query, body: given })
  const headers = {
    ...options.headers,
    'x-forwarded-for': `203.0.113.${move.network}`,
    ...(pays && isDoor(e) && { 'x-payment': encoded(v1Payload(signature.authorization)) }),
    ...(move.once && { 'idempotency-key': 'the same everywhere' }),
  }
  const key = callers[move.caller]
  const what = `${labelOf(e)} ${JSON.stringify([query, given])}`
  const calling = app.call(method, path, { ...options, headers, ...(key !== undefined && { key }) })
  const answer = await calling.catch((error: unknown) => {
    throw new Error(`no answer to ${what}`, { cause: error })
  })
  if (answer.status >= 500 && answer.status !== 503) t.fail(`${what}: ${answer.text}`)
  if (answer.json?.settled === true && typeof body.challengeId === 'string') told.add(body.challengeId)
  if (pays && isDoor(e) && answer.status === 200) noteSigned(signature.authorization.nonce, path)
  if (pays && !isDoor(e) && answer.json?.success === true)
    noteSigned(signature.authorization.nonce, signature.requirement.resource)
}

const noteSigned = (nonce: string, path: string): void => {
  // Its query may name other things, which are not what was asked for.
  const { pathname } = new URL(path, 'http://shop.example')
  const thing = things().find(({ resId, checkoutId }) => pathname.endsWith(resId) || pathname.endsWith(checkoutId))
  bought.set(nonce, (bought.get(nonce) ?? new Set()).add(thing?.resId ?? path))
}

/** Challenges that the thief has opened at the victim's doors and at its own. */
const thiefsChallenges = async (): Promise<Map<Known, string>> => {
  const network = { 'x-forwarded-for': '203.0.113.200' }
  const own = new Map<Known, string>()
  for (const [n, thing] of [victim.things[0], victim.things[2], thief.things[0]].entries()) {
    const { offer } = await askedAt(app, thing?.path ?? '', network)
    if (offer) own.set(`@own${n}` as Known, offer.challengeId)
  }
  return own
}

/** Money of the thief's for the victim, of which it makes as much as it can. */
const thiefsSignature = async () => {
  const requirement = await requirementAt(app, victim.things[0]?.path ?? '', someone())
  const wish = { to: requirement.payTo, value: BigInt(requirement.maxAmountRequired) }
  return { requirement, authorization: await authorize(payer, wish) }
}

/** Strangers send dust, a third of a price, the amount that a buyer was asked for, or simply what they were asked. */
const sendStrangely = async (
  all: readonly string[],
  buyers: readonly Buyer[],
  own: ReadonlyMap<Known, string>,
): Promise<void> => {
  const asked = buyers.find(({ offer }) => offer)?.offer
  const price = asked ? BigInt(asked.amountAtomic) : 10n ** 16n
  for (const what of all) {
    const amounts: Record<string, bigint> = { part: price / 3n, own: await priceOf(own.get('@own0')) }
    // Who knows the amount has seen it paid.
    if (came.some(({ meant }) => meant === asked?.challengeId)) amounts.copy = price
    const wei = amounts[what] ?? 1n
    came.push({ hash: await inLine(() => app.anvil.send(addresses.at(-1) ?? '', wei)), wei })
  }
}

/** What the thief was asked for in a challenge of its own: now and then it simply buys. */
const priceOf = async (challengeId: string | undefined): Promise<bigint> => {
  const { offer } = await askedAt(app, victim.things[0]?.path ?? '', { 'x-forwarded-for': '203.0.113.200' })
  return offer && offer.challengeId === challengeId ? BigInt(offer.amountAtomic) : 1n
}

const assertBooks = async (t: ExecutionContext): Promise<void> => {
  const rows = await rowsOf(app, victim)
  // Every payment has one row, with what came.
  t.deepEqual(
    rows
      .filter(({ asset }) => asset === 'eth')
      .map(({ hash, asset_amount }) => [hash, toUnits(asset_amount, 18)])
      .sort(),
    came.map(({ hash, wei }) => [hash, wei]).sort(),
  )
  // Nothing that was meant for one challenge pays another.
  const meant = new Map(came.map((each) => [each.hash, each.meant]))
  for (const { hash, status, challenge_id } of rows) {
    const own = meant.get(hash)
    if (own !== undefined && status !== 'unmatched') t.is(challenge_id, own, `${hash} ${status}`)
  }
  // Goods never exceed money: what was told to be paid has settled, and the money that settled it came for it alone.
  const log = await logOf(app)
  const settled = log.flatMap((event) => (event.type === 'ChallengeSettled' ? [event.data] : []))
  const ids = new Set(settled.map(({ challengeId }) => challengeId))
  t.is(ids.size, settled.length, 'each challenge settles once')
  t.deepEqual(
    [...told].filter((id) => !ids.has(id)),
    [],
  )
  const carriedOut = new Set(settled.map(({ transfer }) => transfer.authorization))
  t.deepEqual(
    believed.filter((nonce) => !carriedOut.has(nonce)),
    [],
    'a signature that has bought has paid',
  )
  const paid = Map.groupBy(
    rows.filter(({ status }) => status === 'settled' || status === 'part'),
    ({ challenge_id }) => challenge_id,
  )
  for (const [id, parts] of paid) {
    const [{ asset, asset_amount_asked } = { asset: '', asset_amount_asked: null }] = parts
    const decimals = asset === 'eth' ? 18 : 6
    const sum = parts.reduce((total, { asset_amount }) => total + toUnits(asset_amount, decimals), 0n)
    t.true(sum >= toUnits(asset_amount_asked ?? '0', decimals), `${id} was paid ${sum}`)
  }
  for (const [nonce, things] of bought) t.is(things.size, 1, `one signature ${nonce} bought ${[...things].join(', ')}`)
  // What came to the victim is nobody else's.
  t.deepEqual(
    (await rowsOf(app, thief)).filter(({ hash }) => meant.has(hash)),
    [],
  )
  t.true(settled.length > ROUNDS, 'honest buyers bought')
  t.log(`${came.length} payments, ${settled.length} settlements, ${bought.size} signatures taken`)
}
