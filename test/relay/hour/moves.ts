import type { Hex } from 'viem'
import { eventually } from '../../../src/demo/stage.ts'
import { WALLET_CODE } from '../../support/gasless.ts'
import { EATER, NO, slowly, YES, YES_IF_FREE } from '../../support/odd-wallets.ts'
import type { Hour, Shop } from './scene.ts'

/** What payers do: those who pay, and those who cost the relayer what they can (C1 to C6). */

export type Payment = {
  readonly nonce: string
  /** US dollars that its door promised to bill for gas at most, and the confirmations that it named. */
  readonly maxGasFeeUsd: number
  readonly confirmations: number
  readonly status: number
}

type Move = (hour: Hour, shop: Shop, n: number) => Promise<Payment>

/** With what is done between the signature's acceptance and its block. */
const paying = async (
  hour: Hour,
  shop: Shop,
  n: number,
  signer: { from?: string; owner?: Awaited<ReturnType<Hour['payer']>>; validFor?: number },
  meanwhile?: (signed: { from: string; nonce: string }) => Promise<unknown>,
): Promise<Payment> => {
  const caller = `payer-${n}`
  const asked = await hour.asked(shop, caller)
  const owner = signer.owner ?? (await hour.payer())
  const { from = owner.address, validFor = 600 } = signer
  const signed = await hour.signAs(owner, asked, { from, validFor })
  const answering = hour.pay(shop, caller, asked, signed)
  if (meanwhile) {
    const isTaken = async () => hour.log.payments.get(signed.nonce)?.acceptedAt !== undefined
    await Promise.race([eventually('it is taken', isTaken).catch(() => {}), answering])
    await meanwhile(signed)
  }
  const { status } = await answering
  return {
    nonce: signed.nonce,
    maxGasFeeUsd: Number(asked.extra.maxGasFeeUsd),
    confirmations: Number(asked.extra.requiredConfirmations),
    status,
  }
}

export const honest: { readonly [name: string]: Move } = {
  'a key': (hour, shop, n) => paying(hour, shop, n, {}),
  'a wallet': async (hour, shop, n) => {
    const owner = await hour.payer()
    return paying(hour, shop, n, { owner, from: await hour.wallet(WALLET_CODE, owner) })
  },
}

export const returning =
  (owner: Awaited<ReturnType<Hour['payer']>>): Move =>
  (hour, shop, n) =>
    paying(hour, shop, n, { owner })

export const hostile: { readonly [name: string]: Move } = {
  'C1 says yes where gas costs nothing': async (hour, shop, n) =>
    paying(hour, shop, n, { from: await hour.wallet(YES_IF_FREE) }),
  'C1 holds for 31 years': (hour, shop, n) => paying(hour, shop, n, { validFor: 31 * 365 * 86_400 }),
  'C1 a wallet that turns': async (hour, shop, n) =>
    paying(hour, shop, n, { from: await hour.wallet(YES) }, ({ from }) => hour.chain.setCode(from, NO)),
  'C2 a key that takes code and eats the gas': (hour, shop, n) =>
    paying(hour, shop, n, {}, ({ from }) => hour.chain.setCode(from, EATER)),
  'C3 cancels what was taken': async (hour, shop, n) => {
    const owner = await hour.payer()
    return paying(hour, shop, n, { owner }, ({ nonce }) => hour.cancel(owner, nonce))
  },
  'C5 a wallet that takes much gas': async (hour, shop, n) =>
    paying(hour, shop, n, { from: await hour.wallet(slowly(14_000)) }),
  'C5 a wallet that takes more once it was tried': async (hour, shop, n) =>
    paying(hour, shop, n, { from: await hour.wallet(YES) }, ({ from }) => hour.chain.setCode(from, slowly(10_000))),
  'C6 holds for seven seconds': (hour, shop, n) => paying(hour, shop, n, { validFor: 7 }),
  'sends its money away': (hour, shop, n) => paying(hour, shop, n, {}, ({ from }) => hour.empty(from as Hex)),
}
