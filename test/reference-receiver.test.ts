import { createHmac } from 'node:crypto'
import test from 'ava'
import { createReceiver, type ReceivedDelivery } from '../src/demo/reference-receiver.ts'

/** The receiver that the documents advise merchants to write. */

const SECRET = 'whsec_test'
const NOW_S = 1_772_445_600
const BODY = JSON.stringify({ transaction: { external_reference: 'order-1' }, event_id: 'e1', test: false })

const signature = (body: string, at = NOW_S, secret = SECRET) =>
  `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`

const open = () => {
  const orders: [string, ReceivedDelivery][] = []
  const receiver = createReceiver(
    SECRET,
    (order, delivered) => orders.push([order, delivered]),
    () => NOW_S * 1000,
  )
  const receive = (raw: string, header?: string) => receiver.receive(raw, { 'x-webhook-signature': header })
  return { orders, receive }
}

const afterwards = () => new Promise((resolve) => setImmediate(resolve))

test('W-SIG-02 what is rightly signed is answered at once, and the order fulfilled afterwards, once', async (t) => {
  const { orders, receive } = open()
  t.is(receive(BODY, signature(BODY)), 200)
  t.deepEqual(orders, [])
  t.is(receive(BODY, signature(BODY, NOW_S + 5)), 200)
  await afterwards()
  t.deepEqual(
    orders.map(([order]) => order),
    ['order-1'],
  )
})

test('W-SIG-02 L-MER-02 a signature that is wrong, missing, or more than 300 seconds off is refused', async (t) => {
  const { orders, receive } = open()
  for (const header of [
    undefined,
    '',
    't=1,v1=x',
    signature(`${BODY} `),
    signature(BODY, NOW_S, 'another'),
    signature(BODY, NOW_S - 301),
    signature(BODY, NOW_S + 301),
    `v1=${'a'.repeat(64)}`,
  ])
    t.is(receive(BODY, header), 401, header ?? 'none')
  t.is(receive(BODY, signature(BODY, NOW_S - 300)), 200)
  await afterwards()
  t.is(orders.length, 1)
})

test('W-SIG-02 the signature is over the raw body: the same JSON written otherwise does not pass', (t) => {
  const { receive } = open()
  t.is(receive(JSON.stringify(JSON.parse(BODY), null, 1), signature(BODY)), 401)
  t.is(receive('no json', signature('no json')), 400)
})

test('W-VER-01 X-TOL-01 a body with fields of tomorrow is taken like any other', async (t) => {
  const { orders, receive } = open()
  const body = JSON.stringify({
    ...JSON.parse(BODY),
    tomorrow: { a: 1 },
    transaction: { external_reference: 'o', colour: 'red' },
  })
  t.is(receive(body, signature(body)), 200)
  await afterwards()
  t.like(orders[0]?.[1].transaction, { colour: 'red' })
})
