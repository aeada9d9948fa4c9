/** What happens in an installation whose parts are taken apart, and what it answers afterwards. */
import type { ExecutionContext } from 'ava'
import { doctor } from '../../src/commands/doctor.ts'
import { eventually } from '../../src/demo/eventually.ts'
import { PartsUnfit } from '../../src/parts/refusal.ts'
import type { StoreKind } from '../support/app.ts'
import { signUp } from '../support/seller.ts'
import { type Installation, openInstallation } from './stage.ts'

export type Person = Awaited<ReturnType<typeof signUp>>

/** An installation in which something has happened, at rest. */
export const lived = async (t: ExecutionContext, kind: StoreKind, extra: Readonly<Record<string, string>> = {}) => {
  const place = await openInstallation(kind, extra)
  t.teardown(() => place.stop())
  return { place, people: [...(await live(place, 2))] }
}

/** Runs the service for so many sign-ups, until they are sealed, witnessed and mirrored; answers who signed up. */
export const live = async (place: Installation, count: number): Promise<readonly Person[]> => {
  const served = await place.start()
  const people: Person[] = []
  for (let n = 0; n < count; n++) people.push(await signUp(place))
  await eventually('everything to be sealed and mirrored', async () => {
    const { json } = await place.call('GET', '/readyz')
    const metrics = await (await fetch(served.metricsUrl)).text()
    const witnessed = json.checks.parts.parts?.find(({ part }: { part: string }) => part === 'witness')
    const mirrored = place.env.LOG_MIRROR === 'off' || /daybook_mirror_lag_positions 0\b/.test(metrics)
    return mirrored && /^\d/.test(witnessed?.reach ?? '')
  })
  await place.close()
  return people
}

const PATHS = ['/v1/me', '/v1/wallets', '/v1/resources', '/v1/webhook', '/v1/agent', '/v1/transactions?limit=500']

/** What the service answers to everybody, to the byte. It is started for it. */
export const answersOf = async (place: Installation, people: readonly Person[]): Promise<Record<string, string>> => {
  await place.start()
  const answers: Record<string, string> = {}
  for (const { key, email } of people)
    for (const path of PATHS) {
      const { status, text } = await place.call('GET', path, { key })
      answers[`${email} ${path}`] = `${status} ${text}`
    }
  await place.close()
  return answers
}

export const refused = async (t: ExecutionContext, place: Installation): Promise<PartsUnfit> => {
  const error = await t.throwsAsync(place.start(), { instanceOf: PartsUnfit })
  await place.close()
  return error as PartsUnfit
}

export const examined = (place: Installation) => place.run((books, config, out) => doctor(books, config, out))

/** How many events the log has. */
export const eventsOf = async (place: Installation): Promise<number> => {
  const { told } = await place.run(async (books, _, out) => {
    let events = 0
    for await (const page of (await books.log()).store.readAll(-1n)) events += page.length
    await out.tell(events, '')
  })
  return told
}
