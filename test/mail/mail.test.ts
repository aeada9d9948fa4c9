import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { startDevInbox } from '../../adapters/mail/dev-inbox.ts'
import { keepLetters } from '../../adapters/mail/kept-letters.ts'
import { smtpMail } from '../../adapters/mail/smtp.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { startOwnTime } from '../support/own-time.ts'

const FROM = 'Daybook <no-reply@daybook.example>'
const LETTER = { to: 'ada@example.com', subject: 'Hello', text: 'Hello' }

test('a letter in any script arrives with its links as written', async (t) => {
  const { inbox, mail } = await posting(t)
  const link = `https://localhost:4020/verify?token=${'aB3-_'.repeat(50)}&x=%20ü`
  const text = `Grüß dich, 愛 🎉!\n\nOpen ${link}.\n.\nFrom a dot; or <http://127.0.0.1:4020/a>, (https://example.com/b_)?\nhttps://`
  await mail.send({ to: 'ada@example.com', subject: 'Bestätige deine Adresse – 確認 🎉', text })
  t.is(inbox.messages().length, 1)
  const [message] = inbox.messages()
  t.like(message, { to: 'ada@example.com', subject: 'Bestätige deine Adresse – 確認 🎉', text })
  t.deepEqual(message?.links, [link, 'http://127.0.0.1:4020/a', 'https://example.com/b_'])
  t.true(Math.abs(Date.parse(message?.at ?? '') - Date.now()) < 60_000)
})

test('letters are there after a restart, and are no plain text on the disk', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-letters-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'letters.sealed')
  const begin = async (secret = 'ours') => {
    const inbox = await startDevInbox(keepLetters(file, secret))
    return { inbox, mail: smtpMail(inbox.url, FROM), end: () => inbox.stop() }
  }
  const first = await begin()
  t.deepEqual(first.inbox.messages(), [])
  for (const subject of ['one', 'two']) await first.mail.send({ ...LETTER, subject })
  const shown = first.inbox.messages()
  first.mail.close()
  await first.end()
  t.notRegex(readFileSync(file, 'latin1'), /ada|Hello|one/)
  t.is(statSync(file).mode & 0o777, 0o600)
  t.deepEqual(readdirSync(dir), ['letters.sealed'])
  const second = await begin()
  t.deepEqual(second.inbox.messages(), shown)
  await second.mail.send({ ...LETTER, subject: 'three' })
  t.is(second.inbox.messages()[0]?.subject, 'three')
  second.mail.close()
  await second.end()
  t.deepEqual(keepLetters(file, 'theirs').read(), [], 'under another key')
  const many = Array.from({ length: 80 }, (_, n) => ({ to: 'a@x.test', subject: `${n}`, text: '', links: [], at: '' }))
  keepLetters(file, 'ours').write(many)
  t.is(keepLetters(file, 'ours').read().length, 50)
  keepLetters(file, 'ours').write(many.map((letter) => ({ ...letter, text: 'x'.repeat(100_000) })))
  t.is(keepLetters(file, 'ours').read().length, 2)
  writeFileSync(file, 'nothing of ours')
  t.deepEqual(keepLetters(file, 'ours').read(), [])
  t.notThrows(() => keepLetters(join(dir, 'missing', 'x'), 'ours').write(many))
})

test('the newest letter comes first', async (t) => {
  const { inbox, mail } = await posting(t)
  for (const subject of ['one', 'two', 'three']) await mail.send({ ...LETTER, subject })
  t.deepEqual(
    inbox.messages().map((message) => message.subject),
    ['three', 'two', 'one'],
  )
})

test('a line end in the subject adds no header and no recipient', async (t) => {
  const { inbox, mail } = await posting(t)
  await mail.send({ ...LETTER, subject: 'Hi\r\nBcc: eve@example.com\r\n\r\nbody\u2028\u0085x\0' })
  t.is(inbox.messages()[0]?.subject, 'Hi Bcc: eve@example.com body x')
  t.is(inbox.messages()[0]?.to, 'ada@example.com')
  t.is(inbox.messages()[0]?.text, 'Hello')
})

test('a recipient that is more than one address is refused before anything is sent', async (t) => {
  const { inbox, mail } = await posting(t)
  for (const to of [
    'a@example.com, b@example.com',
    'a@example.com\r\nBcc: b@example.com',
    'Ada <a@example.com>',
    'a@example.com;b@example.com',
    'a@b@example.com',
    'ada',
    '@example.com',
    'a@',
    '',
    '"a b"@example.com',
    'group:a@example.com',
    'a@example.com>',
  ]) {
    await t.throwsAsync(mail.send({ ...LETTER, to }), { message: /single e-mail address/ }, JSON.stringify(to))
  }
  t.is(inbox.messages().length, 0)
})

test('a letter over the size limit of the inbox is refused and not kept', async (t) => {
  const { inbox, mail } = await posting(t)
  await t.throwsAsync(mail.send({ ...LETTER, text: 'x'.repeat(2_000_000) }))
  t.is(inbox.messages().length, 0)
  await mail.send(LETTER)
  t.is(inbox.messages().length, 1)
})

test('more letters than may be on their way at once are refused as busy', async (t) => {
  const { inbox, mail } = await posting(t)
  const sent = await Promise.allSettled(Array.from({ length: 25 }, () => mail.send(LETTER)))
  const refused = sent.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  t.is(refused.length, 5)
  t.true(refused.every((reason) => reason instanceof Refusal && reason.code === 'busy'))
  t.is(inbox.messages().length, 20)
})

test('the inbox keeps the newest 200 letters', async (t) => {
  const { inbox, mail } = await posting(t)
  for (let batch = 0; batch < 21; batch += 1) {
    await Promise.all(Array.from({ length: 10 }, () => mail.send({ ...LETTER, subject: `batch ${batch}` })))
  }
  t.is(inbox.messages().length, 200)
  t.is(inbox.messages()[0]?.subject, 'batch 20')
  t.is(inbox.messages()[199]?.subject, 'batch 1')
})

test('close waits for the letters on their way', async (t) => {
  const { inbox, mail } = await posting(t)
  const sent = mail.send(LETTER)
  await mail.close()
  t.is(inbox.messages().length, 1)
  await sent
})

test('a mail server that is down rejects at once', async (t) => {
  const inbox = await startDevInbox()
  await inbox.stop()
  const mail = smtpMail(inbox.url, FROM)
  t.teardown(mail.close)
  const ownTime = startOwnTime()
  await t.throwsAsync(mail.send(LETTER), { message: /ECONNREFUSED/ })
  t.true(ownTime() < 2_000)
})

test('a mail server that never greets rejects within its 5 seconds', async (t) => {
  const silent = createServer((socket) => socket.on('error', () => {}).resume())
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.teardown(() => silent.close())
  const mail = smtpMail(`smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`, FROM)
  t.teardown(mail.close)
  const [started, ownTime] = [performance.now(), startOwnTime()]
  await t.throwsAsync(mail.send(LETTER), { message: /[Gg]reeting/ })
  const ms = performance.now() - started
  t.true(ms > 4_500 && ownTime() < 7_000, `${ms} ms`)
})

const posting = async (t: ExecutionContext) => {
  const inbox = await startDevInbox()
  const mail = smtpMail(inbox.url, FROM)
  t.teardown(async () => {
    await mail.close()
    await inbox.stop()
  })
  return { inbox, mail }
}
