import { eventually } from '../../../src/demo/stage.ts'
import type { TestApp } from '../../support/app.ts'
import { authorize, cancellation, type GaslessChain, TEST_USDC } from '../../support/gasless.ts'
import { EATER, NO, slowly, YES, YES_IF_FREE } from '../../support/odd-wallets.ts'
import { freshAddress, saidOf } from '../../support/sale.ts'
import { encoded, v1Payload } from '../../support/signed-sale.ts'
import { requirementAt, someone } from './scene.ts'

/** Payers whose signatures are good when they are looked at, and not when they are carried out. */

export const TURNS = ['turned', 'cancelled', 'emptied', 'coded', 'free', 'dear', 'far'] as const
export type Turn = (typeof TURNS)[number]

const FUNDS = 9_000_000_000n
const FAR_SECONDS = 31 * 365 * 86_400

/** Pays at a door in such a way; answers the nonce when it was told that it has paid. */
export const payHostilely = async (
  app: TestApp,
  chain: GaslessChain,
  path: string,
  turn: Turn,
): Promise<string | undefined> => {
  const headers = someone()
  const { payTo, maxAmountRequired } = await requirementAt(app, path, headers)
  const owner = await chain.payer(FUNDS)
  const from = codes[turn] ? freshAddress() : owner.address
  if (codes[turn]) {
    await chain.setCode(from, codes[turn])
    await chain.mint(from, FUNDS)
  }
  const wish = { to: payTo, value: BigInt(maxAmountRequired), from }
  const signed = await authorize(owner, { ...wish, ...(turn === 'far' && { validFor: FAR_SECONDS }) })
  const paying = app.call('GET', path, { headers: { ...headers, 'x-payment': encoded(v1Payload(signed)) } })
  const isTaken = async () => (await saidOf(app, 'AuthorizationAccepted', signed.nonce)).length > 0
  await Promise.race([paying, eventually('it is taken', isTaken).catch(() => {})])
  if (turn === 'turned') await chain.setCode(from, NO)
  if (turn === 'coded') await chain.setCode(from, EATER)
  if (turn === 'emptied') await chain.mint(from, 0n)
  if (turn === 'cancelled')
    await chain.submit({ to: TEST_USDC, data: await cancellation(owner, signed.nonce), gas: 120_000n })
  return (await paying).status === 200 ? signed.nonce : undefined
}

/** What stands at the payer's address before it pays; a key where there is none. */
const codes: { readonly [T in Turn]?: Parameters<GaslessChain['setCode']>[1] } = {
  turned: YES,
  free: YES_IF_FREE,
  dear: slowly(14_000),
}
