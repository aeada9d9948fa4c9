import test from 'ava'
import { receive } from '../adapters/outbound/built-in-receiver.ts'
import { createOutbound } from '../adapters/outbound/signed-post.ts'

/** What the built-in receiver makes of a webhook, without a service. */

const { sign, close } = createOutbound({ allow: new Set(), userAgent: 'test' })
test.after.always(close)

const AT = new Date('2026-03-02T10:00:00.000Z')
const later = (seconds: number) => new Date(AT.getTime() + seconds * 1_000)
const BODY = '{"transaction":{},"event_id":"e","test":true}'
const headersOf = (secret: string) => ({ 'X-Webhook-Signature': sign(secret, AT, BODY) })

test('N-86 W-SIG-02 the built-in receiver takes a right signature, and says of any other that it is wrong', (t) => {
  const said = (...given: Parameters<typeof receive>) => {
    const { status, bodyHead } = receive(...given)
    return { status, isRight: JSON.parse(bodyHead).signature_verified }
  }
  const right = { status: 200, isRight: true }
  const wrong = { status: 401, isRight: false }
  t.deepEqual(said('s', AT, BODY, headersOf('s')), right)
  t.deepEqual(said('s', later(300), BODY, headersOf('s')), right)
  t.deepEqual(said('s', later(301), BODY, headersOf('s')), wrong)
  t.deepEqual(said('s', AT, `${BODY} `, headersOf('s')), wrong)
  t.deepEqual(said('other', AT, BODY, headersOf('s')), wrong)
  t.deepEqual(said('s', AT, BODY, {}), wrong)
  t.deepEqual(said(undefined, AT, BODY, headersOf('s')), wrong)
})

test('N-86 the answer of the built-in receiver tells the signature that it was sent', (t) => {
  const headers = headersOf('s')
  t.is(JSON.parse(receive('s', AT, BODY, headers).bodyHead).signature, headers['X-Webhook-Signature'])
})
