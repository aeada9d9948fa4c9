import test from 'ava'
import { peopleLocale } from '../../../adapters/http/pages/people/messages/people-locale.ts'
import { passwordFault } from '../../../domain/signin/password-rules.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'

/** The pages of signing in and up in the language of the browser, and what is said to whoever forgot the password. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const german = async (path: string, fields?: Readonly<Record<string, string>>) => {
  const headers = { accept: 'text/html', 'accept-language': 'de' }
  const page = await fetch(app.served().origin + path, { headers })
  const text = await page.text()
  if (fields === undefined) return { text, headers: page.headers }
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const [cookie = ''] = page.headers.getSetCookie().map((set) => set.split(';')[0])
  const origin = app.served().origin
  const body = new URLSearchParams({ csrf, ...fields })
  const sent = await fetch(origin + path, { method: 'POST', headers: { ...headers, origin, cookie }, body })
  return { text: await sent.text(), headers: sent.headers }
}

test('N-92 the pages at which somebody signs in or up speak German, and say that they depend on it', async (t) => {
  for (const [path, said] of [
    ['/dashboard/sign-in', 'Passwort vergessen'],
    ['/dashboard/sign-up', 'Das Konto anlegen'],
    ['/dashboard/sign-out', 'Sie sind abgemeldet'],
    ['/dashboard/forgot', 'Sie haben Ihren Inhaberschlüssel'],
    ['/sign-in', 'Mit einem Passkey anmelden'],
    ['/sign-up', 'Ihr Name'],
    ['/sign-out', 'Sie sind abgemeldet'],
  ] as const) {
    const { text, headers } = await german(path)
    t.regex(text, /<html lang="de">/, path)
    t.true(text.includes(said), path)
    t.regex(headers.get('vary') ?? '', /Accept-Language/, path)
  }
})

deepTest(
  'N-92 what is refused on these pages is said in German, too, and every sentence about passwords is there',
  async (t) => {
    const wrong = await german('/dashboard/sign-in', { email: 'nobody@example.test', password: 'wrong' })
    t.regex(wrong.text, /Die E-Mail-Adresse oder das Passwort ist falsch/)
    const made = await german('/dashboard/sign-up', { email: 'nobody', new_password: 'short' })
    t.regex(made.text, /Das ist keine E-Mail-Adresse/)
    t.regex(made.text, /mindestens 8 Zeichen/)
    const { refusals } = peopleLocale('de').words.sign
    for (const [password, email] of [
      ['short', ''],
      ['x'.repeat(300), ''],
      ['password1', ''],
      ['daybook123', ''],
      ['ada@example.test', 'ada@example.test'],
    ] as const)
      t.truthy(refusals[passwordFault(password, email) ?? ''], password)
  },
)

test('N-93 whoever forgot the password is told each way back, and no letter alone is one of them', async (t) => {
  const page = await (await fetch(`${app.served().origin}/dashboard/forgot`)).text()
  for (const way of ['/v1/reset-password', 'href="/recover-key"', 'href="/dashboard/sign-in"', '24 hours later'])
    t.true(page.includes(way), way)
  t.notRegex(page, /<form/)
  const signIn = await (await fetch(`${app.served().origin}/dashboard/sign-in`)).text()
  t.true(signIn.includes('href="/dashboard/forgot"'))
})
