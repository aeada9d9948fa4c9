import { UTC, type ZoneClock, zoneClock } from '../../kernel/calendar.ts'
import type { UseCaseContext } from '../context.ts'

/** The clocks of an account, by which its members read days and times. */

/** The name of the time zone of an account; UTC until it says another one. */
export const zoneOf = async ({ ledger }: Pick<UseCaseContext, 'ledger'>, accountId: string): Promise<string> =>
  (await ledger.settings.recent(accountId)).timeZone ?? UTC

/** The clocks of an account: where its days begin and end. */
export const clockOf = async (flow: Pick<UseCaseContext, 'ledger'>, accountId: string): Promise<ZoneClock> =>
  zoneClock(await zoneOf(flow, accountId))
