import { strict as assert } from 'node:assert'
import { toDecimal } from '../../domain/kernel/money.ts'
import { deliveryOf, eventually, type Show, type Stage, WAIT_MS } from './stage.ts'

/**
 * A second sale, to a machine that holds dollars and no coin for gas: it signs, and the service carries the dollars
 * out.
 */

const PRICE_USD = 1
const USDC_DECIMALS = 6

export const soldBySignature = async (stage: Stage, key: string, show: Show): Promise<void> => {
  const { client, payTo } = stage
  await client.json('POST', '/v1/wallets', { key, body: { asset: 'usdc_base', address: payTo } })
  const body = { amount: PRICE_USD, currency: 'USD' }
  const { res_id: resId } = await client.json('POST', '/v1/resources', { key, body })
  const before = await creditOf(stage, key)
  const { entry, payment, status, settlement } = await stage.sign(`/r/${resId}`)
  assert.equal(entry.payTo, payTo)
  assert.deepEqual([status, settlement?.success], [200, true])
  const { fee, gasFee, left } = await awaitBill(stage, key, before, settlement?.transaction ?? '')
  const { transactions } = await client.json('GET', '/v1/transactions', { key })
  const record = (transactions as { id: string; hash: string }[]).find(({ hash }) => hash === settlement?.transaction)
  assert.ok(record)
  await deliveryOf(stage, key, record.id)
  show(8, 'Sell to one who signs and holds no coin for gas', [
    `402 asks for a signature: ${toDecimal(BigInt(entry.amount), USDC_DECIMALS)} USDC on ${entry.network} to ${entry.payTo}`,
    `x-payment: ${payment}`,
    `200, in transaction ${settlement?.transaction}`,
    `fee $${fee.toFixed(6)} and gas $${gasFee.toFixed(6)} from credit: $${left.toFixed(6)} left`,
  ])
}

export const creditOf = async ({ client }: Stage, key: string): Promise<number> =>
  (await client.json('GET', '/v1/me', { key })).credit_balance

/** Waits until fee and gas of a payment that the service carried out are debited. */
export const awaitBill = async (stage: Stage, key: string, before: number, paid: string) => {
  const { fee, gas_fee: gasFee } = await eventually(
    'the bill for gas',
    async () => {
      const { settlements } = await stage.client.json('GET', '/v1/settlements', { key })
      const settled = (settlements as { hash: string; fee: number; gas_fee: number }[]).find(
        ({ hash }) => hash === paid,
      )
      return settled && settled.gas_fee > 0 && settled
    },
    WAIT_MS,
  )
  const left = before - fee - gasFee
  await eventually('the debits', async () => Math.abs((await creditOf(stage, key)) - left) < 1e-9, WAIT_MS)
  return { fee, gasFee, left }
}
