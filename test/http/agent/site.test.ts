import test, { type ExecutionContext } from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'
import { activeSeller, ok } from '../../support/seller.ts'
import { addStore } from '../../support/stores.ts'
import { teamCalls } from '../../support/team.ts'
import { causedBy, type Refused, refused, strictly } from '../strict.ts'
import { asShown, badPictures, cutOff, goodPictures, hiddenThings } from './site-pictures.ts'

/** The storefront of a seller: values, templates and pictures, and who may change them. */

const SITE = '/v1/site'
const TEMPLATES = `${SITE}?resource=templates`
const LOOKS = {
  chrome: { title: 'Tea House', shelf: { a: [1, null, '{{7*7}}'] } },
  css: 'h1{color:red}',
  layout: 'gallery',
}

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const made = async (t: ExecutionContext, key: string, body: object = {}): Promise<number> =>
  (await strictly(t, app)('POST', TEMPLATES, { key, body: { name: 'Spring', ...LOOKS, ...body } })).json.id
const siteOf = async (key: string) => (await ok(app.call('GET', SITE, { key }))).json.site

test('S-SITE-01 S-SITE-03 a seller reads its site, and what it changes is shown', async (t) => {
  const { key } = await activeSeller(app)
  const call = strictly(t, app)
  const { status, json } = await call('GET', SITE, { key })
  t.is(status, 200)
  t.deepEqual(Object.keys(json.site), ['values', 'template', 'themes', 'layouts', 'layout', 'style_vars'])
  t.like(json.site, { values: {}, template: null, layout: 'classic' })
  const names = (list: { name: string }[]) => list.map(({ name }) => name)
  t.deepEqual(names(json.site.themes), ['plain', 'paper', 'night', 'bold'])
  t.deepEqual(names(json.site.layouts), ['classic', 'gallery', 'minimal'])
  const variables = Object.keys(json.site.style_vars)
  t.true(variables.length > 10 && variables.every((name) => name.startsWith('--store-')))

  const chrome = {
    title: 'Tea',
    tagline: 't',
    announcement: 'a',
    about: '<p>b</p>',
    footer: 'f',
    hero: { heading: 'h', text: 'x', more: 1 },
    links: [{ label: 'Journal', url: 'https://tea.example/journal' }],
    kept: ['as', 'it', 'came'],
  }
  const layout = {
    name: 'Mine',
    sections: ['hero', { type: 'products', columns: 2, limit: 12 }, { type: 'text', html: '<b>x</b>' }, 'links'],
  }
  const saved = await call('PUT', SITE, { key, body: { chrome } })
  t.deepEqual([saved.status, saved.json], [200, { saved: true }])
  t.deepEqual((await call('PUT', SITE, { key, body: { layout } })).json, { saved: true })
  t.like(await siteOf(key), { values: chrome, layout })
  const again = await call('PUT', SITE, { key, body: { chrome, layout } })
  t.deepEqual([again.json, await causedBy(app, again.requestId)], [{ saved: true }, []])
  await ok(app.call('PUT', '/v1/settings', { key, body: { branding: { color_1: '#ffff00', color_2: '#7a1f1f' } } }))
  t.like((await siteOf(key)).style_vars, { '--store-accent': '#7a1f1f', '--store-on-accent': '#ffffff' })
})

deepTest(
  'S-SITE-02 S-SITE-04 S-SITE-05 S-SITE-06 S-SITE-08 templates are made, changed, applied and deleted',
  async (t) => {
    const { key } = await activeSeller(app)
    const call = strictly(t, app)
    const first = await call('POST', TEMPLATES, { key, body: { name: ' Spring ', base_theme: 'paper', ...LOOKS } })
    t.deepEqual([first.status, first.json], [200, { id: 1, saved: true }])
    t.is(await made(t, key, { base_template: 'minimal', layout: undefined, css: undefined }), 2)
    const { templates } = (await call('GET', TEMPLATES, { key })).json
    t.like(templates, [
      { id: 1, name: 'Spring', base_template: 'classic', base_theme: 'paper', ...LOOKS, version: 1 },
      { id: 2, base_template: 'minimal', base_theme: 'plain', css: '', layout: 'minimal' },
    ])
    t.deepEqual((await call('GET', `${TEMPLATES}&id=1`, { key })).json, { template: templates[0] })

    const put = await call('PUT', `${TEMPLATES}&id=1`, { key, body: { chrome: { title: 'May' } } })
    t.deepEqual([put.status, put.json], [200, { saved: true }])
    const { template } = (await call('GET', `${TEMPLATES}&id=1`, { key })).json
    t.like(template, { chrome: { title: 'May' }, css: LOOKS.css, layout: 'gallery', version: 2 })

    const apply = await call('POST', `${TEMPLATES}&action=apply&id=1`, { key })
    t.deepEqual([apply.status, apply.json], [200, { applied: true }])
    t.like(await siteOf(key), { template: 1, values: { title: 'May' }, layout: 'gallery' })
    t.regex((await siteOf(key)).style_vars['--store-font'], /serif$/)
    t.is((await siteOf(key)).style_vars['--store-paper'], '#fbf7ee')
    t.deepEqual(await causedBy(app, (await call('POST', `${TEMPLATES}&action=apply&id=1`, { key })).requestId), [])

    const gone = await call('DELETE', `${TEMPLATES}&id=1`, { key })
    t.deepEqual([gone.status, gone.json], [200, { deleted: true }])
    t.like(await siteOf(key), { template: null, values: { title: 'May' }, layout: 'gallery' })
    t.like((await call('GET', TEMPLATES, { key })).json, { templates: [{ id: 2 }] })
    t.is(await made(t, key), 3)
    const missing = { key, status: 404, code: 'svc_not_found' }
    await refused(t, app, [
      { what: 'reading', method: 'GET', path: `${TEMPLATES}&id=1`, ...missing },
      { what: 'changing', method: 'PUT', path: `${TEMPLATES}&id=1`, body: { chrome: {} }, ...missing },
      { what: 'applying', path: `${TEMPLATES}&action=apply&id=1`, ...missing },
      { what: 'deleting', method: 'DELETE', path: `${TEMPLATES}&id=1`, ...missing },
    ])
  },
)

const link = { label: 'x', url: 'https://a.example' }
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })

/** Values and layouts that are none, by the member that the answer names. */
const wrong: readonly (readonly [member: string, chrome: object])[] = [
  ['chrome.title', { title: 'x'.repeat(121) }] as const,
  ['chrome.tagline', { tagline: 1 }] as const,
  ['chrome.about', { about: 'x'.repeat(8_001) }] as const,
  ['chrome.hero', { hero: 'x' }] as const,
  ['chrome.hero.heading', { hero: { heading: [] } }] as const,
  ['chrome.links', { links: Array(13).fill(link) }] as const,
  ['chrome.links.0.url', { links: [{ ...link, url: 'javascript:alert(1)' }] }],
  ['chrome.links.1.label', { links: [link, { ...link, label: '' }] }],
  ['chrome.logo', { logo: 'https://evil.example/logo.png' }],
  ['chrome.hero.image', { hero: { image: '/assets/media/ffffffffffffffffffffffffffffffff.png' } }],
  ['chrome', { a: nested(8) }] as const,
  ['chrome', { a: 'x'.repeat(33_000) }] as const,
]
const layouts: readonly (readonly [member: string, layout: unknown])[] = [
  ['layout', 'fancy'] as const,
  ['layout', 7] as const,
  ['layout', []] as const,
  ['layout.sections', {}] as const,
  ['layout.sections', { sections: Array(21).fill('hero') }],
  ['layout.sections.0', { sections: ['script'] }],
  ['layout.sections.1.columns', { sections: ['hero', { type: 'products', columns: 5 }] }],
  ['layout.sections.0.html', { sections: [{ type: 'text' }] }],
  ['layout.sections.0.src', { sections: [{ type: 'image', src: 'https://evil.example/a.png' }] }],
  ['layout.sections.0', { sections: [{ type: 'hero', onload: 'x' }] }],
]

test('S-SITE-03 S-SITE-05 N-07 N-49 what is no site is refused, and the answer names what is wrong', async (t) => {
  const { key } = await activeSeller(app)
  for (const [member, body] of [
    ...wrong.map(([member, chrome]) => [member, { chrome }] as const),
    ...layouts.map(([member, layout]) => [member, { layout }] as const),
  ]) {
    const { status, json } = await strictly(t, app)('PUT', SITE, { key, body })
    t.is(status, 400, member)
    t.true(json.message.includes(`${member}:`), `${member}: ${json.message}`)
  }
  t.is((await app.call('PUT', SITE, { key, body: { chrome: { a: nested(7) } } })).status, 200)
  const no = { key, status: 400, code: 'svc_invalid_request' }
  const template = { name: 'x', chrome: {} }
  await refused(t, app, [
    ...[{ css: 'p{}' }, { title: 'x' }, { chrome: null }].map((body) => putting(SITE, { ...no, body })),
    { what: 'no name', path: TEMPLATES, ...no, body: { chrome: {} } },
    { what: 'no values', path: TEMPLATES, ...no, body: { name: 'x' } },
    ...[{ name: ' ' }, { base_template: 'fancy' }, { base_theme: 'fancy' }, { css: 'x'.repeat(32_769) }, { id: 4 }].map(
      (wrong) => ({
        what: JSON.stringify(wrong).slice(0, 40),
        path: TEMPLATES,
        ...no,
        body: { ...template, ...wrong },
      }),
    ),
    putting(`${TEMPLATES}&id=1`, { ...no, body: {} }),
    ...['0', '1.5', 'x', '1e3'].map((id) => putting(`${TEMPLATES}&id=${id}`, { ...no, body: { chrome: {} } })),
    putting(TEMPLATES, { ...no, body: { chrome: {} } }),
    { what: 'another resource', method: 'GET', path: `${SITE}?resource=pages`, ...no },
    { what: 'another action', path: `${TEMPLATES}&action=aply&id=1`, ...no, body: template },
    { what: 'applying with a body', path: `${TEMPLATES}&action=apply&id=1`, ...no, body: { name: 'x' } },
  ])
  t.deepEqual((await app.call('GET', TEMPLATES, { key })).json, { templates: [] })
})

const putting = (path: string, refusal: Omit<Refused, 'what' | 'path'>): Refused => ({
  what: `PUT ${path} ${JSON.stringify(refusal.body).slice(0, 40)}`,
  method: 'PUT',
  path,
  ...refusal,
})

test('S-SITE-09 E-403-01 J-AUTH-04 Q-53 no key changes a site without design.edit, nor one that is limited to a store', async (t) => {
  const { key } = await activeSeller(app)
  const { make, put } = teamCalls(() => app)
  const { api_key: sub } = await make(key, { role: 'accountant' })
  const id = await made(t, key)
  const writes = [
    { what: 'values', method: 'PUT', path: SITE, body: { chrome: {} } },
    { what: 'a change', method: 'PUT', path: `${TEMPLATES}&id=${id}`, body: { chrome: {} } },
    { what: 'a template', path: TEMPLATES, body: { name: 'x', chrome: {} } },
    { what: 'applying', path: `${TEMPLATES}&action=apply&id=${id}` },
    { what: 'a picture', path: `${SITE}?resource=assets` },
    { what: 'deleting', method: 'DELETE', path: `${TEMPLATES}&id=${id}` },
  ]
  const no = { status: 403, code: 'svc_forbidden' }
  const all = (by: string) =>
    refused(
      t,
      app,
      writes.map((each) => ({ ...each, key: by, ...no })),
    )
  await all(sub)
  t.is((await siteOf(sub)).template, null)
  await put(key, 1, { role: 'designer', store_scope: [1] })
  await all(sub)
  await refused(t, app, [{ what: 'reading', method: 'GET', path: SITE, key: sub, ...no }])
  await all((await addStore(app, key)).key)
  await put(key, 1, { role: 'designer', store_scope: [] })
  t.deepEqual((await ok(app.call('PUT', SITE, { key: sub, body: { chrome: { title: 'x' } } }))).json, { saved: true })
  await refused(
    t,
    app,
    writes.map((each) => ({ ...each, status: 401, code: 'api-key-not-found' })),
  )
})

test('S-SITE-02 X-TEN-01 the site of one seller is nothing to another', async (t) => {
  const [{ key }, { key: other }] = [await activeSeller(app), await activeSeller(app)]
  await made(t, key)
  await made(t, key)
  const missing = { key: other, status: 404, code: 'svc_not_found' }
  await refused(t, app, [
    { what: 'reading', method: 'GET', path: `${TEMPLATES}&id=2`, ...missing },
    putting(`${TEMPLATES}&id=2`, { ...missing, body: { chrome: {} } }),
    { what: 'applying', path: `${TEMPLATES}&action=apply&id=2`, ...missing },
    { what: 'deleting', method: 'DELETE', path: `${TEMPLATES}&id=2`, ...missing },
  ])
  t.deepEqual((await app.call('GET', TEMPLATES, { key: other })).json, { templates: [] })
})

test('S-SITE-03 S-SITE-06 the pages of a store show what is harmless of its site, and nothing else', (t) =>
  asShown(t, app))

test('S-SITE-07 N-49 a picture is kept once, and its address serves the same picture for ever', (t) =>
  goodPictures(t, app))

test('S-SITE-07 N-49 what is hidden in a picture, behind it or about it does not come through', (t) =>
  hiddenThings(t, app))

test('S-SITE-07 N-49 what is no picture, or too large, is refused and leaves nothing', (t) => badPictures(t, app))

test('S-SITE-07 an upload that comes slowly, breaks off or does not end is cut off', cutOff)
