import type { SettingsCommands } from '../../domain/account/settings.ts'
import type { TestApp } from './app.ts'
import { byLog } from './by-log.ts'
import { saidOf } from './sale.ts'

/**
 * Changes the settings of the seller of a resource, as another process would: by the log alone. Answers the account's
 * id.
 */
export const changeSettings = async (
  app: TestApp,
  resId: string,
  change: SettingsCommands['change'],
): Promise<string> => {
  const [created] = await saidOf(app, 'ResourceCreated', resId)
  if (!created) throw new Error(`there is no resource ${resId}`)
  await byLog(app, ({ settings }) => settings.change(created.accountId, change))
  return created.accountId
}
