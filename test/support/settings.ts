import { eventStoreDb } from '../../adapters/store/eventstoredb.ts'
import type { SettingsCommands } from '../../domain/account/settings.ts'
import { createLedger } from '../../domain/ledger.ts'
import { world } from '../../src/world.ts'
import type { TestApp } from './app.ts'
import { noSnapshots } from './ledger.ts'
import { saidOf } from './sale.ts'

/** Changes the settings of the seller of a resource, as another process would: by the log alone. Answers the account's id. */
export const changeSettings = async (
  app: TestApp,
  resId: string,
  change: SettingsCommands['change'],
): Promise<string> => {
  const [created] = await saidOf(app, 'ResourceCreated', resId)
  if (!created) throw new Error(`there is no resource ${resId}`)
  const store = eventStoreDb(app.env.EVENTSTORE_URL ?? '')
  try {
    const { ledger } = createLedger(store, world, noSnapshots).open({ actor: 'tester', correlationId: 'test' })
    await ledger.settings.change(created.accountId, change)
  } finally {
    await store.close()
  }
  return created.accountId
}
