/** 64 writers of every kind at once, through the front door only. What the service acknowledged is kept as claims. */
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, type CallOptions, type Client, createClient } from '../../src/demo/client.ts'
import type { Anvil } from '../support/anvil.ts'
import type { Chance } from './chance.ts'
import { fact } from './facts.ts'

/** Where the load goes; `origins` are the service's, one for each process of it. */
export type LoadPlace = {
  readonly origins: readonly string[]
  readonly anvil: Anvil
  readonly hookUrl: string
  readonly chance: Chance
}

export type Load = {
  readonly claims: ReadonlySet<string>
  /** A seller's, for a call beside the writers. */
  readonly key: string
  /** How often each status came; 0 stands for no answer. */
  readonly answers: ReadonlyMap<number, number>
  /** Milliseconds of the slowest answer since the last look. */
  slowest(): number
  /** Resolves once so many more writes are acknowledged, or after a time. */
  grown(writes: number, limitMs: number): Promise<void>
  /** Writers begin, and go on until `halt`, which waits for their last answers. */
  begin(): void
  halt(): Promise<void>
}

/** Of 64; the rest make resources. */
const CREW = { signUp: 2, challenge: 16, wallet: 4, webhook: 4, payment: 4 } as const
const WRITERS = 64
/** After a call that failed, so that a service that is down is not flooded. */
const FAILED_PAUSE_MS = 25
/** Passwords are hashed at the price of a hundred other writes, and the chain has a pace of its own. */
const SIGN_UP_PAUSE_MS = 500
const PAYMENT_PAUSE_MS = 60
/** A payment that is not settled by then is left to the watch. */
const VERIFY_TRIES = 200
const SELLERS = 4
const LOOK_AGAIN_MS = 5

type Seller = { readonly key: string; readonly resId: string }
type Writer = { readonly client: Client; readonly seller: Seller; readonly n: number; readonly tag: string }
type Shared = LoadPlace & {
  readonly claims: Set<string>
  call(client: Client, method: string, path: string, options?: CallOptions): Promise<Answer | undefined>
  running(): boolean
}

/** Makes the sellers; the service has to be up. */
export const openLoad = async (place: LoadPlace): Promise<Load> => {
  const claims = new Set<string>()
  const answers = new Map<number, number>()
  let slowest = 0
  let running = false
  let writing: Promise<unknown> = Promise.resolve()
  const call: Shared['call'] = async (client, method, path, options) => {
    const start = performance.now()
    const answer = await client.call(method, path, options).catch(() => undefined)
    slowest = Math.max(slowest, performance.now() - start)
    answers.set(answer?.status ?? 0, (answers.get(answer?.status ?? 0) ?? 0) + 1)
    // Somebody who is told to come back later does.
    if (!answer || answer.status >= 429) await pause(FAILED_PAUSE_MS)
    return answer
  }
  const shared: Shared = { ...place, claims, call, running: () => running }
  const clients = place.origins.map((origin) => createClient(() => origin))
  const sellers = await Promise.all(
    Array.from({ length: SELLERS }, (_, n) => newSeller(clients[n % clients.length] as Client, place, n)),
  )
  const run = String(place.chance.between(1, 999_999))
  const rounds = new Map<number, number>()
  const writer = async (n: number) => {
    const work = jobs[jobOf(n)]
    const client = clients[n % clients.length] as Client
    while (running) {
      const round = (rounds.get(n) ?? 0) + 1
      rounds.set(n, round)
      await work(shared, { client, seller: sellers[n % SELLERS] as Seller, n: round, tag: `${run}-${n}` })
    }
  }
  return {
    claims,
    key: sellers[0]?.key ?? '',
    answers,
    slowest() {
      const most = slowest
      slowest = 0
      return Math.round(most)
    },
    async grown(writes, limitMs) {
      const [target, until] = [claims.size + writes, Date.now() + limitMs]
      while (claims.size < target && Date.now() < until) await pause(LOOK_AGAIN_MS)
    },
    begin() {
      running = true
      writing = Promise.all(Array.from({ length: WRITERS }, (_, n) => writer(n)))
    },
    async halt() {
      running = false
      await writing
    },
  }
}

const newSeller = async (client: Client, { anvil, hookUrl, chance }: LoadPlace, n: number): Promise<Seller> => {
  const email = `seller-${chance.between(1, 1e9)}-${n}@example.test`
  const { api_key: key } = await client.json('POST', '/v1/signup', { body: { email, password: 'correct horse' } })
  const address = anvil.accounts[n]?.address
  await client.json('POST', '/v1/wallets', { key, body: { asset: 'eth', address } })
  await client.json('POST', '/v1/agent', { key, body: { webhook_url: hookUrl } })
  const { res_id: resId } = await client.json('POST', '/v1/resources', { key, body: { amount: 1 } })
  return { key, resId }
}

const jobOf = (n: number): keyof typeof jobs => {
  let from = 0
  for (const [job, count] of Object.entries(CREW)) {
    from += count
    if (n < from) return job as keyof typeof CREW
  }
  return 'resource'
}

type Job = (shared: Shared, writer: Writer) => Promise<unknown>

const jobs: Readonly<Record<keyof typeof CREW | 'resource', Job>> = {
  async resource({ call, claims }, { client, seller: { key }, tag, n }) {
    // A price of its own each time: a creation is not repeated by its caller, so it must not be by anybody else.
    const amount = Number(`${100 + Number(tag.split('-')[1])}${String(n).padStart(6, '0')}`) / 1_000
    const answer = await call(client, 'POST', '/v1/resources', { key, body: { amount, currency: 'USD' } })
    if (answer?.status === 200) claims.add(fact.resource(answer.json.res_id))
  },
  async signUp({ call, claims, running }, { client, tag, n }) {
    const body = { email: `buyer-${tag}-${n}@example.test`, password: 'correct horse' }
    const answer = await untilAnswered(running, () => call(client, 'POST', '/v1/signup', { body }))
    if (answer?.status === 200) claims.add(fact.key(createHash('sha256').update(answer.json.api_key).digest('hex')))
    await pause(SIGN_UP_PAUSE_MS)
  },
  async challenge({ call, claims }, { client, seller: { key, resId }, n }) {
    const answer =
      n % 4 === 0
        ? await call(client, 'GET', `/r/${resId}`)
        : await call(client, 'POST', '/v1/challenge', { key, body: { res_id: resId } })
    for (const { challengeId } of (answer?.json?.accepts ?? []) as { challengeId: string }[])
      claims.add(fact.challenge(challengeId.slice(0, challengeId.indexOf('.'))))
  },
  async wallet({ call, claims, running }, { client, seller: { key }, tag, n }) {
    const address = `0x${createHash('sha256').update(`${tag}-${n}`).digest('hex').slice(0, 40)}`
    const body = { asset: 'usdc', address }
    const answer = await untilAnswered(running, () => call(client, 'POST', '/v1/wallets', { key, body }))
    if (answer?.status === 200) claims.add(fact.wallet(address))
  },
  async webhook({ call, claims, running, hookUrl }, { client, seller: { key }, tag, n }) {
    const url = `${hookUrl}?${tag}-${n}`
    const answer = await untilAnswered(running, () => call(client, 'POST', '/v1/webhook', { key, body: { url } }))
    if (answer?.status === 200) claims.add(fact.webhook(url))
  },
  async payment(shared, { client, seller: { key, resId } }) {
    const { call, claims, running } = shared
    const asked = await call(client, 'POST', '/v1/challenge', { key, body: { res_id: resId } })
    const offer = ((asked?.json?.accepts ?? []) as Offer[]).find(({ asset }) => asset === 'eth')
    if (!offer) return
    const hash = await paid(shared, offer)
    const body = { challengeId: offer.challengeId, hash }
    for (let tries = 0; running() && tries < VERIFY_TRIES; tries++) {
      const answer = await call(client, 'POST', '/v1/verify', { body })
      if (answer?.json?.settled === true) {
        claims.add(fact.settled(offer.challengeId))
        break
      }
      if (answer?.status === 410) break
    }
    await pause(PAYMENT_PAUSE_MS)
  },
}

type Offer = { asset: string; challengeId: string; payTo: string; amountAtomic: string; requiredConfirmations: number }

let paying: Promise<unknown> = Promise.resolve()

/** One payment at a time: the payer's transactions are numbered. */
const paid = ({ anvil }: Shared, offer: Offer): Promise<string> => {
  const mine = paying.then(async () => {
    const hash = await anvil.send(offer.payTo, BigInt(offer.amountAtomic))
    await anvil.mine(offer.requiredConfirmations)
    return hash
  })
  paying = mine.catch(() => undefined)
  return mine
}

/** Sends the same command again while nobody says what became of it. */
const untilAnswered = async (running: () => boolean, send: () => Promise<Answer | undefined>) => {
  for (;;) {
    const answer = await send()
    if ((answer && answer.status < 429) || !running()) return answer
  }
}
