/** One seller, one session and the keys of all who may vouch for a buyer: what every mandate in the tests is about. */
import { canonicalJson, publicOf, secretFrom, signedCompact } from '../../../adapters/ap2/es256.ts'
import type { MandateCheck } from '../../../adapters/ap2/verify-mandate.ts'
import { newMinter } from './mint.ts'

export const NOW = new Date('2026-03-02T10:00:00.000Z')
export const NOW_S = NOW.getTime() / 1_000
export const AUD = 'https://tees.shop.test'
export const NONCE = 'bm9uY2Utb2YtdGhlLXNlc3Npb24x'

export const wallet = newMinter('ES256', 'wallet-1')
export const platform = newMinter('ES256', 'platform-1')
export const holder = newMinter()
export const stranger = newMinter()

export const WALLET = 'https://wallet.example'
export const PLATFORM = 'https://platform.example'

const secret = secretFrom('5a'.repeat(48))
export const merchantKey = { ...publicOf(secret), kid: 'merchant-1' }

const line = (n: number, id: string, price: number, quantity: number) => ({
  id: `li_${n}`,
  item: { id, title: `Thing ${n}`, price },
  quantity,
  totals: [{ type: 'subtotal', amount: price * quantity }],
})

export const checkout = {
  ucp: { version: '2026-04-08', status: 'success' },
  id: 'cs_1',
  status: 'incomplete',
  currency: 'EUR',
  links: [],
  line_items: [line(1, 'res_a', 1_000, 2), line(2, 'res_b', 500, 1)],
  totals: [
    { type: 'subtotal', amount: 2_500 },
    { type: 'total', amount: 2_500 },
  ],
}

/** As the seller signs it. */
export const signedCheckout = (content: object = checkout, header: object = { kid: 'merchant-1' }): string =>
  signedCompact(secret, header, canonicalJson(content) ?? '')

/** The whole answer of UCP: the content and its detached signature. */
export const wholeCheckout = (content: object = checkout): object => {
  const [header, , signature] = signedCheckout(content).split('.')
  return { ...content, ap2: { merchant_authorization: `${header}..${signature}`, nonce: NONCE } }
}

export const checkOf = (token: string, change: Partial<MandateCheck> = {}): MandateCheck => ({
  token,
  now: NOW,
  aud: AUD,
  nonce: NONCE,
  strictNonce: false,
  merchantKeys: [merchantKey],
  session: {
    id: checkout.id,
    currency: checkout.currency,
    lineItems: checkout.line_items,
    totals: checkout.totals,
  },
  issuers: {
    registered: [{ iss: WALLET, keys: [wallet.jwk] }],
    platform: { origin: PLATFORM, keys: [platform.jwk] },
    self: true,
  },
  ...change,
})
