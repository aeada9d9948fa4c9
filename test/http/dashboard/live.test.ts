import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { memberSignIn, signedInMember } from '../../support/dashboard.ts'
import { type Person, person } from '../../support/people.ts'
import { freshAddress, ok } from '../../support/seller.ts'

/** What an open page hears of its account. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const listening = async (who: Person) => {
  const response = await fetch(`${app.served().origin}/dashboard/live`, {
    headers: { cookie: [...who.cookies].map((pair) => pair.join('=')).join('; ') },
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  /** Reads until the stream has said it; answers all that it has said when it ends. */
  const until = async (said: RegExp): Promise<string> => {
    while (!said.test(text)) {
      const next = await reader?.read()
      if (!next || next.done) return text
      text += next.value
    }
    return text
  }
  return { response, until, leave: () => reader?.cancel() }
}

test('N-82 an open page hears which rows of its own account change, and of no other', async (t) => {
  const [ours, theirs] = [await signedInMember(app), await signedInMember(app)]
  const [page, other] = [await listening(ours.who), await listening(theirs.who)]
  t.regex(page.response.headers.get('content-type') ?? '', /^text\/event-stream/)
  const set = (key: string) =>
    ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } }))
  // A page that has just been opened hears of what changes after it was.
  const heard = page.until(/"wallet"/)
  const changing = (async () => {
    for (let n = 0; n < 5; n++) {
      await set(ours.key)
      await new Promise((resolve) => setTimeout(resolve, 700))
    }
  })()
  t.regex(await heard, /event: changed\ndata: \[.*"wallet".*\]/)
  await changing
  await ok(app.call('PUT', '/v1/settings', { key: theirs.key, body: { notifications: { email: true } } }))
  t.notRegex(await other.until(/event: changed/), /wallet/)
  await Promise.all([page.leave(), other.leave()])
})

test('N-82 what an open page hears ends with its session', async (t) => {
  const { who, email } = await signedInMember(app)
  const page = await listening(who)
  const second = person(app)
  await memberSignIn(second, { email })
  await second.send('/dashboard/security/devices', { act: 'end-others' })
  t.regex(await page.until(/event: end/), /event: end/)
})

test('N-82 an account has at most twenty open pages that hear', async (t) => {
  const { who } = await signedInMember(app)
  const pages = await Promise.all(Array.from({ length: 20 }, () => listening(who)))
  t.true(pages.every(({ response }) => response.status === 200))
  const more = await listening(who)
  t.not(more.response.status, 200)
  await Promise.all(pages.map(({ leave }) => leave()))
})
