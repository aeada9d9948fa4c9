import { randomBytes } from 'node:crypto'
import { address as bitcoin } from 'bitcoinjs-lib'
import { getAddress } from 'viem'
import type { Answer } from '../../src/demo/client.ts'
import type { TestApp } from './app.ts'

/** Short ways to the states that most HTTP tests begin with. Everything goes through the service's own front door. */

/** An address of nobody in particular, with a right checksum. */
export const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const MAIL_WAIT_MS = 60_000

let people = 0
export const freshEmail = () => `person-${process.pid}-${++people}@example.test`

/** Signs up; answers the owner key. */
export const signUp = async (
  app: Pick<TestApp, 'call'>,
  email = freshEmail(),
): Promise<{ key: string; email: string }> => {
  const { status, text, json } = await app.call('POST', '/v1/signup', { body: { email, password: 'correct horse' } })
  if (status !== 200) throw new Error(`sign-up answered ${status}: ${text}`)
  return { key: json.api_key, email }
}

/** Waits for the letter to an address and answers its link. */
export const mailedLink = async (app: Pick<TestApp, 'call'>, email: string): Promise<string> => {
  const until = Date.now() + MAIL_WAIT_MS
  while (Date.now() < until) {
    const { json } = await app.call('GET', '/dev/inbox.json')
    const letter = (json as { to: string; links: string[] }[]).find(({ to }) => to === email)
    if (letter?.links[0]) return letter.links[0]
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`no letter came to ${email}`)
}

/** Signs up and follows the mailed link. */
export const activeSeller = async (app: Pick<TestApp, 'call'>): Promise<{ key: string; email: string }> => {
  const seller = await signUp(app)
  const link = new URL(await mailedLink(app, seller.email))
  const { status } = await app.call('GET', `${link.pathname}${link.search}`)
  if (status !== 200) throw new Error(`the link answered ${status}`)
  return seller
}

/** An address that nobody holds and no other test uses. */
export const freshAddress = (): string => getAddress(`0x${randomBytes(20).toString('hex')}`)

export const freshBitcoin = (): string => bitcoin.toBech32(randomBytes(20), 0, 'bc')

/** An active seller with an eth wallet, a webhook and a resource at a price. */
export const seller = async (app: TestApp, { amount = 100, address = freshAddress(), webhook = true } = {}) => {
  const { key, email } = await activeSeller(app)
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address } }))
  const hook = webhook ? await ok(app.call('POST', '/v1/webhook', { key, body: { url: app.receiver.url } })) : undefined
  const resource = await ok(app.call('POST', '/v1/resources', { key, body: { amount, currency: 'USD' } }))
  return { key, email, secret: hook?.json.secret as string, resId: resource.json.res_id as string }
}

export type Offer = {
  challengeId: string
  payTo: string
  amount: string
  amountAtomic: string
  requiredConfirmations: number
}

/**
 * The eth entry of a resource's 402. `caller` tells buyers apart: each gets a challenge of its own from POST
 * /v1/challenge.
 */
export const offerOf = async (app: TestApp, key: string, resId: string): Promise<Offer> => {
  const { json } = await ok(app.call('POST', '/v1/challenge', { key, body: { res_id: resId } }))
  return (json.accepts as (Offer & { asset: string })[]).find(({ asset }) => asset === 'eth') as Offer
}

/** Pays an offer on the chain and mines until it counts; answers the hash. */
export const pay = async (app: TestApp, offer: Offer): Promise<string> => {
  const hash = await app.anvil.send(offer.payTo, BigInt(offer.amountAtomic))
  await app.anvil.mine(offer.requiredConfirmations)
  return hash
}

export const ok = async (answering: Promise<Answer>): Promise<Answer> => {
  const answer = await answering
  if (answer.status !== 200) throw new Error(`expected 200 but got ${answer.status}: ${answer.text}`)
  return answer
}
