/** What happens in an installation whose parts are taken apart, and what it answers afterwards. */
import type { ExecutionContext } from 'ava'
import { isSeal } from '../../adapters/audit/sealer.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { operatorLedger } from '../../src/books/operator-ledger.ts'
import { acceptOlder } from '../../src/commands/parts/accept.ts'
import { doctor } from '../../src/commands/parts/doctor.ts'
import { eventually } from '../../src/demo/stage.ts'
import { PartsUnfit } from '../../src/parts/refusal.ts'
import { readSealWitness } from '../../src/settings/seal-witness.ts'
import type { StoreKind } from '../support/app.ts'
import { activeSeller } from '../support/seller.ts'
import { type Installation, openInstallation } from './stage.ts'

export type Person = Awaited<ReturnType<typeof activeSeller>>

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
  for (let n = 0; n < count; n++) people.push(await activeSeller(place))
  await eventually('everything to be sealed, witnessed and mirrored', async () => {
    const metrics = await (await fetch(served.metricsUrl)).text()
    if (place.env.LOG_MIRROR !== 'off' && !/daybook_mirror_lag_positions 0\b/.test(metrics)) return false
    const events = await eventsOf(place)
    const seal = events.findLast(({ type }) => type === 'LogSealed')
    const last = events.findLast(({ type }) => !isSeal(type))
    const { size, order } = (seal?.data ?? {}) as { size?: number; order?: string }
    const witnessed = readSealWitness(place.files.witness)?.head.size === size
    return witnessed && BigInt(order ?? -1) >= (last?.order ?? 0n)
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

/** The whole log, also that of a service that runs. */
export const eventsOf = async (place: Installation): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = []
  await place.run(async (books) => {
    for await (const page of (await books.log()).store.readAll(-1n)) events.push(...page)
  })
  return events
}

/** Sends money that a policy has to deliver. Nothing runs. */
export const grant = (place: Installation, id: string) =>
  place.run(async (books) => {
    const { store } = await books.place()
    await operatorLedger(store).creditGrant.send(`grant_${id}`, {
      transferId: `grant:grant_${id}`,
      ledgerRef: `gr_${id}`,
      kind: 'grant',
      total: '7000000',
      legs: [{ to: 'user:usr_1', amount: '7000000' }],
      clientId: null,
      request: 'r',
      description: null,
    })
  })

export const accept = (place: Installation, reason = 'a disk broke') =>
  place.run((books, config, out) => acceptOlder(books, config, out, { reason }))

export const count = (events: readonly { type: string }[], type: string) =>
  events.filter((event) => event.type === type).length

/** Runs the service until the log has an event of a type. */
export const arrived = async (place: Installation, type: string): Promise<void> => {
  await place.start()
  await eventually(type, async () => count(await eventsOf(place), type) > 0)
  await place.close()
}
