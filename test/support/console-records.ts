import { readFile } from 'node:fs/promises'
import type { WritableKey } from '../../domain/selling/transactions/transaction-edits.ts'
import { openBooks } from '../../src/books/books.ts'
import { exportTransactions } from '../../src/commands/exports/exports.ts'
import { readConfig } from '../../src/settings/config.ts'
import { openDataDir } from '../../src/settings/data-dir.ts'
import type { TestApp } from './app.ts'
import { consoleCall, type Fields, said } from './console.ts'
import { payInFull, saidOf, shop, transactionOf, verify } from './sale.ts'
import { offerOf, ok } from './seller.ts'

/** Transactions as a merchant reads and changes them through the console. */

export type ConsoleRecords = ReturnType<typeof consoleRecords>

export const consoleRecords = (app: TestApp) => {
  const edit = (key: string, transaction_id: string, values: string) =>
    consoleCall(app, key, 'update-transaction', { transaction_id, values })
  return {
    edit,
    update: (key: string, id: string, values: Readonly<Partial<Record<WritableKey, string | number>>>) =>
      said(edit(key, id, JSON.stringify(values))) as Promise<Record<string, string>>,
    record: (key: string, id: string) =>
      said(consoleCall(app, key, 'get-transaction', { transaction_id: id })) as Promise<Record<string, string>>,
    idsOf: async (key: string, filter: Fields = {}): Promise<string[]> =>
      (await said(consoleCall(app, key, 'get-transactions', filter))).transactions.map(({ id }: { id: string }) => id),
    async csvOf(key: string, filter: Fields = {}): Promise<string> {
      const { headers, text } = await ok(consoleCall(app, key, 'download-transactions', filter))
      if (!headers.get('content-type')?.startsWith('text/csv')) throw new Error(`no CSV: ${text}`)
      return text
    },
    /** A seller with one completed sale. */
    async sold() {
      const s = await shop(app)
      const offer = await offerOf(app, s.key, s.resId)
      await ok(verify(app, offer.challengeId, await payInFull(app, offer)))
      const [created] = await saidOf(app, 'TransactionCreated', offer.challengeId)
      const { id = '' } = await transactionOf(app, s.key, offer.challengeId)
      return { s: { ...s, accountId: created?.accountId ?? '' }, offer, id }
    },
  }
}

/** The operator's export of one account. */
export const exported = async (app: TestApp, account: string): Promise<string> => {
  const file = `${app.dataDir}/${account}.csv`
  const config = readConfig({ ...app.env })
  const books = openBooks(config)
  try {
    const masterKey = () => openDataDir(config).masterKey()
    await exportTransactions(
      books,
      { json: true, tell: async () => {}, remark: () => {} },
      { account, out: file, masterKey },
    )
  } finally {
    await books.close()
  }
  return readFile(file, 'utf8')
}
