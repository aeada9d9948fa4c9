import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { BROWSER, choose, look, offerOn, payPage, saidIn } from '../../support/buyer.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual, saidOf, shop } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'
import { changeSettings } from '../../support/settings.ts'

/** Who gets a page and who gets JSON, and what a page costs and tells. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('J-DOOR-03 J-DOOR-08 J-PRQ-02 a browser gets a page at each of the three doors, and a machine what it got before', async (t) => {
  for (const path of Object.values(await threeDoors())) {
    const page = await look(app, path)
    t.is(page.status, 200, path)
    t.is(page.headers.get('content-type'), 'text/html; charset=utf-8')
    t.regex(page.text, /^<!doctype html>/)
    t.regex(saidIn(page), /^Pay 100\.00 USD/)
    const machine = await app.call('GET', path)
    t.is(machine.status, 402)
    t.is(machine.json.accepts.length, 1)
    for (const answer of [page, machine]) {
      t.is(answer.headers.get('vary'), answer === page ? 'Accept, Accept-Language' : 'Accept')
      t.is(answer.headers.get('cache-control'), 'no-store')
    }
  }
})

test('J-DOOR-03 J-DOOR-09 Q-47 HTML is for who wishes it first, does not pay in the header and is no agent', async (t) => {
  const { resource, checkout, request } = await threeDoors()
  const wishes: [accept: string | undefined, html: boolean][] = [
    [BROWSER, true],
    ['text/html', true],
    ['text/html, application/json', true],
    ['text/html;q=0.9, application/json;q=0.8', true],
    [undefined, false],
    ['*/*', false],
    ['application/json', false],
    ['application/json, text/html', false],
    ['text/html;q=0.1, application/json', false],
    ['text/*;q=0.5, */*', false],
    ['image/png', false],
  ]
  for (const [accept, html] of wishes) {
    const { status } = await app.call('GET', resource, { headers: accept === undefined ? {} : { accept } })
    t.is(status, html ? 200 : 402, accept)
  }
  for (const path of [resource, checkout, request]) {
    t.is((await look(app, `${path}?agent=1`)).status, 402)
    t.is((await look(app, `${path}?agent=0`)).status, 200)
    // What is asked for once takes no payment in a header; the other doors read it, and it is none.
    const paying = await look(app, path, { 'x-payment': 'e30=' })
    t.is(paying.status, path.startsWith('/id/') ? 402 : 400)
    t.regex(paying.headers.get('content-type') ?? '', /^application\/json/)
  }
  t.is((await app.call('GET', `${request}?agent=1`)).status, 402)
})

deepTest('J-DOOR-03 J-RES-03 the checkout_url opens a page as it is given out', async (t) => {
  const s = await shop(app)
  const { resources } = (await ok(app.call('GET', '/v1/resources', { key: s.key }))).json
  const url = new URL(resources[0].checkout_url)
  const page = await look(app, url.pathname + url.search)
  t.is(page.status, 200)
  t.regex(saidIn(page), /Ether on the Ethereum network/)
  t.false(page.text.includes('pk_'), 'the token of the link is not repeated')
})

test('J-DOOR-07 what is not there is said in a page, with its status', async (t) => {
  const s = await shop(app)
  await ok(app.call('DELETE', `/v1/resources?res_id=${s.resId}`, { key: s.key }))
  const unknown = `ch_${'a'.repeat(26)}.eth`
  const missing = [`/r/${s.resId}`, `/r/res_${'a'.repeat(26)}`, '/checkout/x', '/id/x', `/id/pr_${'a'.repeat(26)}`]
  for (const path of missing) {
    const page = await look(app, path)
    t.is(page.status, 404, path)
    t.is(page.headers.get('content-type'), 'text/html; charset=utf-8')
    t.regex(saidIn(page), /nothing to pay here/i)
  }
  const { resource } = await threeDoors()
  t.is((await look(app, `${resource}?challenge=${unknown}`)).status, 404)
  t.is((await look(app, `${resource}?challenge=x`)).status, 404)
  t.is((await look(app, `/r/${'x'.repeat(65)}`)).status, 400)
  t.is((await look(app, `${resource}?amount=1&amount=2`)).status, 400)
})

deepTest(
  'Q-22 looking opens nothing; choosing opens one challenge of that coin, and going back and choosing again meets it',
  async (t) => {
    const s = await shop(app)
    const path = `/r/${s.resId}`
    for (let n = 0; n < 5; n++) await look(app, path)
    t.is((await saidOf(app, 'ChallengeOpened', s.resId)).length, 0)
    const { text } = await look(app, path)
    const link = path + (/href="(\?asset=eth[^"]*)"/.exec(text)?.[1] ?? '').replaceAll('&amp;', '&')
    const pages = await Promise.all(
      Array.from({ length: 5 }, async () => (await look(app, link)).headers.get('location')),
    )
    t.is(new Set(pages).size, 1)
    const opened = await saidOf(app, 'ChallengeOpened', s.resId)
    t.is(opened.length, 1)
    t.deepEqual(
      opened[0]?.entries.map(({ asset }) => asset),
      ['eth'],
    )
    const [first, again] = [await look(app, pages[0] ?? ''), await look(app, pages[0] ?? '')]
    t.is(saidIn(first).replace(/\d+ min/, ''), saidIn(again).replace(/\d+ min/, ''))
    t.is((await saidOf(app, 'ChallengeOpened', s.resId)).length, 1)
  },
)

test('I-SET-01 two people behind one address who choose the same coin pay challenges of their own', async (t) => {
  const s = await shop(app)
  const [a, b] = [await choose(app, `/r/${s.resId}`, 'eth'), await choose(app, `/r/${s.resId}`, 'eth')]
  t.not(a, b)
  t.not((await offerOn(app, a)).amount, (await offerOn(app, b)).amount)
})

test('a coin is not chosen by a HEAD or a prefetch, and one that is not offered leads back', async (t) => {
  const s = await shop(app)
  const path = `/r/${s.resId}`
  t.is((await app.call('HEAD', `${path}?asset=eth`, { headers: { accept: BROWSER } })).status, 405)
  t.is((await look(app, `${path}?asset=eth`, { 'sec-purpose': 'prefetch' })).status, 405)
  for (const asset of ['usdc', 'doge', '<b>']) {
    const { status, headers } = await look(app, `${path}?asset=${encodeURIComponent(asset)}`)
    t.deepEqual([status, headers.get('location')], [303, path], asset)
  }
  await ok(app.call('PUT', '/v1/wallets?asset=eth', { key: s.key, body: { active: false } }))
  t.is((await look(app, `${path}?asset=eth`)).headers.get('location'), path)
  t.regex(saidIn(await look(app, path)), /None of the seller’s coins can be received right now/)
  t.is((await saidOf(app, 'ChallengeOpened', s.resId)).length, 0)
})

test('X-TEN-01 the challenge of one sale is not shown at the door of another', async (t) => {
  const [one, other] = [await shop(app), await shop(app)]
  const page = await choose(app, `/r/${one.resId}`, 'eth')
  t.is((await look(app, page.replace(one.resId, other.resId))).status, 404)
})

test('no page and no header names the seller’s account', async (t) => {
  const s = await shop(app)
  const accountId = await changeSettings(app, s.resId, { branding: { brandName: 'Corner Shop' } })
  const path = `/r/${s.resId}`
  const page = await choose(app, path, 'eth')
  const seen = [await look(app, path), await look(app, page)]
  await payPage(app, page)
  await app.anvil.mine(6)
  seen.push(await look(app, page))
  for (const { text, headers } of seen) {
    t.true(text.includes('Corner Shop'))
    t.false(text.includes(accountId) || text.includes('acc_'))
    t.false(JSON.stringify([...headers]).includes(accountId))
    t.false(text.includes(s.email))
  }
})

test('a page loads nothing of others, runs no inline script and cannot be framed', async (t) => {
  const s = await shop(app)
  await changeSettings(app, s.resId, { branding: { color1: '#123a6b', logoUrl: 'https://shop.example/logo.png' } })
  const { headers, text } = await look(app, `/r/${s.resId}`)
  const policy = headers.get('content-security-policy') ?? ''
  for (const part of ["default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "form-action 'self'"])
    t.true(policy.includes(part), part)
  t.false(/unsafe|\*/.test(policy))
  t.is(headers.get('x-frame-options'), 'DENY')
  t.is(headers.get('referrer-policy'), 'no-referrer')
  t.notRegex(text, /\sstyle=|\son\w+=/)
  t.deepEqual(
    [...text.matchAll(/<script[^>]*>/g)].map(([tag]) => tag),
    ['<script src="/assets/pay.js" defer>'],
  )
  for (const asset of ['/assets/pay.js', '/assets/pay.css', '/assets/daybook.css']) {
    const served = await app.call('GET', asset)
    t.is(served.status, 200)
    t.regex(served.headers.get('content-type') ?? '', asset.endsWith('js') ? /javascript/ : /css/)
  }
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const threeDoors = async () => {
  const s = await shop(app)
  const { resources } = (await ok(app.call('GET', '/v1/resources', { key: s.key }))).json
  const { url } = (await ok(app.call('POST', '/v1/payment-requests', { key: s.key, body: { amount: 100 } }))).json
  return {
    resource: `/r/${s.resId}`,
    checkout: new URL(resources[0].checkout_url).pathname,
    request: new URL(url).pathname,
  }
}
