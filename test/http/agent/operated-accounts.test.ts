import test from 'ava'
import { listAccounts, reinstate, rotateKey, showAccount, suspend } from '../../../src/commands/accounts/accounts.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { readConfig } from '../../../src/settings/config.ts'
import { daybook } from '../../cli/daybook.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { inProcess } from '../../support/commands.ts'
import { letters, letterTo } from '../../support/owner-letters.ts'
import { activeSeller, offerOf, ok, seller } from '../../support/seller.ts'
import { readLog } from '../log.ts'

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('an operator suspends an account: its keys are refused with the reason, it sells nothing, and it opens again', async (t) => {
  const { key, email, resId } = await seller(app)
  const sub = await ok(app.call('POST', '/v1/subagents', { key, body: { role: 'admin' } }))
  await offerOf(app, key, resId)
  const id = await accountOf(email)
  const decision = { id, by: 'Ada', reason: 'Buyers report that nothing is delivered' }
  const told = await command((books, out) => suspend(books, out, decision))
  t.deepEqual(told, { account_id: id, suspended: true, changed: true })
  t.like(await command((books, out) => suspend(books, out, decision)), { changed: false })
  for (const each of [key, sub.json.api_key as string]) {
    const refusal = await eventually('the key is refused', async () => {
      const answer = await app.call('GET', '/v1/settlements', { key: each })
      return answer.status !== 200 && answer
    })
    t.deepEqual([refusal.status, refusal.json.error_code], [403, 'svc_account_suspended'])
    t.regex(refusal.json.message, /Buyers report that nothing is delivered/)
  }
  const wrongSecret = await app.call('GET', '/v1/settlements', { key: `${key.slice(0, -4)}0000` })
  t.is(wrongSecret.json.error_code, 'invalid-api-key', 'whoever has no good key does not learn of it')
  const door = await app.call('GET', `/r/${resId}`)
  t.deepEqual([door.status, /takes no new payments/.test(door.text)], [503, true])
  t.is((await app.call('POST', '/recover-key', { body: { email } })).status, 200)
  await letterTo(app, email, 'Your account is suspended')
  const listed = (await command((books, out) => listAccounts(books, config(), out, { suspended: true }))) as object[]
  t.deepEqual(listed, [{ account_id: id, status: 'suspended', email, reason: decision.reason }])
  await command((books, out) => reinstate(books, out, { ...decision, reason: 'It was explained' }))
  await eventually('the key is good again', async () => (await statusOf(key)) === 200)
  t.is((await app.call('GET', `/r/${resId}`)).status, 402)
  t.is((await letters(app, email)).filter(({ subject }) => /new key/i.test(subject)).length, 0)
  const why = (await readLog(app)).filter(({ type, stream }) => /^Account(Susp|Rein)/.test(type) && stream.includes(id))
  t.deepEqual(
    why.map(({ data, cause }) => [(data as typeof decision).by, cause.actor]),
    [
      ['Ada', 'operator'],
      ['Ada', 'operator'],
    ],
  )
})

test('X-ONCE-01 an operator replaces the owner key of a seller, and the key is printed once', async (t) => {
  const { key, email } = await activeSeller(app)
  const id = await accountOf(email)
  const wish = { id, by: 'Ada', reason: 'The owner has lost it', oldKey: 'none' as const }
  const fresh = (await command((books, out) => rotateKey(books, config(), out, wish))) as { api_key: string }
  await eventually('the new key is known', async () => (await statusOf(fresh.api_key)) === 200)
  t.is(await statusOf(key), 401)
  const shown = (await command((books, out) => showAccount(books, config(), out, id))) as { keys: object[] }
  t.like(shown, { account_id: id, status: 'activated', email, reason: null })
  t.like(shown.keys, [{ last_used_network: '127.0.0.1', ends_at: null }])
  t.false(JSON.stringify(shown).includes(fresh.api_key))
  t.regex((await letterTo(app, email, 'Your owner key was replaced')).text, /The reason: The owner has lost it/)
  const nobody = { ...wish, id: 'acc_nobody' }
  await t.throwsAsync(() => command((books, out) => rotateKey(books, config(), out, nobody)), {
    message: 'there is no account acc_nobody',
  })
})

test('`accounts` ends with 1 for an account that is not there, and with 0 for what is done or was done before', async (t) => {
  const { email } = await activeSeller(app)
  const id = await accountOf(email)
  const run = (...args: string[]) => daybook(app.env, 'accounts', ...args)
  const why = ['--reason', 'Buyers report that nothing is delivered']
  const nobody = `acc_${'a'.repeat(26)}`
  for (const args of [
    ['show', nobody],
    ...['suspend', 'reinstate', 'rotate-key'].map((name) => [name, nobody, ...why]),
  ]) {
    const { code, stdout, stderr } = await run(...args)
    t.deepEqual([code, stdout, stderr.trimEnd()], [1, '', `there is no account ${nobody}`], args.join(' '))
  }
  const done = async (...args: string[]) => {
    const { code, stdout } = await run(...args)
    return [code, stdout.trimEnd()]
  }
  t.deepEqual(await done('reinstate', id, ...why), [0, `${id} was not suspended`])
  t.deepEqual(await done('suspend', id, ...why), [0, `${id} is suspended: ${why[1]}`])
  t.deepEqual(await done('suspend', id, ...why), [0, `${id} was suspended before`])
  t.regex((await run('show', id)).stdout, /suspended since .*: Buyers report/)
  const { stdout } = await run('reinstate', id, ...why, '--json')
  t.deepEqual(JSON.parse(stdout), { account_id: id, suspended: false, changed: true })
})

const config = () => readConfig(app.env)

const command = async (act: Parameters<typeof inProcess>[1]): Promise<unknown> => (await inProcess(app.env, act)).told

const statusOf = async (key: string): Promise<number> => (await app.call('GET', '/v1/wallets', { key })).status

const accountOf = async (email: string): Promise<string> => {
  const listed = (await command((books, out) => listAccounts(books, config(), out, { limit: 1_000 }))) as {
    account_id: string
    email: string
  }[]
  return listed.find((each) => each.email === email)?.account_id as string
}
