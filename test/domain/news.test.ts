import test from 'ava'
import fc from 'fast-check'
import { NEWS_NAMED_MAX, type NewsEvents, news, newsId } from '../../domain/account/news.ts'
import { fold, type Of } from '../../domain/kernel/decider.ts'
import { noteNews } from '../../domain/reactions/policies/news.ts'
import { tellDueNews } from '../../domain/use-cases/account/tell-news.ts'
import { everything, ledgerOn, newStore, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { ACCOUNT } from './samples.ts'

/** What a seller is told of by letter, and how often. */

const START = Date.parse('2026-03-02T10:00:00.000Z')
const time = (minutes: number) => new Date(START + minutes * 60_000).toISOString()
const noted = (order: number) => ({
  accountId: ACCOUNT,
  kind: 'sale' as const,
  order: String(order),
  item: { reference: `t${order}`, amount: '5', currency: 'USD' },
})

type NewsEvent = Of<NewsEvents>
const isLetter = (event: NewsEvent) => event.type === 'NewsLetterScheduled'

type Step = readonly [minute: number, order: number | 'look']

/** Plays what happens at which minute: something to note, or a look of the clock. */
const played = (steps: readonly Step[]): NewsEvent[] => {
  const events: NewsEvent[] = []
  for (const [minute, order] of steps) {
    const [state, now] = [fold(news, events), time(minute)]
    events.push(...(order === 'look' ? news.decide.tell(state, {}, now) : news.decide.note(state, noted(order), now)))
  }
  return events
}

test('N-33 the first sale is told at once, what follows within the hour together when it is over, and nothing twice', (t) => {
  const events = played([
    [0, 1],
    [1, 2],
    [2, 2],
    [30, 3],
    [59, 'look'],
    [60, 'look'],
    [61, 'look'],
    [130, 3],
    [200, 'look'],
  ])
  t.deepEqual(
    events.map(({ type, data }) => [type, 'count' in data ? data.items.map(({ reference }) => reference) : []]),
    [
      ['NewsLetterScheduled', ['t1']],
      ['NewsNoted', []],
      ['NewsNoted', []],
      ['NewsLetterScheduled', ['t2', 't3']],
    ],
  )
})

test('N-33 a letter counts everything and names the first ten', (t) => {
  const events = played([...Array.from({ length: 31 }, (_, n) => [0, n] as const), [60, 'look']])
  const last = events.at(-1)
  t.like(last?.data, { count: 30 })
  t.deepEqual(
    last?.type === 'NewsLetterScheduled' ? last.data.items.map(({ reference }) => reference) : [],
    Array.from({ length: NEWS_NAMED_MAX }, (_, n) => `t${n + 1}`),
  )
})

test('N-33 however sales come and whoever runs twice, letters are an hour apart, and each sale is in one of them', (t) => {
  const step = fc.record({ minutes: fc.integer({ min: 0, max: 45 }), look: fc.boolean(), again: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let [minute, order] = [0, 0]
      const calls = steps.flatMap(({ minutes, look, again }): Step[] => {
        minute += minutes
        if (look) return [[minute, 'look']]
        const sale: Step = [minute, ++order]
        return again ? [sale, sale] : [sale]
      })
      const letters = played([...calls, [minute + 60, 'look']]).filter(isLetter)
      const told = letters.map(({ data }) => ('count' in data ? data : undefined))
      t.is(
        told.reduce((sum, letter) => sum + (letter?.count ?? 0), 0),
        order,
      )
      const at = told.map((letter) => Date.parse(letter?.scheduledAt ?? ''))
      t.true(at.every((each, n) => n === 0 || each - (at[n - 1] ?? 0) >= 3_600_000))
    }),
    { numRuns: 200 },
  )
})

test('N-33 X-SBX-01 only live sales of sellers who want letters are noted, and what is a day old is no news', async (t) => {
  const of = async (want: boolean, test: boolean, minutesLater = 0) => {
    const store = newStore(t)
    const world = fixedWorld('seller')
    const ledger = ledgerOn(store, world)
    if (want) await ledger.settings.change(ACCOUNT, { notifications: { email: true } })
    await ledger.transaction.create('7', { ...transaction, test })
    await ledger.transaction.complete('7', { hash: '0x1', payer: '0x2', confirmedAt: time(0) })
    world.step(minutesLater * 60_000)
    await runPolicies(store, ledger, world, [noteNews])
    await runPolicies(store, ledger, world, [noteNews])
    return (await everything(store)).filter(({ type }) => type.startsWith('News')).map(({ data }) => data)
  }
  const [told, ...more] = await of(true, false)
  t.like(told, { kind: 'sale', count: 1, items: [{ reference: '7', amount: '12', currency: 'USD' }] })
  t.deepEqual(more, [])
  t.deepEqual(await of(true, true), [])
  t.deepEqual(await of(false, false), [])
  t.deepEqual(await of(true, false, 24 * 60 + 1), [])
})

test('N-33 a look of the clock schedules what the rows say is due, if the log says so, too', async (t) => {
  const store = newStore(t)
  const world = fixedWorld('clock')
  const ledger = ledgerOn(store, world)
  for (const order of [1, 2]) await ledger.news.note(newsId(ACCOUNT, 'sale'), noted(order))
  const asked: string[] = []
  const due = {
    dueNews: async (before: string) => {
      asked.push(before)
      return [{ accountId: ACCOUNT, kind: 'sale' as const }]
    },
  }
  const letters = async () => (await everything(store)).filter(({ type }) => type === 'NewsLetterScheduled').length
  await tellDueNews(ledger, world, due)
  t.is(await letters(), 1)
  world.step(3_600_000)
  await tellDueNews(ledger, world, due)
  await tellDueNews(ledger, world, due)
  t.is(await letters(), 2)
  t.true((asked.at(-1) ?? '') <= world.now().toISOString())
})

const transaction = {
  accountId: ACCOUNT,
  challengeId: 'ch_x.eth',
  resId: null,
  externalReference: '',
  type: 'resource',
  title: 'A sale',
  cryptocurrency: 'eth',
  amount: '0.004',
  amountFiat: '12',
  currency: 'USD',
  hash: '',
  payer: '',
  webhookUrl: null,
  createdAt: time(0),
} as const
