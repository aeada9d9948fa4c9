import test from 'ava'
import { buyerLocale } from '../../../adapters/http/pages/buyer/messages/buyer-locale.ts'
import { receiptLetter } from '../../../adapters/http/pages/buyer/receipt-letter.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { look, requestOf, saidIn } from '../../support/buyer.ts'
import { backOf, goToCard, paidUntold, takesCards, transactionWith } from '../../support/card/paying.ts'
import { type CardProcessor, startCardProcessor } from '../../support/card/processor.ts'
import { deepTest } from '../../support/deep-test.ts'
import { DEEP } from '../../support/depth.ts'
import { person } from '../../support/people.ts'
import { assertReplayEqual, logOf, saidOf, sell, shop } from '../../support/sale.ts'
import { testSale } from '../../support/sandbox.ts'
import { freshEmail, ok } from '../../support/seller.ts'

/** A buyer has the receipt sent by mail, over real HTTP and SMTP. */

const DAY_MS = 86_400_000

let app: TestApp
let processor: CardProcessor
/** The service's clock is ahead of ours by this much. */
let aheadMs = 0
test.before(async () => {
  processor = await startCardProcessor()
  app = await startApp({
    env: { CARD_PROCESSOR_URL: processor.url },
    world: { now: () => new Date(Date.now() + aheadMs) },
  })
})
test.after.always(async () => {
  await app?.stop()
  await processor?.stop()
})

type Mailed = { readonly to: string; readonly subject: string; readonly text: string }
const lettersTo = async (to: string): Promise<Mailed[]> =>
  ((await app.call('GET', '/dev/inbox.json')).json as Mailed[]).filter((letter) => letter.to === to)

/** The one letter to somebody, once it is there. */
const letterAt = (to: string): Promise<Mailed> => eventually('the letter', async () => (await lettersTo(to))[0])

/** A form that sends the receipt of what was paid at a path. */
const sender =
  (path: string, challenge: string) =>
  async (email: string, languages = 'en') => {
    const body = new URLSearchParams({ act: 'mail-receipt', challenge, email })
    const headers = { 'accept-language': languages, accept: 'text/html' }
    const answer = await fetch(app.served().origin + path, { method: 'POST', body, headers, redirect: 'manual' })
    const location = answer.headers.get('location') ?? ''
    return { status: answer.status, mailed: new URLSearchParams(location.split('?')[1]).get('mailed'), location }
  }

/** A live sale that settled, its page, and a form that sends its receipt. */
const paidSale = async () => {
  const s = await shop(app)
  const { offer, hash } = await sell(app, s)
  const path = `/r/${s.resId}`
  return { ...s, offer, hash, path, send: sender(path, offer.challengeId) }
}

deepTest.serial(
  'N-87 N-81 a buyer is sent the receipt of a payment by card, thrice a day, and it says what was given back',
  async (t) => {
    const { s, session } = await paidUntold(app, processor, { amount: 10, title: 'Tea', external_reference: 'mailed' })
    const [path = ''] = backOf(session).split('?')
    const id = String(session.client_reference_id)
    const page = await look(app, backOf(session))
    t.regex(page.text, /data-print.*value="mail-receipt"/s)
    t.regex(saidIn(page), /Paid By card When .*UTC/)
    const send = sender(path, id)
    const to = freshEmail()
    const answer = await send(to)
    t.like(answer, { status: 303, mailed: 'sent' })
    t.regex((await look(app, answer.location)).text, /role="status"[^>]*><strong>If somebody reads mail at that/)
    const { subject, text } = await letterAt(to)
    t.regex(subject, /^Your receipt from /)
    const charge = String(session.payment_intent)
    for (const told of [
      'For: Tea',
      'Price: 10.00 USD',
      'Paid: By card',
      'When: ',
      `Charge: ${charge}`,
      `challenge=${id}`,
    ])
      t.true(text.includes(told), told)
    t.notRegex(text, /Refund/)

    await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { payment: { refunds: true } } }))
    const sale = await transactionWith(
      app,
      s.key,
      (each) => each.external_reference === 'mailed' && each.status === 'C',
    )
    await ok(app.call('POST', `/v1/transactions?transaction_id=${sale.id}&action=refund`, { key: s.key }))
    const german = freshEmail()
    await send(german, 'de')
    const brief = await letterAt(german)
    t.regex(brief.subject, /^Ihre Quittung von /)
    for (const told of ['Bezahlt: Mit Karte', 'Abbuchung: ', 'Erstattung: 10 USD: zurückgezahlt.'])
      t.true(brief.text.includes(told), told)
    t.regex(saidIn(await look(app, answer.location)), /Refund 10 USD was sent back/)
    t.is((await send(freshEmail())).mailed, 'sent')
    t.is((await send(freshEmail())).mailed, 'later')
    t.is((await saidOf(app, 'ReceiptLetterRequested', id)).length, 3)
  },
)

deepTest.serial(
  'N-87 no receipt is sent of a payment by card that is a test, has not come, or is of another door',
  async (t) => {
    // A processor opens no page of another day than its own.
    t.teardown(() => {
      aheadMs += DAY_MS
    })
    const s = await shop(app)
    await takesCards(app, processor, s.key, { live: false })
    const { json } = await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 4, test: true } }))
    const played = await goToCard(app, processor, new URL(json.checkout_url).pathname)
    processor.pay(played.id)
    const page = await look(app, backOf(played))
    t.regex(saidIn(page), /Paid By card/)
    t.notRegex(page.text, /mail-receipt/)
    const { session } = await paidUntold(app, processor, { amount: 10 })
    const refused = async (at: string, { client_reference_id: id }: typeof session) =>
      t.is((await sender(at.split('?')[0] ?? '', String(id))(freshEmail())).status, 404, at)
    await refused(backOf(played), played)
    await refused(backOf(session), session)
    await look(app, backOf(session))
    await refused(await requestOf(app, s, { amount: 10 }), session)
    t.deepEqual(await saidOf(app, 'ReceiptLetterRequested', String(session.client_reference_id)), [])
  },
)

test.serial('N-87 a buyer is sent the receipt with its facts and its link, in the language of the page', async (t) => {
  const { send, path, offer, hash } = await paidSale()
  const page = (await person(app).open(`${path}?challenge=${offer.challengeId}`)).text
  t.regex(page, /value="mail-receipt"/)
  const to = freshEmail()
  const answer = await send(to)
  t.like(answer, { status: 303, mailed: 'sent' })
  t.regex((await person(app).open(answer.location)).text, /role="status"[^>]*><strong>If somebody reads mail at that/)
  const letter = await letterAt(to)
  t.regex(letter.subject, /^Your receipt from /)
  for (const told of [hash, '100.00 USD', offer.amount, `${path}?challenge=${offer.challengeId}`])
    t.true(letter.text.includes(told), told)
  const german = freshEmail()
  await send(german, 'de-DE')
  t.regex((await letterAt(german)).subject, /^Ihre Quittung von /)
})

test.serial(
  'N-87 X-TEN-01 the address stands nowhere in the log in the clear, nor in what the seller is told',
  async (t) => {
    const { send, offer, key } = await paidSale()
    const to = freshEmail()
    await send(to)
    await letterAt(to)
    t.is((await saidOf(app, 'ReceiptLetterRequested', offer.challengeId)).length, 1)
    for (const event of await logOf(app)) t.false(JSON.stringify(event.data).includes(to), event.type)
    const { transactions } = (await app.call('GET', '/v1/transactions', { key })).json
    const life = await app.call('GET', `/v1/audit/life?transaction_id=${transactions[0].id}`, { key })
    t.false(life.text.includes(to))
    if (DEEP) await assertReplayEqual(t, app)
  },
)

test.serial(
  'N-87 a receipt is sent three times a day, an address gets five, and the answer does not tell the latter',
  async (t) => {
    const one = await paidSale()
    const to = freshEmail()
    for (const _ of [1, 2, 3]) t.is((await one.send(to)).mailed, 'sent')
    t.is((await one.send(freshEmail())).mailed, 'later')
    aheadMs += DAY_MS
    const [two, three] = [await paidSale(), await paidSale()]
    for (const { send } of [two, two, two, three, three]) t.is((await send(to)).mailed, 'sent')
    await eventually('all that may be sent', async () => (await lettersTo(to)).length === 8)
    t.is((await three.send(to)).mailed, 'sent')
    t.is((await saidOf(app, 'ReceiptLetterRequested', three.offer.challengeId)).length, 2)
    aheadMs += DAY_MS
  },
)

deepTest.serial('N-87 a network has ten receipts sent a day', async (t) => {
  aheadMs += DAY_MS
  const sales = [await paidSale(), await paidSale(), await paidSale(), await paidSale()]
  for (let count = 0; count < 10; count++)
    t.is((await sales[Math.floor(count / 3)]?.send(freshEmail()))?.mailed, 'sent', String(count))
  t.is((await sales[3]?.send(freshEmail()))?.mailed, 'later')
  aheadMs += DAY_MS
})

deepTest.serial('N-87 what is no address is told, and nobody is written to', async (t) => {
  const { send, path, offer } = await paidSale()
  for (const email of ['', 'nobody', 'a@b', 'a@example.test\nbcc: b@example.test', `${'a'.repeat(250)}@example.test`]) {
    const answer = await send(email)
    t.is(answer.mailed, 'wrong', email)
    t.regex((await person(app).open(answer.location)).text, /role="alert"><strong>This is no email address/)
  }
  t.deepEqual(await saidOf(app, 'ReceiptLetterRequested', offer.challengeId), [])
  const body = new URLSearchParams({ act: 'mail-receipt', challenge: offer.challengeId, email: 'a@b.test', cc: 'x' })
  const headers = { accept: 'text/html' }
  t.is((await fetch(app.served().origin + path, { method: 'POST', body, headers, redirect: 'manual' })).status, 400)
})

test.serial('N-87 no receipt is sent of a test, of what is not paid, or by the door of another sale', async (t) => {
  const { path, offer } = await paidSale()
  const other = await paidSale()
  const test = await testSale(app, {})
  await app.call('POST', '/v1/simulate-payment', { body: { challengeId: test.challengeId } })
  const post = (at: string, challenge: string) =>
    fetch(app.served().origin + at, {
      method: 'POST',
      body: new URLSearchParams({ act: 'mail-receipt', challenge, email: freshEmail() }),
      headers: { accept: 'text/html' },
      redirect: 'manual',
    })
  const at = `/r/${test.resId}`
  t.notRegex((await person(app).open(`${at}?challenge=${test.challengeId}`)).text, /mail-receipt/)
  t.is((await post(at, test.challengeId)).status, 404)
  t.is((await post(other.path, offer.challengeId)).status, 404)
  t.is((await post(path, `ch_${'a'.repeat(26)}.eth`)).status, 404)
})

test('N-87 what a seller wrote begins no line of a letter of ours', (t) => {
  const receipt = { seller: 'Tea\r\nReply-To: evil', price: '1', title: 'a\nb', note: '', reference: 'r' }
  const { subject, text } = receiptLetter('a@b.test', receipt, 'https://x.test', buyerLocale('en'))
  t.is(subject, 'Your receipt from Tea Reply-To: evil')
  t.notRegex(text, /^(Reply-To|b)/m)
})
