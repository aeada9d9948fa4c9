import test from 'ava'
import { startApp, type TestApp } from '../../../support/app.ts'
import { openOperator } from '../../../support/operator.ts'
import { person, signIn } from '../../../support/people.ts'

const shift = 0
let app: TestApp
let operator: Awaited<ReturnType<typeof openOperator>>
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + shift) } })
  operator = await openOperator(app)
})
test.after.always(async () => {
  await operator?.stop()
  await app?.stop()
})

test.serial('N-59 a password signs a person in, and leads on to where they wanted', async (t) => {
  const user = await operator.user()
  const ada = person(app)
  const page = await ada.open('/sign-in?next=%2Faccount%2Fsecurity%3Fx%3D1')
  t.is(page.status, 200, page.text)
  const done = await signIn(ada, { ...user, next: '/account/security?x=1' })
  t.deepEqual([done.status, done.location], [303, '/account/security?x=1'])
  t.is((await signIn(person(app), { ...user, password: 'wrong' })).status, 422)
  const again = await ada.open('/sign-in')
  t.deepEqual([again.status, again.location], [303, '/account'])
  const renewed = await ada.send('/sign-in', { email: user.email, password: user.password }, '/sign-in?again=1')
  t.is(renewed.status, 303)
  const out = await ada.send('/sign-out')
  t.is(out.status, 303)
  t.is((await ada.open('/sign-out')).text.includes('You are signed out'), true)
})
