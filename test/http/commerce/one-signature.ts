import test from 'ava'
import type { EventType } from '../../../domain/write-side/deciders.ts'
import { eventually } from '../../../src/demo/stage.ts'
import type { TestApp } from '../../support/app.ts'
import { buyerOf, type CommerceScene, type CommerceShop, cart, commerceShop } from '../../support/commerce.ts'
import { authorize } from '../../support/gasless.ts'
import { saidOf } from '../../support/sale.ts'
import { encoded, facilitated, requirementOf, v1Payload } from '../../support/signed-sale.ts'

/** A hundred parallel deliveries of one signature, to everything of one seller that takes signatures. */
export const oneSignature = (scene: CommerceScene): void => {
  test('N-42 X-IDEM-04 I-SET-01 of 100 deliveries of one signature to doors, carts, exact-settle and the facilitator at once, one sale comes', async (t) => {
    const { app, chain } = scene()
    const shop = await commerceShop(app, { webhook: false })
    const payer = await chain.payer(100_000_000n)
    // More than any of them asks for, which version 1 allows.
    const signed = await authorize(payer, { to: shop.address, value: 10_500_000n })
    const { everywhere, carts, cancel } = await targetsOf(app, shop, signed)
    const answers = await Promise.all([1, 2, 3, 4, 5].flatMap(everywhere))
    t.is(answers.length, 100)
    const sold = soldOf(answers)
    t.is(sold.length, 1, sold.join())
    const others = answers.flatMap(({ refused }) => refused ?? [])
    t.deepEqual([...new Set(others)], ['duplicate_settlement'])
    t.is(await chain.balance(payer.address), 100_000_000n - 10_500_000n)

    const challengeId = (await saidOf(app, 'AuthorizationAccepted', signed.nonce))[0]?.challengeId
    await eventually('its bills', async () => (await saidOf(app, 'CreditDebited', challengeId ?? '')).length >= 2)
    // What has lost keeps nothing: a cart can be given up at once.
    for (const id of carts) t.is((await cancel(id)).status, sold.includes(id) ? 409 : 200)
    const count = async (type: EventType, mention = signed.nonce) => (await saidOf(app, type, mention)).length
    for (const type of ['AuthorizationAccepted', 'AuthorizationSettled', 'RelayTransactionSent'] as const)
      t.is(await count(type), 1, type)
    t.is(await count('ChallengeSettled', shop.address), 1)
    t.is(await count('CreditDebited', challengeId), 2, 'one fee, and one bill for gas')
    t.is(await count('PayerFundsReleased'), await count('PayerFundsReserved'))
    const released = (await saidOf(app, 'ChallengeReleased', signed.nonce)).map((each) => each.challengeId)
    const kept = (await saidOf(app, 'ChallengeReserved', signed.nonce)).map((each) => each.challengeId)
    t.deepEqual(
      kept.filter((each) => !released.includes(each)),
      [challengeId],
    )
    const again = soldOf(await Promise.all(everywhere()))
    t.deepEqual(
      again.filter((each) => !sold.includes(each)),
      [],
      'nothing else is sold by it afterwards',
    )
  })
}

/** What was answered: the sale that it says was made, or why none was. */
type Answer = { readonly sold?: string | undefined; readonly refused?: string | undefined }

const soldOf = (answers: readonly Answer[]): string[] => [...new Set(answers.flatMap(({ sold }) => sold ?? []))]

/**
 * Six resources and six carts of a seller, and how to send a signature to each of them in every way, 20 deliveries a
 * time.
 */
const targetsOf = async (app: TestApp, shop: CommerceShop, signed: Parameters<typeof v1Payload>[0]) => {
  const buyer = buyerOf(app, shop)
  const resIds = [shop.resId, ...(await Promise.all([1, 2, 3, 4, 5].map(() => shop.resource())))]
  const required = await Promise.all(resIds.map((resId) => requirementOf(app, `/r/${resId}`)))
  const carts = await Promise.all(
    resIds.map(async (resId) => {
      const { id } = await buyer.create(cart([resId]))
      await buyer.complete(id)
      return id
    }),
  )
  const door = async (resId: string): Promise<Answer> => {
    const headers = { 'x-payment': encoded(v1Payload(signed)) }
    const { status, json } = await app.call('GET', `/r/${resId}`, { headers })
    return status === 200 ? { sold: resId } : { refused: json.error }
  }
  const complete = async (id: string): Promise<Answer> => {
    const instrument = { handler_id: 'x402', credential: { type: 'x402', payload: v1Payload(signed) } }
    const body = { payment: { instruments: [instrument] } }
    const { json } = await buyer.call('POST', `/checkout-sessions/${id}/complete`, { body })
    return { sold: json.status === 'completed' ? id : undefined }
  }
  const settle = async (path: string, n: number, key?: string): Promise<Answer> => {
    const requirement = { ...required[n], ...(key !== undefined && { resource: 'https://shop.test/paid' }) }
    const options = { body: facilitated(signed, requirement), ...(key !== undefined && { key }) }
    const { json } = await app.call('POST', path, options)
    return json.success ? { sold: key === undefined ? resIds[n] : 'elsewhere' } : { refused: json.errorReason }
  }
  const everywhere = (): Promise<Answer>[] => [
    ...resIds.map(door),
    ...carts.map(complete),
    ...resIds.map((_, n) => settle(n % 2 === 0 ? '/v1/exact-settle' : '/v1/x402/settle', n)),
    ...[0, 1].map((n) => settle('/v1/x402/settle', n, shop.key)),
  ]
  return { everywhere, carts, cancel: (id: string) => buyer.cancel(id) }
}
