import { get, type IncomingMessage } from 'node:http'
import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { choose, payPage } from '../../support/buyer.ts'
import { shop } from '../../support/sale.ts'

/** What an open page hears of its payment. */

const PER_ADDRESS_MAX = 50
const STOP_MAX_MS = 5_000

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test.serial(
  'J-DOOR-03 T-CHL-01 a page hears that its payment was seen and settled, and then that nothing more comes',
  async (t) => {
    const page = await payable()
    const stream = await listen(page)
    t.is(stream.answer.headers['content-type'], 'text/event-stream')
    t.is(stream.answer.headers['cache-control'], 'no-store')
    await eventually('the first state', () => stream.heard().includes('data: open'))
    await payPage(app, page)
    await eventually('the payment', () => /data: seen-[1-5]/.test(stream.heard()))
    await app.anvil.mine(6)
    await eventually('the end', () => stream.ended())
    t.regex(
      stream.heard(),
      /^event: state\ndata: open\n\n(event: state\ndata: seen-\d\n\n)+event: state\ndata: settled\n\nevent: end\ndata:\n\n$/,
    )
    const again = await listen(page)
    await eventually('the end', () => again.ended())
    t.is(again.heard(), 'event: state\ndata: settled\n\nevent: end\ndata:\n\n')
  },
)

test.serial('what is no challenge has no events', async (t) => {
  for (const id of ['x', `ch_${'a'.repeat(26)}.eth`, 'ch_%00.eth'])
    t.true([400, 404].includes((await app.call('GET', `/pay/${id}/events`)).status), id)
  t.is(
    (await app.call('GET', `/pay/${(await challengeOf(await payable())).replace('.eth', '.usdc')}/events`)).status,
    404,
  )
})

test.serial('one address has a bounded number of streams, and who goes away makes room', async (t) => {
  const page = await payable()
  const streams = await Promise.all(Array.from({ length: PER_ADDRESS_MAX }, () => listen(page)))
  t.deepEqual(new Set(streams.map(({ answer }) => answer.statusCode)), new Set([200]))
  const refused = await app.call('GET', `/pay/${challengeOf(page)}/events`)
  t.is(refused.status, 429)
  t.is(refused.headers.get('retry-after'), '1')
  for (const each of streams) each.leave()
  const next = await eventually('room', async () => {
    const stream = await listen(page)
    if (stream.answer.statusCode === 200) return stream
    stream.leave()
    return undefined
  })
  next.leave()
})

test.serial('a stop of the service ends the streams and is not held up by them', async (t) => {
  const stream = await listen(await payable())
  await eventually('the first state', () => stream.heard() !== '')
  const before = performance.now()
  let stopped = Number.POSITIVE_INFINITY
  await app.restart(async () => {
    stopped = performance.now() - before
  })
  t.true(stopped < STOP_MAX_MS, `${stopped} ms`)
  t.true(stream.ended())
})

const payable = async (): Promise<string> => choose(app, `/r/${(await shop(app)).resId}`, 'eth')

const challengeOf = (page: string): string => new URL(page, 'http://any').searchParams.get('challenge') ?? ''

const listen = async (page: string) => {
  let heard = ''
  let ended = false
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    get(`${app.served().origin}/pay/${challengeOf(page)}/events`, { agent: false }, resolve).once('error', reject),
  )
  answer.setEncoding('utf8')
  answer.on('data', (text: string) => {
    heard += text
  })
  answer.once('close', () => {
    ended = true
  })
  answer.on('error', () => {})
  return { answer, heard: () => heard, ended: () => ended, leave: () => answer.destroy() }
}
