import { createHmac } from 'node:crypto'
import test from 'ava'
import { createReceiptReceiver, type ReceiptEvent } from '../src/demo/receipt-receiver.ts'

/** The receiver of receipts that the documents advise apps to write; one test for each of its rules. */

const SECRET = 'whsec_test'
const NOW_S = 1_772_445_600
const receipt = (event_id = 'e1', client_id = 'app_own') =>
  JSON.stringify({ event: 'svc.balance.debit', event_id, client_id, amount: 4.8 })
const v1 = (payload: string, at = NOW_S) => createHmac('sha256', SECRET).update(`${at}.${payload}`).digest('hex')
const signature = (payload: string, at = NOW_S) => `t=${at},v1=${v1(payload, at)}`

const open = () => {
  const booked: ReceiptEvent[] = []
  const own = { clientId: 'app_own', secret: SECRET }
  const receiver = createReceiptReceiver(
    own,
    (each) => booked.push(each),
    () => NOW_S * 1000,
  )
  const receive = (payload: string, header?: string) =>
    receiver.receive(new URLSearchParams({ payload }).toString(), { 'x-webhook-signature': header })
  return { booked, receive }
}

const afterwards = () => new Promise((resolve) => setImmediate(resolve))

test('A-RCP-07 a header that is not t=<digits>,v1=<64 hex> is refused', (t) => {
  const { receive } = open()
  const hex = v1(receipt())
  const wrong = [
    undefined,
    '',
    `v1=${hex}`,
    `t=${NOW_S}`,
    `t=x,v1=${hex}`,
    `t=${NOW_S},v1=${hex.slice(1)}`,
    `t=${NOW_S},v1=${hex}0`,
    `t=${NOW_S};v1=${hex}`,
    `t=${NOW_S},v1=${hex.toUpperCase()}`,
    ` t=${NOW_S},v1=${hex}`,
  ]
  for (const header of wrong) t.is(receive(receipt(), header), 401, header ?? 'none')
})

test('A-RCP-07 L-AUT-06 a time more than 300 seconds off is refused', (t) => {
  const { receive } = open()
  for (const [off, status] of [
    [-301, 401],
    [301, 401],
    [-300, 200],
    [300, 200],
  ] as const)
    t.is(receive(receipt(), signature(receipt(), NOW_S + off)), status, `${off} s`)
})

test('A-RCP-07 the signature is over the payload as it stands in the field, and a wrong one is refused', (t) => {
  const { receive } = open()
  const spaced = JSON.stringify(JSON.parse(receipt()), null, 1)
  t.is(receive(spaced, signature(receipt())), 401)
  t.is(receive(receipt(), `t=${NOW_S},v1=${'0'.repeat(64)}`), 401)
  t.is(receive(spaced, signature(spaced)), 200)
  t.is(receive('no json', signature('no json')), 400)
})

test('A-RCP-07 a receipt of another app is refused', async (t) => {
  const { booked, receive } = open()
  const foreign = receipt('e1', 'app_other')
  t.is(receive(foreign, signature(foreign)), 403)
  await afterwards()
  t.deepEqual(booked, [])
})

test('A-RCP-07 a receipt that comes again is answered 200 and booked once', async (t) => {
  const { booked, receive } = open()
  t.is(receive(receipt(), signature(receipt())), 200)
  t.is(receive(receipt(), signature(receipt(), NOW_S + 5)), 200)
  t.is(receive(receipt('e2'), signature(receipt('e2'))), 200)
  t.deepEqual(booked, [], 'it answers first')
  await afterwards()
  t.deepEqual(
    booked.map(({ event_id }) => event_id),
    ['e1', 'e2'],
  )
})
