import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp } from '../../support/app.ts'
import { startCountingProxy } from '../../support/counting-proxy.ts'
import { offerOf, seller } from '../../support/seller.ts'

test('X-ERR-01 while the chain does not answer, the door and verify say 503 and nothing is settled; afterwards they go on', async (t) => {
  const chain = { url: '' }
  const proxy = await startCountingProxy(() => chain.url)
  const app = await startApp({ rpcUrl: proxy.url, onAnvil: (url) => (chain.url = url) })
  t.teardown(async () => {
    await app.stop()
    proxy.stop()
  })
  const { key, resId } = await seller(app)
  const offer = await offerOf(app, key, resId)
  const hash = await app.anvil.send(offer.payTo, BigInt(offer.amountAtomic))
  const verify = () => app.call('POST', '/v1/verify', { body: { challengeId: offer.challengeId, hash } })
  const { url } = chain
  chain.url = 'http://127.0.0.1:1'
  await app.anvil.mine(offer.requiredConfirmations)
  for (const answer of [await verify(), await app.call('GET', `/r/${resId}`)])
    t.deepEqual(
      [answer.status, answer.json.error_code, answer.headers.get('retry-after')],
      [503, 'svc_unavailable', '1'],
    )
  chain.url = url
  await eventually('the settlement', async () => (await verify()).json.settled === true)
})
