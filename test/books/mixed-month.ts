/** A month of every kind of sale over real HTTP, and what it comes to, written down by hand before it is played. */
import { toUnits } from '../../domain/kernel/money.ts'
import { eventually } from '../../src/demo/stage.ts'
import { goToCard, told, transactionWith } from '../support/card/paying.ts'
import { authorize } from '../support/gasless.ts'
import { payInFull, sendBack, transactionOf, verify } from '../support/sale.ts'
import { offerOf, ok } from '../support/seller.ts'
import { sellSigned, v1Payload } from '../support/signed-sale.ts'
import { balanceKinds } from './mixed-balances.ts'
import { type Amounts, filledCart, gasOf, pay, refund, sale } from './mixed-scene.ts'
import { coins, type ExpectedLine, type Kind, minus } from './mixed-table.ts'

/** The fee of a sale stands on both sides of the seller's credit. */
const fee = (usd: string): readonly ExpectedLine[] => [
  ['seller', 'expenses:fees', 'USD', usd],
  ['seller', 'assets:credit', 'USD', `-${usd}`],
  ['platform', 'liabilities:credit:SELLER', 'USD', usd],
  ['platform', 'income:fees', 'USD', `-${usd}`],
]

/** What a relayer has spent, and its bill with 21 % on top, rounded down to a millionth. */
const gas = (name: string): readonly ExpectedLine[] => {
  const billed = (moved: Amounts) => (coins(name)(moved) * 121n) / 100n
  return [
    ['seller', 'expenses:gas', 'USD', billed],
    ['seller', 'assets:credit', 'USD', (moved) => -billed(moved)],
    ['platform', 'liabilities:credit:SELLER', 'USD', billed],
    ['platform', 'income:gas', 'USD', (moved) => -billed(moved)],
    ['platform', 'expenses:gas', 'USD', coins(name)],
    ['platform', 'equity:relayer', 'USD', minus(name)],
  ]
}

/** What stands in the books before the first sale: each seller is given five dollars, and the user a hundred. */
export const BEFORE: readonly ExpectedLine[] = [
  ['seller', 'assets:credit', 'USD', '5'],
  ['seller', 'income:grants', 'USD', '-5'],
  ['platform', 'liabilities:credit:SELLER', 'USD', '-5'],
  ['user', 'assets:balance', 'USD', '100'],
  ['user', 'income:grants', 'USD', '-100'],
  ['platform', 'liabilities:balances:USER', 'USD', '-100'],
  ['platform', 'expenses:grants', 'USD', '105'],
]

/** Each is a resource of 100 dollars, paid in Ether. */
const coinSales: Readonly<Record<string, Kind>> = {
  exact: {
    expected: [
      ['seller', 'assets:receipts', 'eth', coins('exact'), '100'],
      ['seller', 'income:sales', 'eth', minus('exact'), '-100'],
      ...fee('0.2'),
    ],
    play: async (scene) => ({ exact: (await sale(scene)).paid }),
  },
  'in two parts': {
    // What is asked for as the rest may be a little more than that, so that it can be told from other payments.
    expected: [
      ['seller', 'assets:receipts', 'eth', coins('parts')],
      ['seller', 'income:sales', 'eth', minus('asked'), '-100'],
      ['seller', 'income:surplus', 'eth', (moved) => (moved.asked ?? 0n) - (moved.parts ?? 0n)],
      ...fee('0.2'),
    ],
    async play(scene) {
      const offer = await offerOf(scene.app, scene.seller.key, scene.seller.resId)
      const asked = BigInt(offer.amountAtomic)
      const half = await pay(scene, offer, asked / 2n)
      const rest = toUnits(half.json.missing, 18)
      await pay(scene, offer, rest)
      await transactionOf(scene.app, scene.seller.key, offer.challengeId, 'C')
      return { asked, parts: asked / 2n + rest }
    },
  },
  'a part alone': {
    expected: [
      ['seller', 'assets:receipts', 'eth', coins('part')],
      ['seller', 'liabilities:suspense', 'eth', minus('part')],
    ],
    async play(scene) {
      const offer = await offerOf(scene.app, scene.seller.key, scene.seller.resId)
      const part = BigInt(offer.amountAtomic) / 2n
      await pay(scene, offer, part)
      await transactionOf(scene.app, scene.seller.key, offer.challengeId, 'X')
      return { part }
    },
  },
  'too much': {
    expected: [
      ['seller', 'assets:receipts', 'eth', coins('over')],
      ['seller', 'income:sales', 'eth', (moved) => -(moved.over ?? 0n) + 10n ** 16n, '-100'],
      ['seller', 'income:surplus', 'eth', '-0.01'],
      ...fee('0.2'),
    ],
    play: async (scene) => ({ over: (await sale(scene, 10n ** 16n)).paid }),
  },
  late: {
    expected: [
      ['seller', 'assets:receipts', 'eth', coins('late'), '100'],
      ['seller', 'liabilities:suspense', 'eth', minus('late'), '-100'],
    ],
    async play({ app, seller, clock }) {
      const before = clock.shiftMs
      clock.shiftMs = before - 62 * 60_000
      const offer = await offerOf(app, seller.key, seller.resId)
      clock.shiftMs = before
      const hash = await payInFull(app, offer)
      const { status } = await verify(app, offer.challengeId, hash)
      if (status !== 410) throw new Error(`a late payment answered ${status}`)
      return { late: BigInt(offer.amountAtomic) }
    },
  },
  'given back whole': {
    // It was sold, recorded as given back, and seen on its chain; the fee stays.
    expected: [
      ['seller', 'income:sales', 'eth', minus('whole'), '-100'],
      ['seller', 'income:refunds', 'eth', coins('whole'), '100'],
      ...fee('0.2'),
    ],
    async play(scene) {
      const { id, paid } = await sale(scene)
      const hash = await sendBack(scene.app, paid)
      await ok(refund(scene, id, { hash }))
      return { whole: paid }
    },
  },
  'given back in part': {
    // 0.016 ether are owed until a chain shows that they were sent.
    expected: [
      ['seller', 'assets:receipts', 'eth', coins('kept'), '100'],
      ['seller', 'income:sales', 'eth', minus('kept'), '-100'],
      ['seller', 'income:refunds', 'eth', '0.016'],
      ['seller', 'liabilities:refunds', 'eth', '-0.016'],
      ...fee('0.2'),
    ],
    async play(scene) {
      const { id, paid } = await sale(scene)
      await ok(refund(scene, id, { amount: '0.016' }))
      return { kept: paid }
    },
  },
}

const others: Readonly<Record<string, Kind>> = {
  'a cart with VAT': {
    // Two widgets at 25 dollars, and 20 % of French VAT: a sixth of what was paid.
    expected: [
      ['seller', 'assets:receipts', 'eth', coins('cart'), '60'],
      ['seller', 'liabilities:vat', 'eth', (moved) => -((moved.cart ?? 0n) / 6n), '-10'],
      ['seller', 'income:sales', 'eth', (moved) => (moved.cart ?? 0n) / 6n - (moved.cart ?? 0n), '-50'],
      ...fee('0.12'),
    ],
    async play({ app, seller }) {
      const { id, buyer } = await filledCart({ app, seller }, { price: 25, currency: 'USD' }, 'FR', 2)
      const { json } = await buyer.complete(id)
      const [offer] = json.payment_handlers[0].accepts.filter(({ asset }: { asset: string }) => asset === 'eth')
      const hash = await payInFull(app, offer)
      await ok(verify(app, offer.challengeId, hash))
      await eventually('the order', async () => (await buyer.read(id)).json.status === 'completed')
      return { cart: BigInt(offer.amountAtomic) }
    },
  },
  'a cart with VAT, by a signature': {
    // The payer names no challenge, so that one is opened for the signature; 20 dollars and 4 of VAT. Gas is billed.
    expected: [
      ['seller', 'assets:receipts', 'usdc_base', coins('signedCart'), '24'],
      ['seller', 'liabilities:vat', 'usdc_base', (moved) => -((moved.signedCart ?? 0n) / 6n), '-4'],
      [
        'seller',
        'income:sales',
        'usdc_base',
        (moved) => (moved.signedCart ?? 0n) / 6n - (moved.signedCart ?? 0n),
        '-20',
      ],
      ...fee('0.048'),
      ...gas('cartGas'),
    ],
    async play(scene) {
      const { id, buyer } = await filledCart(scene, { price: 20, currency: 'USD' }, 'FR')
      const { json } = await buyer.complete(id)
      const [accepted] = json.ucp.payment_handlers['io.daybook.x402_exact'][0].config.accepts
      const payer = await scene.chain.payer(50_000_000n)
      const signed = await authorize(payer, { to: accepted.payTo, value: BigInt(accepted.amount) })
      const credential = { type: 'x402', payload: v1Payload(signed) }
      const instruments = [{ id: 'i1', handler_id: 'x402', type: 'x402', credential }]
      const done = await buyer.complete(id, { payment: { instruments } })
      if (done.json.status !== 'completed') throw new Error(done.text)
      return { signedCart: BigInt(signed.value), cartGas: await gasOf(scene, payer.address) }
    },
  },
  'by card, and a part of it back': {
    // 59.50 euros with 9.50 of German VAT, worth 69.02 dollars; 11.90 with 1.90 of VAT go back.
    expected: [
      ['seller', 'assets:card', 'EUR', '47.6', '55.216'],
      ['seller', 'liabilities:vat', 'EUR', '-7.6', '-8.816'],
      ['seller', 'income:sales', 'EUR', '-50', '-58'],
      ['seller', 'income:refunds', 'EUR', '10', '11.6'],
      ...fee('0.13804'),
    ],
    async play({ app, processor, seller }) {
      const { id, buyer } = await filledCart({ app, seller }, { price: 50, currency: 'EUR' }, 'DE')
      const { json } = await buyer.complete(id)
      const session = await goToCard(app, processor, new URL(json.continue_url).pathname)
      processor.pay(session.id)
      await told(processor, seller.rail, 'checkout.session.completed', session)
      const shows = (fits: (each: Record<string, string>) => boolean) =>
        transactionWith(app, seller.key, (each) => each.external_reference === `ord_${id.slice(3)}` && fits(each))
      await shows(({ status }) => status === 'C')
      const charge = processor.giveBack(session.payment_intent as string, 1_190)
      await told(processor, seller.rail, 'charge.refunded', charge)
      await shows(({ refunded_amount }) => refunded_amount === '11.9')
      return {}
    },
  },
  'by a signature': {
    // Ten dollars for a resource; its gas is billed with 21 % on top.
    expected: [
      ['seller', 'assets:receipts', 'usdc_base', coins('signed'), '10'],
      ['seller', 'income:sales', 'usdc_base', minus('signed'), '-10'],
      ...fee('0.02'),
      ...gas('gas'),
    ],
    async play(scene) {
      const { app, chain, seller } = scene
      const body = { amount: 10, currency: 'USD' }
      const { json } = await ok(app.call('POST', '/v1/resources', { key: seller.key, body }))
      const payer = await chain.payer(50_000_000n)
      const { signed } = await sellSigned(app, payer, `/r/${json.res_id}`)
      return { signed: BigInt(signed.value), gas: await gasOf(scene, payer.address) }
    },
  },
}

/** Every kind of sale, and what each adds to the books. */
export const KINDS: Readonly<Record<string, Kind>> = { ...coinSales, ...others, ...balanceKinds }
