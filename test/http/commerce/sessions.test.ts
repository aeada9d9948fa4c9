import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { type CommerceShop, commerceShop } from '../../support/commerce.ts'
import { type GaslessChain, startGaslessChain } from '../../support/gasless.ts'
import { assertReplayEqual } from '../../support/sale.ts'
import { oneSignature } from './one-signature.ts'
import { sessionCalls } from './session-calls.ts'
import { sessionMandates } from './session-mandates.ts'
import { sessionPayments } from './session-payments.ts'

/** The commerce protocol over real HTTP and on real chains: one service for all of it. */

let app: TestApp
let chain: GaslessChain
let shop: CommerceShop
test.before(async () => {
  chain = await startGaslessChain()
  app = await startApp({ env: chain.env })
  shop = await commerceShop(app)
})
test.after.always(async () => {
  await app?.stop()
  await chain?.stop()
})

const scene = () => ({ app, chain, shop })
sessionCalls(scene)
sessionPayments(scene)
sessionMandates(scene)
oneSignature(scene)

test.after('the rows of all this are what a replay makes of the log', (t) => assertReplayEqual(t, app))
