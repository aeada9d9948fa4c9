import test from 'ava'
import { fold } from '../../domain/kernel/decider.ts'
import { type SiteCommands, type SiteEvents, site } from '../../domain/storefront/site.ts'
import { given, NOW } from '../support/given.ts'

const LATER = '2026-03-02T10:30:00.000Z'
const spring: SiteCommands['createTemplate'] = {
  name: 'Spring',
  baseTemplate: 'gallery',
  baseTheme: 'paper',
  chrome: { title: 'Spring' },
  css: 'h1{color:green}',
  layout: 'gallery',
}
const created = (id: number, change: Partial<SiteEvents['SiteTemplateCreated']> = {}) => ({
  type: 'SiteTemplateCreated' as const,
  data: { id, ...spring, createdAt: NOW, ...change },
})
const applied = (id: number, version = 1) => ({ type: 'SiteTemplateApplied', data: { id, version } }) as const
const deleted = (id: number) => ({ type: 'SiteTemplateDeleted', data: { id } }) as const
const changed = (id: number, version: number, change: Partial<SiteEvents['SiteTemplateChanged']>) => {
  const { chrome, css, layout } = spring
  const data = { id, chrome, css, layout, version, changedAt: LATER, ...change }
  return { type: 'SiteTemplateChanged' as const, data }
}
const values = (data: SiteEvents['SiteValuesChanged']) => ({ type: 'SiteValuesChanged', data }) as const
const image = (name: string, bytes = 1_000) => ({ image: name, format: 'png' as const, bytes, width: 8, height: 8 })
const uploaded = (name: string, bytes?: number) => ({ type: 'SiteImageUploaded', data: image(name, bytes) }) as const

test('S-SITE-03 what is given of the values is replaced whole, what is not stays, and a repeat changes nothing', (t) => {
  const first = values({ chrome: { title: 'Tea', hero: { heading: 'a' } }, layout: 'classic' })
  given(t, site)
    .when('change', { chrome: { title: 'Tea', hero: { heading: 'a' } } })
    .yields(first)
  given(t, site, first)
    .when('change', { layout: { sections: ['hero'] } })
    .yields(values({ ...first.data, layout: { sections: ['hero'] } }))
  given(t, site, first)
    .when('change', { chrome: { hero: { heading: 'b' } } })
    .yields(values({ chrome: { hero: { heading: 'b' } }, layout: 'classic' }))
  for (const same of [{}, { chrome: { hero: { heading: 'a' }, title: 'Tea' } }, { layout: 'classic' as const }])
    given(t, site, first).when('change', same).yieldsNothing()
  given(t, site, values({ chrome: { a: [] }, layout: 'classic' }))
    .when('change', { chrome: { a: {} } })
    .yields(values({ chrome: { a: {} }, layout: 'classic' }))
})

test('S-SITE-05 templates are numbered from one, and a number is never used again', (t) => {
  given(t, site).when('createTemplate', spring).yields(created(1))
  given(t, site, created(1), created(2)).when('createTemplate', spring).yields(created(3))
  given(t, site, created(1), created(2), deleted(2)).when('createTemplate', spring).yields(created(3))
})

test('S-SITE-05 an account has twenty templates at most, and they stay small together', (t) => {
  const full = Array.from({ length: 20 }, (_, at) => created(at + 1))
  given(t, site, ...full)
    .when('createTemplate', spring)
    .isRefused('invalid-request')
  given(t, site, ...full, deleted(7))
    .when('createTemplate', spring)
    .yields(created(21))
  const large = { css: 'x'.repeat(32_000) }
  const heavy = Array.from({ length: 16 }, (_, at) => created(at + 1, large))
  given(t, site, ...heavy)
    .when('createTemplate', { ...spring, ...large })
    .isRefused('invalid-request')
  given(t, site, ...heavy)
    .when('change', { chrome: { text: 'x'.repeat(32_000) } })
    .isRefused('invalid-request')
  given(t, site, ...heavy)
    .when('applyTemplate', { id: 1 })
    .isRefused('invalid-request')
  given(t, site, ...heavy, created(17))
    .when('changeTemplate', { id: 17, chrome: {}, ...large })
    .isRefused('invalid-request')
})

test('S-SITE-04 a template keeps what a change does not give, and counts its versions', (t) => {
  given(t, site, created(1))
    .when('changeTemplate', { id: 1, chrome: { title: 'May' } }, LATER)
    .yields(changed(1, 2, { chrome: { title: 'May' } }))
  given(t, site, created(1), changed(1, 2, { css: '' }))
    .when('changeTemplate', { id: 1, chrome: spring.chrome, layout: 'minimal' }, LATER)
    .yields(changed(1, 3, { css: '', layout: 'minimal' }))
  given(t, site, created(1))
    .when('changeTemplate', { id: 1, chrome: { title: 'Spring' } })
    .yieldsNothing()
  for (const command of ['applyTemplate', 'deleteTemplate'] as const)
    given(t, site, created(1)).when(command, { id: 2 }).isRefused('not-found')
  given(t, site).when('changeTemplate', { id: 1, chrome: {} }).isRefused('not-found')
})

test('S-SITE-06 a template that is applied is what the site looks like; its later changes show once it is applied again', (t) => {
  given(t, site, created(1)).when('applyTemplate', { id: 1 }).yields(applied(1))
  given(t, site, created(1), applied(1)).when('applyTemplate', { id: 1 }).yieldsNothing()
  const { template, chrome, css, layout, theme } = fold(site, [created(1), applied(1)])
  t.deepEqual(
    { template, chrome, css, layout, theme },
    {
      template: 1,
      chrome: spring.chrome,
      css: spring.css,
      layout: 'gallery',
      theme: 'paper',
    },
  )
  const later = [created(1), applied(1), changed(1, 2, { css: 'h1{color:red}' })]
  t.is(fold(site, later).css, spring.css)
  given(t, site, ...later)
    .when('applyTemplate', { id: 1 })
    .yields(applied(1, 2))
  t.is(fold(site, [...later, applied(1, 2)]).css, 'h1{color:red}')
  const own = [created(1), applied(1), values({ chrome: { title: 'Mine' }, layout: 'classic' })]
  t.like(fold(site, own), { template: 1, chrome: { title: 'Mine' }, css: spring.css })
  given(t, site, ...own)
    .when('applyTemplate', { id: 1 })
    .yields(applied(1))
})

test('S-SITE-08 a site whose template is deleted stays as it looks', (t) => {
  const history = [created(1), created(2, { css: '' }), applied(1)]
  given(t, site, ...history)
    .when('deleteTemplate', { id: 1 })
    .yields(deleted(1))
  const { templates, ...after } = fold(site, [...history, deleted(1)])
  t.like(after, { template: null, last: 2, chrome: spring.chrome, css: spring.css, theme: 'paper' })
  t.deepEqual(Object.keys(templates), ['2'])
  t.is(fold(site, [...history, deleted(2)]).template, 1)
  given(t, site, ...history, deleted(1))
    .when('deleteTemplate', { id: 1 })
    .isRefused('not-found')
})

test('S-SITE-07 a picture is written down once, and an account has so many and so much of them', (t) => {
  given(t, site).when('addImage', image('a')).yields(uploaded('a'))
  given(t, site, uploaded('a')).when('addImage', image('a')).yieldsNothing()
  const many = Array.from({ length: 200 }, (_, at) => uploaded(`p${at}`))
  given(t, site, ...many)
    .when('addImage', image('one more'))
    .isRefused('invalid-request')
  given(t, site, ...many)
    .when('addImage', image('p7'))
    .yieldsNothing()
  const half = 32 * 1_024 * 1_024
  given(t, site, uploaded('a', half)).when('addImage', image('b', half)).yields(uploaded('b', half))
  given(t, site, uploaded('a', half))
    .when('addImage', image('b', half + 1))
    .isRefused('invalid-request')
})
