import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { startChild } from '../child.ts'
import { startDollarChain } from '../dollar-chain.ts'
import { startDollarSeller } from '../dollar-seller.ts'
import { load } from '../load.ts'
import { payer, signedPayment, type Wanted, wantedBy } from '../signed-payments.ts'
import type { BenchSet } from '../stage.ts'

/** Checking a signed payment by HTTP, beside the least that the usual library does for it. Nobody comes twice, and no signature either. */

const DAYBOOK = 'Daybook /v1/exact-verify'
const VIEM = 'Koa and viem verifyTypedData'
const CONNECTIONS = 50
/** Until the compiler is done with all that a check runs through. */
const WARM_UP_SECONDS = 5
const DOLLARS = 1

export const verify: BenchSet = {
  name: 'verify',
  title: 'Checks of a signed payment',
  async run(stage) {
    const chain = await startDollarChain()
    stage.closing(() => chain.stop())
    const { url: databaseUrl, sql } = await stage.database()
    const seller = await startDollarSeller(chain, { dataDir: `${stage.dir}/data`, databaseUrl, sql, dollars: DOLLARS })
    stage.closing(() => seller.stop())
    const viem = await startChild<{ url: string }>(
      fileURLToPath(new URL('../subjects/viem-verify.ts', import.meta.url)),
    )
    stage.closing(() => viem.stop())

    const wanted = wantedBy(seller.payTo, DOLLARS)
    const posts = Array.from({ length: stage.pick(10_000, 50_000) }, (_, n) => postOf(n, wanted, seller.soldAt))
    const bodies = `${stage.dir}/bodies`
    await writeFile(bodies, posts.map((post) => `${JSON.stringify(post)}\n`).join(''))
    const daybookUrl = `${seller.origin}/v1/exact-verify`
    for (const url of [daybookUrl, viem.url]) await mustTell(url, posts[0])
    const at = (name: string, url: string) => {
      const common = { url, method: 'POST', headers: { 'content-type': 'application/json' }, bodies }
      const asked = (seconds: number) => load({ ...common, connections: CONNECTIONS, seconds }, 200)
      return { name, round: () => asked(stage.pick(2, 5)), warmUp: () => asked(WARM_UP_SECONDS) }
    }
    const contestants = [at(DAYBOOK, daybookUrl), at(VIEM, viem.url)]
    for (const { warmUp } of contestants) await warmUp()
    await stage.compare({
      title: `POSTs with ${posts.length} payments in turn, ${CONNECTIONS} connections`,
      unit: 'checks',
      contestants,
      goals: [{ subject: DAYBOOK, reference: VIEM, atLeast: 5 }],
    })
  },
}

const postOf = (n: number, wanted: Wanted, resource: string) => ({
  x402Version: 2,
  paymentPayload: signedPayment(payer(n), wanted, resource),
  paymentRequirements: wanted,
})

/** A payment is valid as it is, and not with another time: both contestants look. */
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
