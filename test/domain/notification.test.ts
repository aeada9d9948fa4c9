import test from 'ava'
import { type EventsOf, fold } from '../../domain/kernel/decider.ts'
import { LADDER_MS, notification } from '../../domain/signin/notification.ts'
import { given, NOW } from '../support/given.ts'

type Event = EventsOf<typeof notification>

const START = Date.parse(NOW)
const at = (ms: number) => new Date(START + ms).toISOString()
const wish = { clientId: 'app_a', url: 'https://a.example/hook', kind: 'receipt' as const, payload: '{}' }
const scheduled: Event = { type: 'NotificationScheduled', data: wish }
const skipped: Event = { type: 'NotificationSkipped', data: { clientId: 'app_a' } }
const attempt = (number: number, status: number | null, ms = 0) => ({
  attempt: number,
  url: wish.url,
  status,
  reason: status === null ? 'connect-timeout' : null,
  bodyHead: '',
  durationMs: 1,
  attemptedAt: at(ms),
})
const failed = (number: number, nextAt: string | null, status: number | null = 500, ms = 0): Event => ({
  type: 'NotificationAttemptFailed',
  data: { clientId: 'app_a', nextAt, ...attempt(number, status, ms) },
})
const accepted: Event = { type: 'NotificationAccepted', data: { clientId: 'app_a', ...attempt(1, 204) } }

test('A-RCP-06 I-RCP-01 a notification is scheduled or skipped once, and what was decided stands', (t) => {
  given(t, notification).when('schedule', wish).yields(scheduled)
  given(t, notification, scheduled).when('schedule', wish).yieldsNothing()
  given(t, notification).when('skip', { clientId: 'app_a' }).yields(skipped)
  given(t, notification, skipped).when('schedule', wish).yieldsNothing()
  given(t, notification, scheduled).when('skip', { clientId: 'app_a' }).yieldsNothing()
  given(t, notification, skipped)
    .when('record', { ...attempt(1, 200), jitter: 0 })
    .isRefused('not-found')
})

test('A-RCP-06 any 2xx ends it, everything else is tried again, and each attempt counts once', (t) => {
  given(t, notification, scheduled)
    .when('record', { ...attempt(1, 204), jitter: 0 })
    .yields(accepted)
  for (const status of [null, 302, 400, 429, 500])
    given(t, notification, scheduled)
      .when('record', { ...attempt(1, status), jitter: 0 })
      .yields(failed(1, at(5_000), status))
  given(t, notification, scheduled, accepted)
    .when('record', { ...attempt(1, 204), jitter: 0 })
    .yieldsNothing()
  given(t, notification, scheduled, failed(1, at(5_000)))
    .when('record', { ...attempt(1, 200), jitter: 0 })
    .yieldsNothing()
})

test('A-RCP-06 the ladder has eight attempts within 27 hours and 35 minutes, then it is given up', (t) => {
  let state = fold(notification, [scheduled])
  let now = 0
  const pauses: number[] = []
  for (let number = 1; state.status === 'pending'; number++) {
    const events = notification.decide.record(state, { ...attempt(number, 500, now), jitter: 0 }, at(now))
    state = fold(notification, events, state)
    if (state.status !== 'pending' || state.nextAt === null) break
    pauses.push(Date.parse(state.nextAt) - START - now)
    now = Date.parse(state.nextAt) - START
  }
  t.like(state, { status: 'given-up', attempts: 8, nextAt: null })
  t.deepEqual([0, ...pauses], [...LADDER_MS])
  t.is(now, (27 * 60 + 35) * 60_000 + 5_000)
})

test('A-RCP-06 chance moves a step by a tenth at the most, and 410 ends the ladder at once', (t) => {
  for (const [jitter, ms] of [
    [-0.1, 4_500],
    [0.1, 5_500],
  ] as const)
    given(t, notification, scheduled)
      .when('record', { ...attempt(1, 500), jitter })
      .yields(failed(1, at(ms)))
  given(t, notification, scheduled)
    .when('record', { ...attempt(1, 410), jitter: 0 })
    .yields(failed(1, null, 410))
})

test('A-RCP-06 what ended can be replayed from the first step on, what is still sent cannot', (t) => {
  const replayed: Event = { type: 'NotificationReplayed', data: { clientId: 'app_a' } }
  given(t, notification, scheduled).when('replay', {}).yieldsNothing()
  given(t, notification, scheduled, accepted).when('replay', {}).yields(replayed)
  given(t, notification, scheduled, failed(1, null, 410), replayed)
    .when('record', { ...attempt(2, 500), jitter: 0 })
    .yields(failed(2, at(5_000)))
  given(t, notification).when('replay', {}).isRefused('not-found')
})
