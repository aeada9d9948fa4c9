import test from 'ava'
import { startApp } from './support/app.ts'
import { offerOf, pay, seller } from './support/seller.ts'

test('smoke', async (t) => {
  const app = await startApp()
  t.teardown(app.stop)
  const s = await seller(app)
  const o = await offerOf(app, s.key, s.resId)
  const hash = await pay(app, o)
  t.deepEqual((await app.call('POST', '/v1/verify', { body: { challengeId: o.challengeId, hash } })).json, {
    settled: true,
  })
})
