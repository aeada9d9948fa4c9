import { readdirSync, readFileSync } from 'node:fs'
import test from 'ava'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { balancesProjection } from '../../projections/balance/balances.ts'
import { topUpsProjection } from '../../projections/balance/top-ups.ts'
import { createQueries } from '../../projections/index.ts'
import { notificationsProjection } from '../../projections/signin/notifications.ts'
import { DEEP } from '../support/depth.ts'
import { applyAll, emptyReadModels } from './setup.ts'

/** Lists of people and apps, which pages of the sign-in service show: every row is reached, none twice, in order. */

const SIZES = DEEP ? [3, 12, 131, 1_001] : [3, 12, 131]

/** Three events at each moment. */
const eventsOf = (
  count: number,
  make: (n: number) => { type: string; stream: string; data: object },
): RecordedEvent[] =>
  Array.from({ length: count }, (_, n) => ({
    ...make(n),
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    revision: BigInt(n),
    position: BigInt(n),
    order: BigInt(n),
    at: new Date(Date.UTC(2026, 0, 1) + Math.floor(n / 3) * 1_000).toISOString(),
    cause: { actor: 'tester', correlationId: 'test' },
  })) as unknown as RecordedEvent[]

type Paged = { readonly ids: readonly string[]; readonly next: string | undefined }
const all = async (page: (place: string | undefined) => Promise<Paged>): Promise<string[]> => {
  const ids: string[] = []
  for (let place: string | undefined, pages = 0; pages < 5_000; pages++) {
    const one = await page(place)
    ids.push(...one.ids)
    if (one.next === undefined) return ids
    place = one.next
  }
  throw new Error('the list has no end')
}
const numbers = (count: number) => Array.from({ length: count }, (_, n) => String(count - 1 - n))

for (const size of SIZES) {
  test(`A-BAL-01 all ${size} entries of a balance are reached page by page, the newest first`, async (t) => {
    const { sql } = await emptyReadModels(t, [balancesProjection])
    const received = (n: number) => ({
      type: 'BalanceReceived',
      stream: 'userBalance-usr_1',
      data: {
        amount: '1',
        balance: String(n + 1),
        from: 'platform',
        ledgerRef: `r${n}`,
        kind: 'grant',
        clientId: null,
        description: null,
      },
    })
    await applyAll(sql, balancesProjection, eventsOf(size, received))
    const { balanceEntries } = createQueries(sql)
    for (const limit of [1, 7, 50]) {
      const ids = await all(async (before) => {
        const rows = await balanceEntries('user:usr_1', limit, before)
        return { ids: rows.map(({ number }) => number), next: rows.length < limit ? undefined : rows.at(-1)?.number }
      })
      t.deepEqual(ids, numbers(size), `by ${limit}`)
    }
  })

  test(`A-TOP-03 all ${size} top-ups and notifications of an app are reached page by page`, async (t) => {
    const { sql } = await emptyReadModels(t, [topUpsProjection, notificationsProjection])
    const started = (n: number) => ({
      type: 'TopUpStarted',
      stream: `topUp-${n}`,
      data: { clientId: 'app_1', amount: '1', expiresAt: '2030-01-01T00:00:00.000Z' },
    })
    const scheduled = (n: number) => ({
      type: 'NotificationScheduled',
      stream: `notification-${n}`,
      data: { clientId: 'app_1', kind: 'receipt', url: 'https://a.test', payload: '{}' },
    })
    await applyAll(sql, topUpsProjection, eventsOf(size, started))
    await applyAll(sql, notificationsProjection, eventsOf(size, scheduled))
    const { topUpsOfApp, notifications } = createQueries(sql)
    const byOffset = (limit: number, read: (offset: number) => Promise<readonly string[]>) =>
      all(async (place) => {
        const ids = await read(Number(place ?? 0))
        return { ids, next: ids.length < limit ? undefined : String(Number(place ?? 0) + ids.length) }
      })
    for (const limit of [7, 50]) {
      const topUps = await byOffset(limit, async (offset) =>
        (await topUpsOfApp('app_1', limit, offset)).map(({ topUpId }) => topUpId),
      )
      t.deepEqual(topUps.toSorted(), numbers(size).toSorted())
      const times = topUps.map((n) => Math.floor(Number(n) / 3))
      t.deepEqual(
        times,
        times.toSorted((a, b) => b - a),
      )
      const told = await byOffset(limit, async (offset) =>
        (await notifications('app_1', {}, { limit, offset })).map(({ eventId }) => eventId),
      )
      t.deepEqual(told, numbers(size))
    }
  })
}

test('no query orders by a column that it also answers as text under the same name: 10 would come before 9', (t) => {
  const faults: string[] = []
  for (const file of ['projections', 'adapters/postgres'].flatMap(filesIn)) {
    const text = readFileSync(file, 'utf8')
    const answered = new Set(
      [...text.matchAll(/(?<![\w.])(?:\w+\.)?(\w+)::(?:text|varchar)(?!\s*(?:\[\]|as\b|=))/g)].map(([, name]) => name),
    )
    for (const [, list = ''] of text.matchAll(/order by ([^`)\n]*)/g))
      for (const part of list.split(',')) {
        const [, name = ''] = /^\s*(\w+)(?:\s+(?:asc|desc|nulls|limit|offset|\$)|\s*$)/.exec(`${part} `) ?? []
        if (answered.has(name)) faults.push(`${file}: order by ${list}`)
      }
  }
  t.deepEqual(faults, [])
})

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)
