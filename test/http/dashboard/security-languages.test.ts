import test, { type ExecutionContext } from 'ava'
import { Secret, TOTP } from 'otpauth'
import { peopleLocale } from '../../../adapters/http/pages/people/messages/people-locale.ts'
import { ownerMemberId } from '../../../domain/account/members/member.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { memberSignIn, PASSWORD, signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { openOperator } from '../../support/operator.ts'
import { hiddenIn, letterTo, linkTo, type Page, type Person, person, signIn } from '../../support/people.ts'

/** The pages about one's security in the language of the browser, for members at the dashboard and for users. */

const clock = { shiftMs: 0 }
let app: TestApp
let operator: Awaited<ReturnType<typeof openOperator>>
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + clock.shiftMs) } })
  operator = await openOperator(app)
})
test.after.always(async () => {
  await operator?.stop()
  await app?.stop()
})

const PASSKEY = { credentialId: 'key-of-test', publicKey: 'AAAA', transports: [] }
const LABEL = 'Prüfling'

test.serial('N-92 every page of a member’s security speaks German, and so does what is refused there', async (t) => {
  const { who, email } = await signedInMember(app)
  await memberSignIn(person(app), { email })
  const { holder = '' } = await operator.ledger.email.read(operator.flow.vault.fingerprint('email', email))
  const security = '/dashboard/security'
  await walk(t, {
    who,
    email,
    own: PASSWORD,
    security,
    password: `${security}/password`,
    devices: `${security}/devices`,
    async addPasskey() {
      const label = await operator.flow.vault.seal(holder, LABEL)
      await operator.ledger.member.addPasskey(ownerMemberId(holder), { ...PASSKEY, label })
    },
  })
})

deepTest.serial('N-92 every page of a user’s security speaks German, and so does what is refused there', async (t) => {
  const { sub, email, password } = await operator.user()
  const who = person(app)
  for (const browser of [person(app), who]) await signIn(browser, { email, password })
  await walk(t, {
    who,
    email,
    own: password,
    security: '/account/security',
    password: '/account/password',
    devices: '/account/sessions',
    async addPasskey() {
      const label = await operator.flow.vault.seal(sub, LABEL)
      await operator.ledger.user.addPasskey(sub, { ...PASSKEY, label })
    },
  })
})

deepTest.serial(
  'N-92 a user’s profile and the change of an address speak German, up to the link in the letter',
  async (t) => {
    const { email, password } = await operator.user()
    const who = person(app)
    await signIn(who, { email, password })
    for (const path of ['/account', '/account?done=1', '/account/email']) await both(t, who, path, email)
    await refused(
      t,
      who,
      '/account',
      { picture: 'http://a.test', locale: '?' },
      'Das ist keine Sprache wie en oder de-CH.',
    )
    await refused(t, who, '/account/email', { email: 'nobody', password }, 'Das ist keine E-Mail-Adresse.')
    await refused(t, who, '/account/email', { email: `new-${email}`, password: 'guessed' }, WRONG_PASSWORD)
    const letters = await sent(who, '/account/email', { email: `new-${email}`, password })
    speaksGerman(t, letters, 'both letters')
    t.true(letters.text.includes('an beide Adressen einen Brief geschickt'))
    for (const [to, subject, said] of [
      [email, 'Your email address is to change', 'Noch ein Brief'],
      [`new-${email}`, 'Confirm your new email address', 'Ihre E-Mail-Adresse ist geändert'],
    ] as const) {
      const link = await linkTo(app, to, subject)
      await both(t, who, link, email)
      const answer = await sent(who, link, {})
      speaksGerman(t, answer, said)
      t.true(answer.text.includes(said))
    }
  },
)

type Walk = {
  readonly who: Person
  readonly email: string
  /** The password that they have. */
  readonly own: string
  /** The paths of the pages. */
  readonly security: string
  readonly password: string
  readonly devices: string
  readonly addPasskey: () => Promise<void>
}

/** Every page, from no second factor to two of them. */
const walk = async (t: ExecutionContext, { who, email, own, security, password, devices, addPasskey }: Walk) => {
  const asked = (path: string) => both(t, who, path, email)
  for (const path of [security, `${security}?done=removed`, `${security}?done=password`, devices]) await asked(path)
  await asked(password)
  await refused(t, who, password, { password: own, new_password: 'short' }, 'Nehmen Sie mindestens 8 Zeichen.')
  await refused(t, who, password, { password: 'guessed', new_password: 'battery staple' }, WRONG_PASSWORD)

  const code = await enrol(t, who, { path: `${security}/enrol`, email, own })
  for (const path of [security, `${security}/enrol`, `${security}/codes`, `${security}/remove?totp=1`])
    await asked(path)
  await asked(password)
  clock.shiftMs += NEW_TRIES_MS
  await refused(t, who, `${security}/codes`, { code: '000000' }, WRONG_CODE)
  await refused(t, who, `${security}/codes`, { recovery_code: 'aaaa' }, 'Dieser Wiederherstellungscode ist falsch')
  await refused(t, who, `${security}/remove?totp=1`, { code: '000000' }, WRONG_CODE)
  await refused(t, who, `${security}/enrol`, { act: 'prove', code: '000000' }, WRONG_CODE)

  clock.shiftMs += NEW_TRIES_MS
  await addPasskey()
  for (const path of [security, `${security}/codes`, `${security}/remove?passkey_id=key-of-test`]) await asked(path)
  t.true((await asked(`${security}/enrol`)).includes('Passkeys brauchen JavaScript'))
  const codes = await sent(who, `${security}/codes`, { code: code() })
  speaksGerman(t, codes, 'new codes')
  t.true(codes.text.includes('nur jetzt gezeigt und nie wieder'))
  await who.send(`${security}/enrol`, { act: 'prove', code: code() })
  t.true((await asked(`${security}/enrol`)).includes('Name dieses Geräts'))
}

/** Nobody counts the tries any more that are as old as this, in milliseconds. */
const NEW_TRIES_MS = 3_600_000
const WRONG_PASSWORD = 'Dieses Passwort ist falsch. Bitte versuchen Sie es noch einmal.'
const WRONG_CODE = 'Dieser Code ist falsch oder wurde schon verwendet.'

/** Adds an authenticator app by the pages, and tries what is wrong on each. @returns the codes of the app */
const enrol = async (
  t: ExecutionContext,
  who: Person,
  { path, email, own }: { path: string; email: string; own: string },
) => {
  await both(t, who, path, email)
  await refused(t, who, path, { act: 'prove', password: 'guessed' }, WRONG_PASSWORD)
  await sent(who, path, { act: 'prove', password: own })
  await both(t, who, path, email)
  await refused(t, who, path, { act: 'code', code: 'aaaa-aaaa' }, 'Dieser Code ist falsch oder zu alt.')
  const mailed = /^[a-z2-7]{4}-[a-z2-7]{4}$/m.exec(await letterTo(app, email, 'Your code'))?.[0] ?? ''
  await sent(who, path, { act: 'code', code: mailed })
  const choice = await both(t, who, path, email)
  await refused(t, who, path, { act: 'passkey', passkey: '{}' }, 'Der Passkey konnte nicht hinzugefügt werden.')
  await refused(t, who, path, { act: 'totp', code: '000000' }, WRONG_CODE)
  const totp = new TOTP({ secret: Secret.fromBase32(/secret=([A-Z2-7]{32})/.exec(choice)?.[1] ?? '') })
  const code = () => {
    clock.shiftMs += 31_000
    return totp.generate({ timestamp: Date.now() + clock.shiftMs })
  }
  const added = await sent(who, path, { act: 'totp', code: code() })
  speaksGerman(t, added, 'the first recovery codes')
  t.true(added.text.includes('Bewahren Sie Ihre Wiederherstellungscodes auf'))
  return code
}

const IN_GERMAN = { 'accept-language': 'de' }

/** Sends the form of a German page that does this, or its only one below the menu, and some fields. */
const sent = async (who: Person, path: string, fields: Readonly<Record<string, string>>): Promise<Page> => {
  const { text } = await who.open(path, IN_GERMAN)
  const form = text.split('<form').findLast((each) => !fields.act || each.includes(`name="act" value="${fields.act}"`))
  return await who.post(path.split('?')[0] ?? '', { ...hiddenIn(form ?? ''), ...fields }, IN_GERMAN)
}

const refused = async (
  t: ExecutionContext,
  who: Person,
  path: string,
  fields: Readonly<Record<string, string>>,
  said: string,
) => {
  const page = await sent(who, path, fields)
  t.is(page.status, 422, path)
  speaksGerman(t, page, path)
  t.true(page.text.includes(said), `${path}: ${said}`)
}

/** Words that are the same in both languages, and values: times, secrets, the device. */
const SHARED =
  /^(Daybook|Wallets|Team|Apps|Code|Name|[\d-]+ [\d:]+( UTC)?|UTC|[A-Z2-7]{4}( [A-Z2-7]{4}){7}|Firefox on Linux|Prüfling)$/

/** Opens a page in both languages; no text stands on both, whoever wrote it. @returns the German page */
const both = async (t: ExecutionContext, who: Person, path: string, email: string): Promise<string> => {
  const german = await who.open(path, IN_GERMAN)
  const english = await who.open(path)
  t.deepEqual([german.status, english.status], [200, 200], path)
  t.regex(english.text, /<html lang="en">/, path)
  t.regex(german.headers.get('vary') ?? '', /Accept-Language/, path)
  speaksGerman(t, german, path)
  const there = new Set(textsOf(english.text))
  t.deepEqual(
    textsOf(german.text).filter((text) => there.has(text) && !SHARED.test(text) && text !== email),
    [],
    path,
  )
  return german.text
}

/** A page is German, and has no text of an English catalogue that German says otherwise. */
const speaksGerman = (t: ExecutionContext, { text, status }: Page, about: string) => {
  t.true([200, 422].includes(status), about)
  t.regex(text, /<html lang="de">/, about)
  t.notRegex(text, /lang="en"/, about)
  const texts = textsOf(text)
  t.deepEqual(
    ENGLISH.filter((each) => texts.some((there) => there.includes(each))),
    [],
    about,
  )
}

/** What a page shows, what it tells to screen readers, and what its script may say. */
const textsOf = (page: string): readonly string[] =>
  [...page.matchAll(/>([^<]+)<|(?:aria-label|data-failures)="([^"]*)"/g)]
    .map(([, text, attribute]) => (text ?? attribute ?? '').trim())
    .filter((text) => /\p{L}/u.test(text))

/** The fixed texts below a part of a catalogue, in order. */
const leaves = (part: unknown): readonly string[] => {
  if (typeof part === 'string') return [part]
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(leaves) : []
}

const ENGLISH = (() => {
  const [en, de] = ['en', 'de'].map((language) => {
    const { sign, security, account } = peopleLocale(language).words
    return leaves([security, account, { ...sign, lang: '', refusals: {} }])
  })
  return (en ?? []).filter((text, n) => text !== de?.[n]).map((text) => text.trim())
})()
