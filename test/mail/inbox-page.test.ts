import test from 'ava'
import { inboxPage } from '../../adapters/http/pages/inbox.ts'

const at = '2026-03-01T12:00:00.000Z'
const message = {
  to: 'ada@example.com',
  subject: 'Verify',
  text: 'Open https://a.example/?x=1&y=2 now',
  links: ['https://a.example/?x=1&y=2'],
  at,
}

test('the inbox page shows each letter with its links in their place', (t) => {
  const page = inboxPage([message, { ...message, subject: 'Second', text: 'plain', links: [] }])
  t.true(page.startsWith('<!doctype html><html lang="en">'))
  t.true(page.includes('<h2>Verify</h2>'))
  t.true(page.includes('ada@example.com'))
  t.true(page.includes(`<time datetime="${at}">2026-03-01 12:00:00 UTC</time>`))
  t.true(
    page.includes(
      '<pre>Open <a href="https://a.example/?x=1&amp;y=2" rel="noreferrer">https://a.example/?x=1&amp;y=2</a> now</pre>',
    ),
  )
  t.true(page.indexOf('Verify') < page.indexOf('Second'))
  t.true(page.includes('<link rel="stylesheet" href="/assets/daybook.css"/>'))
})

test('the same link twice becomes two anchors', (t) => {
  const link = 'https://a.example/'
  const page = inboxPage([{ ...message, text: `${link} ${link}`, links: [link, link] }])
  t.is(page.split('<a href=').length - 1, 2)
})

test('an empty inbox says so', (t) => {
  t.true(inboxPage([]).includes('No mail yet.'))
})

test('nothing in a letter becomes markup, script or style', (t) => {
  const evil = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'&'
  const links = ['javascript:alert(1)', 'https://a.example/"onclick="alert(1)']
  const page = inboxPage([{ to: evil, subject: evil, text: `${evil} ${links.join(' ')}`, links, at }])
  t.notRegex(page, /<script|<img|<style|\sstyle=|href="javascript|"onclick="/i)
  t.true(page.includes('&lt;script'))
})
