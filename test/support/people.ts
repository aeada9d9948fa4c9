import { Secret, TOTP } from 'otpauth'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import type { Send } from '../../src/demo/client.ts'
import { eventually } from '../../src/demo/stage.ts'
import { CALL_LIMIT_MS, type TestApp } from './app.ts'
import { quickSend } from './quick-send.ts'

/** People before a browser, without one: forms, cookies, codes. */

export type Page = {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  readonly location: string
}

export type Person = {
  /** The cookies of this browser, by their names. */
  readonly cookies: Map<string, string>
  open(path: string, headers?: Readonly<Record<string, string>>): Promise<Page>
  /** Sends a form with what the page of the same path carries hidden, unless `fields` say otherwise. */
  send(path: string, fields?: Readonly<Record<string, string>>, from?: string): Promise<Page>
  /** Sends exactly these fields. */
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Page>
}

/** A browser of its own, with its own cookies. */
export const person = (app: Pick<TestApp, 'served'>, cookie = ''): Person => {
  const cookies = new Map(cookie === '' ? [] : [cookie.split('=') as [string, string]])
  const call = async (path: string, sent: Partial<Parameters<Send>[1]> = {}): Promise<Page> => {
    const headers = {
      accept: 'text/html',
      'user-agent': 'Mozilla/5.0 (X11; Linux x64) Firefox/140.0',
      cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
      ...sent.headers,
    }
    const url = new URL(path, app.served().origin)
    const response = await quickSend(url, { method: 'GET', ...sent, headers }, CALL_LIMIT_MS)
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (/max-age=0/i.test(set)) cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = response.headers.get('location') ?? ''
    return { status: response.status, headers: response.headers, text: await response.text(), location }
  }
  const post: Person['post'] = (path, fields, headers = {}) =>
    call(path, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: app.served().origin,
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
    })
  return {
    cookies,
    post,
    open: (path, headers = {}) => call(path, { headers }),
    send: async (path, fields = {}, from = path) => {
      const hidden = hiddenIn(formFor((await call(from)).text, path, fields))
      return await post(path, { ...hidden, ...fields })
    },
  }
}

/** Signs in with a password, and a code where one is asked for. @returns the last answer */
export const signIn = async (
  who: Person,
  { email, password, code, next }: { email: string; password: string; code?: () => string; next?: string },
): Promise<Page> => {
  const path = next === undefined ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`
  const first = await who.send('/sign-in', { email, password }, path)
  if (first.location !== '/sign-in/confirm' || code === undefined) return first
  return await who.send('/sign-in/confirm', { code: code() })
}

/**
 * The form of a page that is sent to a path and has all of these fields; the whole page where none has, as a hostile
 * caller would send.
 */
const formFor = (page: string, path: string, fields: Readonly<Record<string, string>>): string => {
  const forms = page.split('<form').slice(1)
  const own = forms.filter((form) => form.includes(`action="${path.split('?')[0]}"`))
  const has = (form: string, name: string, value: string) =>
    name === 'act' ? form.includes(`name="act" value="${value}"`) : form.includes(`name="${name}"`)
  const fits = (form: string) => Object.entries(fields).every(([name, value]) => has(form, name, value))
  return own.find(fits) ?? forms.find(fits) ?? page
}

/** What the forms of a page carry hidden; of several with one name the last. */
export const hiddenIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
      .map(([, name = '', value = '']) => [name, unescaped(value)] as const)
      .filter(([name, value]) => name !== 'passkey' || value !== ''),
  )

const unescaped = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

type Keeper = { readonly flow: Pick<UseCaseContext, 'vault'>; readonly ledger: Pick<Ledger, 'user'> }

/** Gives a user an authenticator app, as if they had enrolled it. @returns their codes, at the time of a clock */
export const withTotp = async (
  { flow, ledger }: Keeper,
  sub: string,
  now = () => Date.now(),
): Promise<() => string> => {
  const secret = new Secret({ size: 20 })
  await ledger.user.enrolTotp(sub, { secret: await flow.vault.seal(sub, Buffer.from(secret.bytes).toString('hex')) })
  return () => new TOTP({ secret }).generate({ timestamp: now() })
}

type Mailed = {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly links: readonly string[]
}

/** What has arrived in somebody's mailbox, the newest first. */
export const lettersTo = async (app: Pick<TestApp, 'served'>, to: string): Promise<readonly Mailed[]> => {
  const inbox = (await (await fetch(`${app.served().origin}/dev/inbox.json`)).json()) as readonly Mailed[]
  return inbox.filter((letter) => letter.to === to)
}

/** The text of somebody's newest letter with a subject, once it has arrived. */
export const letterTo = async (app: Pick<TestApp, 'served'>, to: string, subject: string): Promise<string> => {
  let text = ''
  await eventually(`the letter “${subject}”`, async () => {
    text = (await lettersTo(app, to)).find((each) => each.subject === subject)?.text ?? ''
    return text !== ''
  })
  return text
}

/** The link in it, as a path. */
export const linkTo = async (app: Pick<TestApp, 'served'>, to: string, subject: string): Promise<string> => {
  const url = new URL(/http\S+/.exec(await letterTo(app, to, subject))?.[0] ?? '')
  return url.pathname + url.search
}
