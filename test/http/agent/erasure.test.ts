import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { daybook as daybookOf } from '../../cli/daybook.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { drawn, fileOf, formOf, uploads } from '../../support/pictures.ts'
import { ok, seller } from '../../support/seller.ts'

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('X-HASH-01 an erased account reads (erased) at once, also in a running service', async (t) => {
  const { key, email, resId } = await seller(app, { webhook: false })
  const isListed = async () => (await app.call('GET', '/v1/services')).text.includes(resId)
  await ok(app.call('PUT', `/v1/resources?res_id=${resId}`, { key, body: { listed: true } }))
  t.is((await app.call('GET', '/v1/me', { key })).json.email, email)
  const account = await accountId()
  const { url } = (await uploads(() => app)(key, formOf(fileOf(await drawn().png().toBuffer())))).json
  t.is((await fetch(url)).status, 200)
  t.true(await isListed())
  t.is((await daybook('erase', account)).code, 2)
  t.is((await app.call('GET', '/v1/me', { key })).json.email, email)

  t.deepEqual(JSON.parse((await daybook('erase', account, '--yes', '--json')).stdout), { erased: account })
  t.is((await app.call('GET', '/v1/me', { key })).json.email, '(erased)')
  t.is((await fetch(url)).status, 404)
  t.like(await daybook('erase', account, '--yes'), { code: 0, stderr: '' })
  const erased = (await daybook('events', 'tail', '--type', 'AccountErased', '--json')).stdout.trim().split('\n')
  t.is(erased.length, 1)

  await eventually('nothing of an erased account is listed', async () => !(await isListed()))

  await app.restart()
  t.is((await app.call('GET', '/v1/me', { key })).json.email, '(erased)')
})

test('an account that does not exist cannot be erased', async (t) => {
  t.is((await daybook('erase', `acc_${'a'.repeat(26)}`, '--yes')).code, 1)
})

const accountId = async (): Promise<string> => {
  const { stdout } = await daybook('events', 'tail', '--type', 'AccountSignedUp', '--json')
  return (JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as { stream: string }).stream.slice('account-'.length)
}

const daybook = (...args: string[]) => daybookOf(app.env, ...args)
