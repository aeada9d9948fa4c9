import type { TestApp } from './app.ts'
import { ok } from './seller.ts'

/** A seller asks its buyers a field of each type, and takes a discount code. */
export const asksEverything = async (app: TestApp, key: string, words = ''): Promise<void> => {
  const fields = [
    { type: 'select', label: `Size ${words}`.trim(), options: ['Small tin', 'Large tin'], required: true },
    { type: 'text', label: `Name on the card ${words}`.trim() },
    { type: 'textarea', label: `A few words for the card ${words}`.trim() },
    { type: 'checkbox', label: `I have read how tea is sent ${words}`.trim(), required: true },
  ]
  for (const body of fields) await ok(app.call('POST', '/v1/custom-fields', { key, body }))
  await ok(app.call('POST', '/v1/discount-codes', { key, body: { code: 'Harvest 20', multiplier: 0.8 } }))
}
