import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { toUnits } from '../../../domain/kernel/money.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { BASE_DOLLAR, type Dollar, type Payer } from '../../support/gasless.ts'
import { honest, hostile, type Payment, returning } from './moves.ts'
import { type Hour, openHour, type Shop } from './scene.ts'
import type { Told } from './told.ts'

/**
 * Honest and hostile payers beside each other, a fifth of them hostile by all moves, while blocks come at the pace of
 * Base and of Ethereum. `HOUR_MINUTES` says for how long; ten minutes unless set.
 */

const MINUTES = Number(process.env.HOUR_MINUTES ?? '10')
const SHOPS = 8
const RETURNING = 40
/** Of ten payers two are hostile, six come back, and two are new. */
const TURNS = [
  'returning',
  'hostile',
  'returning',
  'new',
  'returning',
  'returning',
  'hostile',
  'returning',
  'new',
  'returning',
]
const LIMIT_USD = '20'
const BLOCKS_MAX = 3

const SEPOLIA: Dollar = {
  network: 'eth',
  asset: 'usdc',
  chainId: 11155111,
  contract: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238',
  name: 'USDC',
}

for (const [dollar, blockSeconds, everyMs] of [
  [BASE_DOLLAR, 2, 1_500],
  [SEPOLIA, 12, 3_000],
] as const)
  test(`N-42 N-43 J-GAS-02 an hour of blocks every ${blockSeconds} s: honest payers are mined and settled as the 402 says, and the loss to hostile ones is bounded`, async (t) => {
    t.timeout((MINUTES + 15) * 60_000)
    const hour = await openHour(dollar, blockSeconds, { RELAY_LOSS_PER_HOUR: `network=${LIMIT_USD},seller=8` })
    t.teardown(() => hour.stop())
    const shops = await inTurn(SHOPS, () => hour.openShop())
    const regulars = await inTurn(RETURNING, () => hour.payer())
    const before = await hour.chain.balanceOf(hour.relayer)
    const [good, bad] = await play(hour, shops, regulars, everyMs)
    await eventually('everything has its end', async () => underWay(hour, [...good, ...bad]) === 0, 15 * 60_000)
    const spentWei = before - (await hour.chain.balanceOf(hour.relayer))
    const facts = { blockSeconds, minutes: MINUTES, ...(await assertHonest(t, hour, good, blockSeconds)) }
    t.log(facts, await assertLoss(t, hour, [...good, ...bad], spentWei), statusesOf(bad))
  })

const inTurn = async <T>(count: number, make: () => Promise<T>): Promise<readonly T[]> => {
  const all: T[] = []
  for (let n = 0; n < count; n++) all.push(await make())
  return all
}

type Kind = 'honest' | 'hostile'
type Played = { readonly kind: Kind; readonly name: string; readonly payment: Payment }

const play = async (hour: Hour, shops: readonly Shop[], regulars: readonly Payer[], everyMs: number) => {
  const [fair, foul] = [Object.entries(honest), Object.entries(hostile)]
  const played: Promise<Played | undefined>[] = []
  const until = Date.now() + MINUTES * 60_000
  for (let n = 0; Date.now() < until; n++) {
    const turn = TURNS[n % TURNS.length]
    const shop = shops[n % shops.length] as Shop
    const [name, move] =
      turn === 'returning'
        ? ['returns', returning(regulars[n % regulars.length] as Payer)]
        : ((turn === 'new' ? fair : foul)[Math.floor(n / 5) % (turn === 'new' ? fair : foul).length] ?? [])
    const kind = turn === 'hostile' ? 'hostile' : 'honest'
    if (name && move)
      played.push(
        move(hour, shop, n).then(
          (payment) => ({ kind, name, payment }),
          (error: Error) => void process.stderr.write(`${name}: ${error.message}\n`),
        ),
      )
    await pause(everyMs)
  }
  const done = (await Promise.all(played)).flatMap((each) => each ?? [])
  return [done.filter(({ kind }) => kind === 'honest'), done.filter(({ kind }) => kind === 'hostile')] as const
}

const toldOf = (hour: Hour, { payment }: Played): Told | undefined => hour.log.payments.get(payment.nonce)

const underWay = (hour: Hour, all: readonly Played[]): number =>
  all.filter((each) => {
    const told = toldOf(hour, each)
    return told?.acceptedAt !== undefined && told.settledAt === undefined && told.failed === undefined
  }).length

/** Mined within three blocks of acceptance, and settled with as many confirmations as the 402 has named, not sooner. */
const assertHonest = async (t: ExecutionContext, hour: Hour, all: readonly Played[], blockSeconds: number) => {
  const times = await blockTimes(hour)
  const heightAt = (at: string) => times.findLastIndex((seconds) => seconds <= Math.floor(Date.parse(at) / 1_000))
  let inTime = 0
  const late: object[] = []
  const taken = all.filter((each) => toldOf(hour, each)?.acceptedAt !== undefined)
  for (const each of taken) {
    const { acceptedAt = '', minedIn, settledAt } = toldOf(hour, each) ?? {}
    const waited = minedIn === undefined ? Number.POSITIVE_INFINITY : minedIn - heightAt(acceptedAt)
    if (waited <= BLOCKS_MAX) inTime++
    else late.push({ name: each.name, waited, ...toldOf(hour, each) })
    if (minedIn === undefined || settledAt === undefined) continue
    const confirmedAt = times[minedIn + each.payment.confirmations - 1] ?? Number.POSITIVE_INFINITY
    t.true(Date.parse(settledAt) / 1_000 >= confirmedAt, `${each.payment.nonce} settled before it was confirmed`)
    t.true(Date.parse(settledAt) / 1_000 <= confirmedAt + 2 * blockSeconds + 30, 'and soon after')
  }
  t.true(inTime / taken.length >= 0.995, inspect(late))
  return { honest: all.length, taken: taken.length, inTime, refused: statusesOf(all.filter((e) => !taken.includes(e))) }
}

/** In seconds, by height. */
const blockTimes = async (hour: Hour): Promise<readonly number[]> => {
  const newest = Number(await hour.chain.client.getBlockNumber())
  return inTurn(
    newest + 1,
    (() => {
      let n = 0n
      return async () => Number((await hour.chain.client.getBlock({ blockNumber: n++ })).timestamp)
    })(),
  )
}

const assertLoss = async (t: ExecutionContext, hour: Hour, all: readonly Played[], spentWei: bigint) => {
  let [spent, billed] = [0n, 0n]
  for (const each of all) {
    const { gasUsd = 0n, billedUsd = 0n } = toldOf(hour, each) ?? {}
    spent += gasUsd
    billed += billedUsd
    t.true(Number(billedUsd) <= each.payment.maxGasFeeUsd * 1e6 + 1, `${each.name}: billed above its offer`)
  }
  const limit = toUnits(LIMIT_USD, 6)
  const lost = hour.log.lostUsd()
  // Ether costs 2,500 dollars here.
  const paid = (spentWei * 2_500n * 1_000_000n) / 10n ** 18n
  t.true(lost <= limit, `${lost} was lost`)
  t.true(paid - spent <= limit, `${paid} was paid, ${spent} for what was carried out`)
  return {
    paidUsd: Number(paid) / 1e6,
    carriedOutUsd: Number(spent) / 1e6,
    billedUsd: Number(billed) / 1e6,
    lostUsd: Number(lost) / 1e6,
  }
}

const statusesOf = (all: readonly Played[]) => {
  const counts: Record<string, number> = {}
  for (const { name, payment } of all) {
    const key = `${name}: ${payment.status}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}
