/** What a seller and a buyer do first, through the front door of an installation, wherever that runs. */
import type { ExecutionContext } from 'ava'
import { type Client, createClient } from '../../src/demo/client.ts'
import { eventually } from '../../src/demo/stage.ts'
import { drawn, fileOf, formOf } from '../support/pictures.ts'
import { freshAddress, freshEmail } from '../support/seller.ts'
import type { Surroundings } from './surroundings.ts'

/** Milliseconds for a letter, and for a payment to count. */
const WAIT_MS = 60_000

/** Signs up with a password and follows the letter; answers the owner key. */
export const firstSeller = async (client: Client, { inbox }: Pick<Surroundings, 'inbox'>): Promise<string> => {
  const email = freshEmail()
  const { api_key: key } = await client.json('POST', '/v1/signup', { body: { email, password: 'correct horse' } })
  const letter = await eventually('the letter', async () => inbox.messages().find(({ to }) => to === email), WAIT_MS)
  const { status } = await client.follow(letter.links[0] ?? '')
  if (status !== 200) throw new Error(`the link of the letter answered ${status}`)
  return key
}

/** Signs up with a password, follows the letter, sets a wallet, uploads a picture, and sells once. */
export const firstSale = async (
  t: ExecutionContext,
  origin: string,
  { anvil, inbox }: Pick<Surroundings, 'anvil' | 'inbox'>,
): Promise<{ readonly key: string; readonly resId: string }> => {
  const client = createClient(() => origin)
  const key = await firstSeller(client, { inbox })
  const picture = await fetch(`${origin}/v1/site?resource=assets`, {
    method: 'POST',
    body: formOf(fileOf(await drawn().png().toBuffer())),
    headers: { 'x-api-key': key },
  })
  t.is(picture.status, 200, await picture.clone().text())
  const address = freshAddress()
  await client.json('POST', '/v1/wallets', { key, body: { asset: 'eth', address } })
  const { res_id: resId } = await client.json('POST', '/v1/resources', { key, body: { amount: 10, currency: 'USD' } })
  t.is((await client.call('GET', `/r/${resId}`)).status, 402)
  const { accepts } = await client.json('POST', '/v1/challenge', { key, body: { res_id: resId } })
  const [offer] = accepts as { challengeId: string; amountAtomic: string; requiredConfirmations: number }[]
  const hash = await anvil.send(address, BigInt(offer?.amountAtomic ?? 0))
  await anvil.mine(offer?.requiredConfirmations ?? 0)
  const body = { challengeId: offer?.challengeId, hash }
  const settled = async () => (await client.json('POST', '/v1/verify', { body })).settled === true
  await eventually('the settlement', settled, WAIT_MS)
  t.is((await client.call('GET', `/r/${resId}`)).status, 200)
  return { key, resId }
}
