import test from 'ava'
import { takePieces } from '../../domain/reactions/policies/stock.ts'
import { payByCard } from '../../domain/use-cases/card/pay.ts'
import { lookAtCheckout } from '../../domain/use-cases/card/settle.ts'
import { keepChallenge, type Sale, type Terms } from '../../domain/use-cases/selling/challenges/keep-challenge.ts'
import { lendPieces } from '../../domain/use-cases/selling/stock/lend-pieces.ts'
import { runPolicies } from '../support/ledger.ts'
import { scene } from './card-scene.ts'
import { ACCOUNT, AUTHORIZATION_ID, entry, opened, RES_ID, SET_ID, signed } from './samples.ts'

/** Cards and signed payments: whether there is a piece is decided before anybody's money moves. */

const MINUTE = 60_000
const LATER = '2026-03-05T10:00:00.000Z'
const counted = { accountId: ACCOUNT, by: 'k', reason: 'counted', count: 1 } as const
const goods = [{ productId: RES_ID, quantity: 1 }]

/** A resource of which one piece is there, and a visit of somebody who wants to pay for it by card. */
const oneLeft = async () => {
  const { sale, ...rest } = await scene(LATER)
  const { paymentRequest: _, until: __, ...of } = sale
  await rest.parts.ledger.stock.change(RES_ID, counted)
  const visit = (name: string) => ({ ...of, resId: RES_ID, origin: `${RES_ID} ${name}` })
  const left = async () => (await rest.parts.ledger.stock.read(RES_ID)).count
  return { ...rest, visit, left }
}

test('N-98 N-31 a page of the card processor holds the last piece for an hour, and the next buyer is led to none', async (t) => {
  const { world, store, opened: pages, pay, parts, visit, left, said } = await oneLeft()
  const { id } = await payByCard(parts, visit('one'))
  t.is([...pages.values()][0]?.expiresAt, '2026-03-02T11:00:00.000Z')
  await t.throwsAsync(payByCard(parts, visit('two')), { code: 'out-of-stock' })
  t.is(pages.size, 1)
  pay('cs_1')
  t.is(await lookAtCheckout(parts, id), 'settled')
  await runPolicies(store, parts.ledger, world, [takePieces])
  t.deepEqual([await left(), said('PiecesSold')], [0, 1])
  await runPolicies(store, parts.ledger, world, [takePieces])
  t.is(said('PiecesSold'), 1)
})

test('N-98 a card that is charged when the piece has gone to somebody else has bought nothing, and says so', async (t) => {
  const { world, store, pay, parts, visit } = await oneLeft()
  const { id } = await payByCard(parts, visit('one'))
  world.step(75 * MINUTE)
  await payByCard(parts, visit('two'))
  pay('cs_1')
  t.is(await lookAtCheckout(parts, id), 'doubled')
  const aside = store.events().find(({ type }) => type === 'CardPaymentSetAside')
  t.like(aside?.data, { reason: 'sold_out', resId: RES_ID })
  t.like(await parts.ledger.cardPayment.read(id), { status: 'doubled', soldOut: true })
})

test('N-98 N-42 a signed payment without a piece is not sent, and its challenge is free again', async (t) => {
  const { parts, said } = await oneLeft()
  const { ledger } = parts
  const usdc = { ...entry, asset: 'usdc_base', network: 'base', contract: signed.contract }
  await ledger.challenge.open(SET_ID, { ...opened, entries: [usdc] })
  const named = `${SET_ID}.usdc_base`
  const sale = { accountId: ACCOUNT, resId: RES_ID } as Sale
  const terms = { named, asset: { code: 'usdc_base' }, usd: '1' } as Terms
  await lendPieces(ledger, { holder: 'another', goods, endsAt: LATER })
  await t.throwsAsync(keepChallenge(parts, sale, AUTHORIZATION_ID, terms), { code: 'out-of-stock' })
  t.deepEqual([said('ChallengeReserved'), said('ChallengeReleased')], [1, 1])
  await ledger.stock.giveBack(RES_ID, { holder: 'another' })
  t.is((await keepChallenge(parts, sale, AUTHORIZATION_ID, terms)).challengeId, named)
  t.true(Object.hasOwn((await ledger.stock.read(RES_ID)).loans, named))
})
