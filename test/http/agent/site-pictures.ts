import { randomUUID } from 'node:crypto'
import { PassThrough } from 'node:stream'
import type { ExecutionContext } from 'ava'
import sharp from 'sharp'
import { readUpload } from '../../../adapters/http/core/upload.ts'
import { siteOf } from '../../../adapters/storefront/site-view.ts'
import { Refusal } from '../../../domain/kernel/refusal.ts'
import type { TestApp } from '../../support/app.ts'
import { byLog } from '../../support/by-log.ts'
import { connectBeside } from '../../support/kept-database.ts'
import { claimedPng, drawn, fileOf, formOf, PNG, uploads, withText } from '../../support/pictures.ts'
import { activeSeller, ok } from '../../support/seller.ts'
import { readLog } from '../log.ts'

/** Uploads of pictures, as steps of the tests of the site: they share its app. */

const MAX = 2 * 1_024 * 1_024

export const goodPictures = async (t: ExecutionContext, app: TestApp): Promise<void> => {
  const upload = uploads(() => app)
  const { key } = await activeSeller(app)
  for (const [format, extension, type] of [
    ['png', 'png', 'image/png'],
    ['jpeg', 'jpg', 'image/jpeg'],
    ['webp', 'webp', 'image/webp'],
  ] as const) {
    const sent = await drawn(3).toFormat(format).toBuffer()
    const { status, json } = await upload(key, formOf(fileOf(sent, 'x', 'text/plain')))
    t.is(status, 200, format)
    t.regex(json.url, new RegExp(`^${app.served().origin}/assets/media/[0-9a-f]{32}\\.${extension}$`))
    const served = await fetch(json.url)
    const bytes = Buffer.from(await served.arrayBuffer())
    t.deepEqual([served.status, served.headers.get('content-type')], [200, type])
    t.is(served.headers.get('x-content-type-options'), 'nosniff')
    t.is(served.headers.get('content-security-policy'), "default-src 'none'; sandbox")
    t.is(served.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    const known = await fetch(json.url, { headers: { 'if-none-match': served.headers.get('etag') ?? '' } })
    t.deepEqual([known.status, await known.text()], [304, ''])
    if (format !== 'png') continue
    t.deepEqual(await pixels(bytes), await pixels(sent))
    // What we wrote ourselves is not written anew: sent back, it is the same to the last byte.
    const again = await upload(key, formOf(fileOf(bytes)))
    t.deepEqual([again.status, again.json.url], [200, json.url], again.text)
  }
  const [one, two] = [formOf(fileOf(await drawn(5).png().toBuffer())), formOf(fileOf(await drawn(5).png().toBuffer()))]
  const both = await Promise.all([upload(key, one), upload(key, two)])
  t.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
    both[0].text + both[1].text,
  )
  t.is(both[0].json.url, both[1].json.url)
  t.deepEqual(await kept(app, key), { rows: 4, events: 4 })
  const other = await activeSeller(app)
  const theirs = (await upload(other.key, formOf(fileOf(await drawn(5).png().toBuffer())))).json.url
  t.not(theirs, both[0].json.url)
  const put = (url: string) => app.call('PUT', '/v1/site', { key, body: { chrome: { logo: url } } })
  t.is((await put(both[0].json.url)).status, 200)
  t.is((await put(theirs)).status, 400)
  for (const path of ['0'.repeat(32).concat('.png'), 'x.png', '..%2fpay.css', `${'0'.repeat(32)}.svg`])
    t.is((await app.call('GET', `/assets/media/${path}`)).status, 404, path)
}

const pixels = (file: Buffer): Promise<Buffer> => sharp(file).removeAlpha().raw().toBuffer()

/** The account of a key, as the log says it of what the key does. */
const accountOf = async (app: TestApp, key: string): Promise<string> => {
  const headers = { 'x-request-id': `mark-${randomUUID()}` }
  await ok(app.call('PUT', '/v1/settings', { key, headers, body: { branding: { brand_name: randomUUID() } } }))
  const stream = (await readLog(app)).find(({ cause }) => cause.correlationId === headers['x-request-id'])?.stream ?? ''
  return stream.slice('settings-'.length)
}

/** How many pictures the database has of an account, and the log. */
const kept = async (app: TestApp, key: string): Promise<{ rows: number; events: number }> => {
  const accountId = await accountOf(app, key)
  const sql = connectBeside(app.databaseUrl)
  const [row] = await sql<{ rows: number }[]>`
    select count(*)::int as rows from daybook_media.pictures where account_id = ${accountId}`
  await sql.end({ timeout: 1 })
  const uploaded = (await readLog(app)).filter(({ type }) => type === 'SiteImageUploaded')
  const events = uploaded.filter(({ stream }) => stream === `site-${accountId}`).length
  return { rows: row?.rows ?? -1, events }
}

/** What the pages of a store show of it. */
export const asShown = async (t: ExecutionContext, app: TestApp): Promise<void> => {
  const { key } = await activeSeller(app)
  const { url } = (await uploads(() => app)(key, formOf(fileOf(await drawn(6).png().toBuffer())))).json
  const { pathname } = new URL(url)
  const hostile = `<script>alert(1)</script><p onclick=x>{{7*7}}</p><img src="${url}"><img src=https://evil.example>`
  const chrome = {
    title: '<b>{{7*7}}</b>',
    about: hostile,
    logo: url,
    hero: { image: pathname, more: 'x' },
    secret: 'y',
    links: [{ label: 'Journal', url: 'https://tea.example' }],
  }
  const sections = ['hero', 'featured', { type: 'products', columns: 2 }, { type: 'text', html: hostile }]
  const layout = { sections: [...sections, { type: 'image', src: url, alt: 'Tea' }] }
  const css = `body{background:url(${url})}p{background:url(https://evil.example)}`
  const made = { key, body: { name: 'x', base_theme: 'bold', chrome, css, layout } }
  const { id } = (await ok(app.call('POST', '/v1/site?resource=templates', made))).json
  await ok(app.call('POST', `/v1/site?resource=templates&action=apply&id=${id}`, { key }))

  const accountId = await accountOf(app, key)
  const shown = await byLog(app, (ledger) => siteOf({ ledger }, accountId))
  const clean = `<p>{{7*7}}</p><img src="${pathname}" alt="" loading="lazy" />`
  t.deepEqual(shown.values, {
    title: '<b>{{7*7}}</b>',
    tagline: '',
    announcement: '',
    about: clean,
    footer: '',
    logo: pathname,
    hero: { heading: '', text: '', image: pathname },
    links: [{ label: 'Journal', url: 'https://tea.example/' }],
  })
  t.deepEqual(shown.sections, [
    { type: 'hero' } as const,
    { type: 'featured', checkoutId: null } as const,
    { type: 'products', columns: 2, limit: 24 },
    { type: 'text', heading: '', html: clean },
    { type: 'image', src: pathname, alt: 'Tea' },
  ])
  t.is(shown.css, `.store{background:url(${pathname})}\n`)
  t.is(shown.theme, 'bold')
}

/** What was hidden in a picture, behind it or about it is gone. */
export const hiddenThings = async (t: ExecutionContext, app: TestApp): Promise<void> => {
  const upload = uploads(() => app)
  const { key } = await activeSeller(app)
  const script = '<script>alert(1)</script>'
  const gps = { IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 51/1 29/1', GPSLongitude: '2/1 17/1 40/1' } }
  const photo = await drawn(7, 24, 16).withExif(gps).withMetadata({ orientation: 6, exif: gps }).jpeg().toBuffer()
  t.true((await sharp(photo).metadata()).exif !== undefined)
  const png = await drawn(9).png().toBuffer()
  const sent = [
    { what: 'a place', file: photo, width: 16 },
    { what: 'a page behind it', file: Buffer.concat([png, Buffer.from(`<html>${script}`)]), width: 24 },
    { what: 'a text within it', file: withText(png, script), width: 24 },
    {
      what: 'a page behind a JPEG',
      file: Buffer.concat([await drawn(4).jpeg().toBuffer(), Buffer.from(script)]),
      width: 24,
    },
  ]
  for (const { what, file, width } of sent) {
    const { status, json } = await upload(key, formOf(fileOf(file)))
    t.is(status, 200, what)
    const bytes = Buffer.from(await (await fetch(json.url)).arrayBuffer())
    const told = await sharp(bytes).metadata()
    t.deepEqual(
      [told.width, told.exif, told.orientation, told.comments],
      [width, undefined, undefined, undefined],
      what,
    )
    t.false(/script|GPS|Exif/.test(bytes.toString('latin1')), what)
  }
}

/** What is no picture, or too much of one, is refused, and nothing of it stays. */
export const badPictures = async (t: ExecutionContext, app: TestApp): Promise<void> => {
  const upload = uploads(() => app)
  const { key } = await activeSeller(app)
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>'
  const good = fileOf(await drawn(2).png().toBuffer())
  const half = async (format: 'png' | 'jpeg' | 'webp') => {
    const whole = await drawn(2, 200, 200).toFormat(format).toBuffer()
    return formOf(fileOf(whole.subarray(0, whole.length >> 1)))
  }
  const bytes = (text: string | Buffer) => formOf(fileOf(Buffer.from(text as string, 'latin1')))
  const raw = (type: string): Record<string, string> => ({ 'content-type': type })
  const bad: readonly (readonly [what: string, status: number, body: BodyInit, headers?: Record<string, string>])[] = [
    ['an SVG with a script', 400, bytes(svg)],
    ['an SVG behind the name of a PNG', 400, bytes(Buffer.concat([PNG, Buffer.from(svg)]))],
    ['an SVG behind the name of a WebP', 400, bytes(`RIFF\0\0\0\0WEBP${svg}`)],
    ['a page behind the name of a JPEG', 400, bytes('\xff\xd8\xff<html><script>alert(1)</script>')],
    ['a GIF that is a script', 400, bytes('GIF89a/*\0\0\0\0*/=1;alert(1)//')],
    ['an XML entity bomb', 400, bytes('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bb">]><a>&b;</a>')],
    ['a bomb of 50,000 times 50,000', 400, formOf(fileOf(claimedPng(50_000, 50_000)))],
    ['one of no pixels', 400, formOf(fileOf(claimedPng(0, 0)))],
    ['one that claims more than it has', 400, formOf(fileOf(claimedPng(4_000, 4_000)))],
    ['half a PNG', 400, await half('png')] as const,
    ['half a JPEG', 400, await half('jpeg')] as const,
    ['half a WebP', 400, await half('webp')] as const,
    ['nothing', 400, bytes('')] as const,
    ['2 MB of nothing', 400, formOf(fileOf(Buffer.concat([PNG, Buffer.alloc(MAX - PNG.length)])))],
    ['a byte more than 2 MB', 413, formOf(fileOf(Buffer.concat([PNG, Buffer.alloc(MAX - PNG.length + 1)])))],
    ['much more than 2 MB', 413, formOf(fileOf(Buffer.alloc(MAX + 100_000)))],
    ['two pictures', 400, formOf(good, good)] as const,
    ['a field beside it', 400, formOf(good, 'x')] as const,
    ['no file', 400, formOf('x')] as const,
    ['an empty form', 400, formOf()] as const,
    ['JSON', 400, '{"file":"x"}', raw('application/json')],
    ['the bytes alone', 400, await good.arrayBuffer(), raw('image/png')],
    ['no boundary', 400, 'x', raw('multipart/form-data')],
    [
      'a form that breaks off',
      400,
      '--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nx',
      raw('multipart/form-data; boundary=b'),
    ],
    ['headers without an end', 400, `--b\r\nX: ${'x'.repeat(100_000)}`, raw('multipart/form-data; boundary=b')],
    ['another form than it says', 400, '--c\r\n\r\nx\r\n--c--', raw('multipart/form-data; boundary=b')],
  ]
  for (const [what, status, body, headers] of bad) {
    const answer = await upload(key, body, headers)
    const code = status === 413 ? 'svc_body_too_large' : 'svc_invalid_request'
    t.deepEqual([answer.status, answer.json.error_code], [status, code], `${what}: ${answer.text}`)
  }
  t.is((await upload(undefined, formOf(good))).status, 401)
  t.deepEqual(await kept(app, key), { rows: 0, events: 0 })
}

/** An upload that comes slowly, breaks off or goes on too long is cut off. */
export const cutOff = async (t: ExecutionContext): Promise<void> => {
  const sending = (chunks: readonly string[], { end = false, length }: { end?: boolean; length?: number } = {}) => {
    const headers = {
      'content-type': 'multipart/form-data; boundary=b',
      ...(length && { 'content-length': `${length}` }),
    }
    const request = Object.assign(new PassThrough(), { headers })
    for (const each of chunks) request.write(each)
    if (end) request.end()
    return request
  }
  const rule = { maxBytes: 100_000, limitMs: 60 }
  const head = '--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n'
  const code = async (request: ReturnType<typeof sending>) =>
    (await t.throwsAsync(readUpload(request, rule), { instanceOf: Refusal }))?.code
  const whole = sending([head, 'picture', '\r\n--b--'], { end: true })
  t.is(String(await readUpload(whole, rule)), 'picture')
  t.is(await code(sending([head, 'x'])), 'body-too-slow')
  t.is(await code(sending([head], { length: 20_000_000 })), 'body-too-large')
  t.is(await code(sending([head, 'x'.repeat(100_001)])), 'body-too-large')
  t.is(await code(sending(['x'.repeat(200_000)])), 'body-too-large')
  t.is(await code(sending([head, 'x\r\n--b--', 'x'.repeat(200_000)])), 'body-too-large')
  const broken = sending([head, 'x'])
  const refused = code(broken)
  broken.destroy()
  t.is(await refused, 'invalid-request')
  const plain = (parts: readonly string[], how = {}) =>
    Object.assign(sending(parts, how), { headers: { 'content-type': 'Text/CSV; charset=utf-8' } })
  const csv = { ...rule, plain: 'text/csv' }
  const why = async (request: ReturnType<typeof plain>) =>
    (await t.throwsAsync(readUpload(request, csv), { instanceOf: Refusal }))?.code
  t.is(String(await readUpload(plain(['a,', 'b'], { end: true }), csv)), 'a,b')
  t.is(await why(plain(['a,b'])), 'body-too-slow')
  t.is(await why(plain(['x'.repeat(rule.maxBytes + 1)], { end: true })), 'body-too-large')
  const cut = plain(['a,b'])
  const whyCut = why(cut)
  cut.destroy()
  t.is(await whyCut, 'invalid-request')
}
