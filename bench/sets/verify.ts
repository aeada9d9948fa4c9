import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { eventually } from '../../src/demo/stage.ts'
import { startChild } from '../child.ts'
import { type DollarChain, startDollarChain } from '../dollar-chain.ts'
import { type DollarSeller, startDollarSeller } from '../dollar-seller.ts'
import { load } from '../load.ts'
import { payer, signedPayment, type Wanted, wantedBy } from '../signed-payments.ts'
import type { BenchSet, Stage } from '../stage.ts'

/**
 * Measures checks of a signed payment by HTTP, beside the least that the usual library does for it; each payment has a
 * payer and a signature of its own. Also measures checks of a payment by its hash.
 */

const DAYBOOK = 'Daybook /v1/exact-verify'
const VIEM = 'Koa and viem verifyTypedData'
const PENDING = 'Daybook /v1/verify, pending'
const SETTLED = 'Daybook /v1/verify, settled'
const CONNECTIONS = 50
const POST = { method: 'POST', headers: { 'content-type': 'application/json' } }
/** Blocks to mine, more than any network asks for here; and milliseconds that the service may take to see them. */
const CONFIRMED_BLOCKS = 50
const SETTLED_MS = 60_000
/** Seconds until the compiler is done with all code of a check. */
const WARM_UP_SECONDS = 5
const DOLLARS = 1

export const verify: BenchSet = {
  name: 'verify',
  title: 'Checks of a payment',
  versioned: [DAYBOOK, PENDING, SETTLED],
  async run(stage) {
    const { root } = stage
    const chain = await startDollarChain()
    stage.closing(() => chain.stop())
    const { url: databaseUrl, sql } = await stage.database()
    const where = { root, dataDir: `${stage.dir}/data`, databaseUrl, sql }
    const seller = await startDollarSeller(chain, { ...where, dollars: DOLLARS })
    stage.closing(() => seller.stop())
    await signed(stage, seller)
    await posted(stage, chain, seller)
  },
}

/** Measures checks of payments by signature. */
const signed = async (stage: Stage, seller: DollarSeller): Promise<void> => {
  const wanted = wantedBy(seller.payTo, DOLLARS)
  const posts = Array.from({ length: stage.pick(10_000, 50_000) }, (_, n) => postOf(n, wanted, seller.soldAt))
  const bodies = `${stage.dir}/bodies`
  await writeFile(bodies, posts.map((post) => `${JSON.stringify(post)}\n`).join(''))
  const at = async (name: string, url: string) => {
    await mustTell(url, posts[0])
    const asked = (seconds: number) => load({ url, ...POST, bodies, connections: CONNECTIONS, seconds }, 200)
    await asked(WARM_UP_SECONDS)
    return { name, round: () => asked(stage.pick(2, 5)) }
  }
  const daybook = await at(DAYBOOK, `${seller.origin}/v1/exact-verify`)
  await stage.compare({
    title: `POSTs with ${posts.length} payments in turn, ${CONNECTIONS} connections`,
    unit: 'checks',
    contestants: stage.peers ? [daybook, await at(VIEM, await startViem(stage))] : [daybook],
    goals: [{ subject: DAYBOOK, reference: VIEM, atLeast: 5 }],
  })
}

const startViem = async (stage: Stage): Promise<string> => {
  const program = fileURLToPath(new URL('../subjects/viem-verify.ts', import.meta.url))
  const viem = await startChild<{ url: string }>(program)
  stage.closing(() => viem.stop())
  return viem.url
}

/**
 * Measures checks of payments by their hash: one that lacks confirmations, for which the chain is asked each time, and
 * one that has settled.
 */
const posted = async (
  stage: Stage,
  chain: DollarChain,
  { client, key, origin, resId }: DollarSeller,
): Promise<void> => {
  const sold = async () => {
    const { accepts } = await client.json('POST', '/v1/challenge', { key, body: { res_id: resId } })
    const { challengeId, payTo, amountAtomic } = accepts[0]
    return { challengeId, hash: await chain.pay(payTo, BigInt(amountAtomic)) }
  }
  const answer = async (body: object) => (await client.call('POST', '/v1/verify', { body })).json
  const done = await sold()
  await chain.mine(CONFIRMED_BLOCKS)
  await eventually('the settlement', async () => (await answer(done)).settled === true || undefined, SETTLED_MS)
  const waiting = await sold()
  await eventually('the payment', async () => (await answer(waiting)).status === 'pending' || undefined, SETTLED_MS)
  const at = async (name: string, body: object) => {
    const what = { url: `${origin}/v1/verify`, ...POST, body: JSON.stringify(body), connections: CONNECTIONS }
    const asked = (seconds: number) => load({ ...what, seconds }, 200)
    await asked(WARM_UP_SECONDS)
    return { name, round: () => asked(stage.pick(2, 5)) }
  }
  await stage.compare({
    title: `POSTs of the same hash, ${CONNECTIONS} connections`,
    unit: 'checks',
    contestants: [await at(PENDING, waiting), await at(SETTLED, done)],
    goals: [],
  })
}

const postOf = (n: number, wanted: Wanted, resource: string) => ({
  x402Version: 2,
  paymentPayload: signedPayment(payer(n), wanted, resource),
  paymentRequirements: wanted,
})

/** Throws unless a payment is valid as it is, and not with another time: that shows that a contestant checks. */
const mustTell = async (url: string, post: ReturnType<typeof postOf> | undefined): Promise<void> => {
  const isValid = async (body: object) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    return ((await response.json()) as { isValid: boolean }).isValid
  }
  if (!post) throw new Error('there is no payment to check')
  const { paymentPayload } = post
  const { signature, authorization } = paymentPayload.payload
  const later = { ...authorization, validAfter: '1' }
  const forged = { ...post, paymentPayload: { ...paymentPayload, payload: { signature, authorization: later } } }
  if (!(await isValid(post)) || (await isValid(forged))) throw new Error(`${url} does not tell payments from forgeries`)
}
