import test from 'ava'
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import { openServerUsers } from '../../adapters/store/server/users.ts'
import { checkEventStore } from '../../src/commands/eventstore/check.ts'
import { prepareEventStore } from '../../src/commands/eventstore/prepare.ts'
import { CommandFailure } from '../../src/console/failures.ts'
import type { Output } from '../../src/console/output.ts'
import { BadSetting } from '../../src/settings/setting-kinds.ts'
import { event } from '../store/client.ts'
import { newEvent } from '../store/events.ts'
import { newNode } from '../store/open.ts'
import { ADMIN_PASSWORD, securedServer } from './secured-server.ts'

/** An EventStoreDB from nothing to serving. */

type Told = { readonly eventStoreUrl: string; readonly [fact: string]: unknown }

/** What a command tells, as JSON and as text. */
const telling = () => {
  const values: Told[] = []
  const texts: string[] = []
  const out: Output = {
    json: false,
    tell: async (value, text) => {
      values.push(value as Told)
      texts.push(text)
    },
    remark: () => {},
  }
  return { out, values, texts }
}

const checked = async (url: string) => {
  const { out, values, texts } = telling()
  const ok = await checkEventStore(out, url)
  const { findings } = values[0] as unknown as { findings: readonly { what: string; ok: boolean; text: string }[] }
  return { ok, missing: findings.filter((each) => !each.ok).map(({ what }) => what), text: texts[0] ?? '' }
}

test('a server is made ready: its user appends and reads the whole log, and can hide nothing', async (t) => {
  const { admin, users, asked } = await securedServer(t)
  const { out, values, texts } = telling()
  await prepareEventStore(out, { admin, user: 'daybook' })
  const [{ eventStoreUrl: url = '' } = {}] = values
  t.like(values[0], { step: 'made', readsLog: true, defaultRights: true, hasPassword: true })
  const password = users.get('daybook')?.password ?? ''
  t.regex(password, /^[\w-]{32}$/)
  t.true(url.startsWith(`esdb://daybook:${password}@localhost:`))
  // It is shown once.
  t.is(texts.join().split(password).length, 2)
  t.false(texts.join().includes(encodeURIComponent(ADMIN_PASSWORD)))
  t.is(asked.filter(({ body }) => body.includes(password)).length, 1)

  const store = eventStoreDb(url)
  t.teardown(() => store.close())
  await store.append('log-copies', -1n, [newEvent('One')])
  t.true((await store.head()) >= 0n)
  const { ok, missing, text } = await checked(url)
  t.deepEqual([ok, missing], [true, []], text)
  t.regex(text, /1 event, all of them Daybook's/)
})

test('it may be made ready again: nothing changes, the password stays unless a new one is asked for', async (t) => {
  const { admin, users, core } = await securedServer(t)
  const { out, values, texts } = telling()
  await prepareEventStore(out, { admin, user: 'daybook' })
  const [first, end] = [users.get('daybook')?.password, core.last()]
  await prepareEventStore(out, { admin, user: 'daybook' })
  t.like(values[1], { step: 'kept', readsLog: false, defaultRights: false, hasPassword: false })
  t.is(users.get('daybook')?.password, first)
  t.is(core.last(), end)
  t.regex(texts[1] ?? '', /EVENTSTORE_URL=esdb:\/\/daybook:<its password>@localhost/)
  await prepareEventStore(out, { admin, user: 'daybook', newPassword: true })
  t.like(values[2], { step: 'new-password', hasPassword: true })
  t.not(users.get('daybook')?.password, first)
  t.true(values[2]?.eventStoreUrl.includes(users.get('daybook')?.password ?? ' '))
})

test('rights that others have stay: who may read the whole log, and what else its metadata says', async (t) => {
  const { admin, core } = await securedServer(t)
  const before = { $acl: { $r: ['$admins', 'auditor'], $w: '$admins' }, theirs: 7 }
  await core.append('$$$all', 'any', [
    {
      id: crypto.randomUUID(),
      type: '$metadata',
      contentType: 'application/json',
      data: Buffer.from(JSON.stringify(before)),
      metadata: Buffer.alloc(0),
    },
  ])
  await prepareEventStore(telling().out, { admin, user: 'books' })
  const [newest] = core.readStream('$$$all', Number.MAX_SAFE_INTEGER, 1, 'backwards')
  t.deepEqual(JSON.parse(Buffer.from(newest?.data ?? []).toString()), {
    ...before,
    $acl: { ...before.$acl, $r: ['$admins', 'auditor', 'books'] },
  })
})

test('a check says what is missing, one thing after the other, and leaves no trace', async (t) => {
  const { admin, users, urlOf, core, softDelete } = await securedServer(t)
  users.set('plain', { password: 'p', groups: [], disabled: false })
  const refused = await t.throwsAsync(checked(urlOf('plain', 'p')), { instanceOf: BadSetting })
  t.regex(refused?.message ?? '', /the user plain may not read \$all/)
  await prepareEventStore(telling().out, { admin, user: 'daybook' })
  const end = core.last()
  // An admin may do everything, and so hide events.
  t.deepEqual((await checked(admin)).missing, ['user', 'protection'])
  t.is(core.last(), end)

  const theirs = Buffer.from('{}')
  const json = { contentType: 'application/json', data: theirs, metadata: theirs }
  // Of the right form, in a stream that is none of ours.
  const readable = Buffer.from(JSON.stringify(newEvent('Ordered').meta))
  await core.append('orders-1', -1, [{ ...event('Ordered'), ...json, metadata: readable, id: crypto.randomUUID() }])
  await core.append('account-1', -1, [{ ...event('Ours'), ...json, id: crypto.randomUUID() }])
  await softDelete('account-1')
  const { ok, missing, text } = await checked(admin)
  t.deepEqual([ok, missing], [false, ['user', 'protection', 'log', 'streams']])
  t.regex(text, /others write to orders-1, account-1/)
  t.regex(text, /account-1 \(deleted\)/)
})

test('a user that is an admin or was disabled is refused, and so are a wrong password and a server without TLS', async (t) => {
  const { admin, users, urlOf, core } = await securedServer(t)
  const end = core.last()
  users.set('boss', { password: 'p', groups: ['$admins'], disabled: false })
  users.set('gone', { password: 'p', groups: [], disabled: true })
  const { out, values } = telling()
  for (const [user, words] of [
    ['boss', /boss is an admin/],
    ['gone', /gone is disabled/],
  ] as const)
    await t.throwsAsync(prepareEventStore(out, { admin, user }), { instanceOf: CommandFailure, message: words })
  const wrong = await t.throwsAsync(prepareEventStore(out, { admin: urlOf('admin', 'hunter2'), user: 'daybook' }), {
    instanceOf: BadSetting,
    message: /^--admin: .* does not know the user admin, or knows it by another password/,
  })
  t.false(wrong?.message.includes('hunter2'))
  const { url } = await newNode(t)
  await t.throwsAsync(prepareEventStore(out, { admin: url, user: 'daybook' }), {
    instanceOf: BadSetting,
    message: /TLS/,
  })
  t.deepEqual([values, core.last()], [[], end])
  t.false(users.has('daybook'))
})

test('a server without users is checked too, and is called open', async (t) => {
  const { url } = await newNode(t)
  t.deepEqual((await checked(url)).missing, ['user'])
  await t.throwsAsync(checkEventStore(telling().out, 'unix:/none.sock'), { instanceOf: BadSetting })
})

test('a follower that names its leader is followed there, and never to where there is no TLS', async (t) => {
  const { admin, origin, asked, answerNext } = await securedServer(t)
  const users = openServerUsers(admin)
  t.teardown(() => users.close())
  answerNext(`${origin}/users/admin`)
  t.like(await users.find('admin'), { login: 'admin', groups: ['$admins'] })
  t.is(asked.length, 2)
  answerNext('http://localhost:1/users/admin')
  await t.throwsAsync(users.find('admin'), { message: /without TLS/ })
})

test('a call for users has a time limit, an empty password is refused before it is sent, and no error tells a password', async (t) => {
  const { admin, asked, answerNext } = await securedServer(t)
  const users = openServerUsers(admin, 500)
  t.teardown(() => users.close())
  await t.throwsAsync(users.create('daybook', ''), { message: 'a user needs a password' })
  await t.throwsAsync(users.setPassword('admin', ''), { message: 'a user needs a password' })
  t.deepEqual(asked, [])
  answerNext('silence')
  const error = await t.throwsAsync(users.create('daybook', 'hunter2'), {
    message: /cannot be asked: .*(timeout|aborted)/i,
  })
  t.false(`${error?.stack} ${String(error?.cause)}`.includes('hunter2'))
})
