import test from 'ava'
import { compactVerify } from 'jose'
import { buyerOf, type CommerceScene, cart, commerceShop } from '../../support/commerce.ts'
import { deepTest } from '../../support/deep-test.ts'
import { digest, type Minter, newMinter } from '../../support/mandates/mint.ts'
import { mandateBy } from '../../support/mandates/wallet.ts'
import { ok } from '../../support/seller.ts'

/** Signed agreements that come with a completion, minted by a library that is not ours. */

type Session = { ap2: { merchant_authorization: string; nonce: string; aud: string } }

const secondsAway = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds

/**
 * What a wallet makes of the session as it was told: the buyer's key vouches for itself, and proves itself for this
 * session.
 */
const mandateFor = async (json: Session, { by = newMinter(), exp = secondsAway(600), nonce = json.ap2.nonce } = {}) => {
  const { ap2, ...content } = json
  const [header, , signature] = ap2.merchant_authorization.split('.')
  const { default: canonicalize } = await import('canonicalize')
  const jwt = `${header}.${Buffer.from(canonicalize(content) as string).toString('base64url')}.${signature}`
  const claims = { checkout_jwt: jwt, checkout_hash: digest(jwt), iat: secondsAway(0), exp, cnf: { jwk: by.jwk } }
  const proof = { by, iat: secondsAway(0), aud: ap2.aud, nonce }
  return mandateBy({
    by,
    claims,
    header: { jwk: by.jwk },
    frame: { _sd: ['checkout_jwt'] },
    show: { checkout_jwt: true },
    proof,
  })
}

export const sessionMandates = (scene: CommerceScene): void => {
  const agreeing = (token: string) => ({ ap2: { checkout_mandate: token } })

  test('C-SES-07 J-AUTH-08 a mandate over the session as it was told completes it, is kept on the order, and has a receipt', async (t) => {
    const { app, shop } = scene()
    const buyer = buyerOf(app, shop)
    const { id, json } = await buyer.create(cart([shop.widget]))
    const done = await buyer.complete(id, agreeing(await mandateFor(json)))
    t.is(done.json.status, 'ready_for_complete', done.text)
    const { signing_keys } = (await buyer.call('GET', '/.well-known/ucp')).json
    const { payload } = await compactVerify(done.json.ap2.checkout_receipt, signing_keys[0])
    t.like(JSON.parse(Buffer.from(payload).toString()), { status: 'Success', order_id: `ord_${id.slice(3)}` })
    t.is((await buyer.complete(id)).json.ap2.checkout_receipt, done.json.ap2.checkout_receipt)
  })

  test('X-CLOSED-01 C-SES-10 C-SES-11 C-SES-12 E-401-02 E-401-03 E-401-04 what is forged, too old or about another cart is refused, and the session stays incomplete', async (t) => {
    const { app, shop } = scene()
    const buyer = buyerOf(app, shop)
    const { id, json } = await buyer.create(cart([shop.widget]))
    const good = await mandateFor(json)
    const at = good.indexOf('.', good.indexOf('.') + 1) + 5
    const forged = `${good.slice(0, at)}${good[at] === 'A' ? 'B' : 'A'}${good.slice(at + 1)}`
    const other = await buyer.create(cart([shop.widget, 2]))
    const expired = { exp: secondsAway(-120) }
    const refusals: [string, string][] = [
      [forged, 'mandate_invalid_signature'],
      ['nonsense', 'mandate_invalid_signature'],
      [await mandateFor(json, expired), 'mandate_expired'],
      [`${(await mandateFor(json, expired)).slice(0, -4)}AAAA`, 'mandate_invalid_signature'],
      [await mandateFor(other.json), 'mandate_scope_mismatch'],
      [await mandateFor(json, { nonce: other.json.ap2.nonce }), 'mandate_scope_mismatch'],
    ]
    for (const [token, code] of refusals) {
      const refused = await buyer.complete(id, agreeing(token))
      t.deepEqual([refused.status, refused.json.error, refused.json.messages[0].code], [401, code, code])
    }
    t.is((await buyer.read(id)).json.status, 'incomplete')
    await buyer.update(id, cart([shop.widget, 3]))
    t.is((await buyer.complete(id, agreeing(good))).json.error, 'mandate_scope_mismatch')
    t.is((await buyer.complete(id)).status, 200)
  })

  deepTest('J-AUTH-08 a seller says whose agreements it takes, and may take no order without one', async (t) => {
    const { app } = scene()
    const shop = await commerceShop(app, { webhook: false })
    const bank: Minter = newMinter('ES256', 'bank-1')
    const rules = (ap2: object) => ok(app.call('PUT', '/v1/settings', { key: shop.key, body: { payment: { ap2 } } }))
    const issuers = [{ iss: 'https://bank.example', jwks: { keys: [{ ...bank.jwk, kid: 'bank-1' }] } }]
    await rules({ accept: ['registered'], require: true, issuers })
    const buyer = buyerOf(app, shop)
    const { id, json } = await buyer.create(cart([shop.widget]))
    t.is((await buyer.complete(id)).json.error, 'mandate_required')
    t.is((await buyer.complete(id, agreeing(await mandateFor(json)))).json.error, 'mandate_invalid_signature')
    const byHand = await app.call('POST', new URL(json.continue_url).pathname, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: '',
    })
    t.is(byHand.status, 401, byHand.text)
    t.is((await buyer.read(id)).json.status, 'incomplete')
  })

  deepTest(
    'C-SES-08 C-SES-12 X-CLOSED-01 what is signed names its store, by the id that a mandate’s merchants are held against',
    async (t) => {
      const { app, shop } = scene()
      const other = await commerceShop(app, { webhook: false })
      await ok(app.call('PUT', '/v1/settings', { key: other.key, body: { branding: { brand_name: 'Tees & Co' } } }))
      const [mine, theirs] = [
        await buyerOf(app, shop).create(cart([shop.widget])),
        await buyerOf(app, other).create(cart([other.widget])),
      ]
      for (const { json } of [mine, theirs]) {
        t.deepEqual(Object.keys(json.merchant), ['id', 'name', 'website'])
        t.deepEqual([json.merchant.id, json.merchant.website], [json.ap2.aud, json.ap2.aud])
      }
      t.deepEqual([mine.json.merchant.name, theirs.json.merchant.name], ['Shop', 'Tees & Co'])
      t.not(mine.json.merchant.id, theirs.json.merchant.id)
      const buyer = buyerOf(app, shop)
      const lied = await mandateFor({ ...mine.json, merchant: theirs.json.merchant })
      const refused = await buyer.complete(mine.id, agreeing(lied))
      t.deepEqual([refused.status, refused.json.error], [401, 'mandate_scope_mismatch'])
      t.is((await buyer.complete(mine.id, agreeing(await mandateFor(mine.json)))).json.status, 'ready_for_complete')
    },
  )
}
