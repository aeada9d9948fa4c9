import test from 'ava'
import type { z } from 'zod'
import { type Endpoint, picksOf } from '../../../adapters/http/core/endpoint.ts'
import { surfaces } from '../../../src/runtime/openapi.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { consoleCall, consoleOk } from '../../support/console.ts'
import { shop } from '../../support/sale.ts'
import { PAY_TO } from '../../support/seller.ts'

/** Every address that somebody can store, so that a browser opens it or the service calls it. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

/** What no address may be, whoever opens it. */
const NEVER = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'file:///etc/passwd',
  'ftp://a.example/x',
  'nothing',
]
/** What the service itself calls is on a public host besides, and over TLS. */
const PRIVATE = [
  'http://a.example/',
  'http://127.0.0.1/x',
  'https://127.0.0.1/x',
  'https://10.1.2.3/x',
  'https://192.168.0.1/x',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]/x',
  'https://localhost/x',
]

type StoredUrl = {
  readonly field: RegExp
  readonly isCalled: boolean
  readonly call: (url: string) => Promise<{ readonly status: number; readonly json: { readonly error_code?: string } }>
}

let key = ''
let transactionId = ''
const json = (method: string, path: string, body: object) => app.call(method, path, { key, body })
const site = (chrome: object, layout?: object) => json('PUT', '/v1/site', { chrome, ...(layout && { layout }) })
const inConsole = (name: string, fields: Record<string, string>) => consoleCall(app, key, name, fields)
const TOKEN = { type: 'erc-20', code: 'mine', contract_address: PAY_TO, decimals: 6, name: 'Mine' }

/** How each stored address is sent; `isCalled`: by the service. */
const STORED: readonly StoredUrl[] = [
  {
    field: /^agent post \/v1\/agent .*webhook_url/,
    isCalled: true,
    call: (webhook_url) => json('POST', '/v1/agent', { webhook_url }),
  },
  { field: /^agent post \/v1\/webhook .*url/, isCalled: true, call: (url) => json('POST', '/v1/webhook', { url }) },
  {
    field: /^agent put \/v1\/settings .*webhook\.url/,
    isCalled: true,
    call: (url) => json('PUT', '/v1/settings', { webhook: { url } }),
  },
  {
    field: /^(agent put \/v1\/settings|pay post \/api.php function=save-settings) .*payment\.redirect/,
    isCalled: false,
    call: (redirect) => json('PUT', '/v1/settings', { payment: { redirect } }),
  },
  {
    field: /^(agent put \/v1\/settings|pay post \/api.php function=save-settings) .*jwks_uri/,
    isCalled: true,
    call: (jwks_uri) => json('PUT', '/v1/settings', { payment: { ap2: { issuers: [{ iss: 'x', jwks_uri }] } } }),
  },
  {
    field: /^(agent put \/v1\/settings|pay post \/api.php function=save-settings) .*logo_url$/,
    isCalled: false,
    call: (logo_url) => json('PUT', '/v1/settings', { branding: { logo_url } }),
  },
  {
    field: /^(agent put \/v1\/settings|pay post \/api.php function=save-settings) .*logo_url_dark$/,
    isCalled: false,
    call: (logo_url_dark) => inConsole('save-settings', { settings: JSON.stringify({ branding: { logo_url_dark } }) }),
  },
  {
    field: /^pay post \/api.php function=save-settings .*webhook-url/,
    isCalled: true,
    call: (url) => inConsole('save-settings', { settings: JSON.stringify({ 'webhook-url': url }) }),
  },
  {
    field: /^agent post \/v1\/stores .*webhook_url/,
    isCalled: true,
    call: (webhook_url) => json('POST', '/v1/stores', { label: 'Second', webhook_url }),
  },
  {
    field: /^agent put \/v1\/stores .*webhook_url/,
    isCalled: true,
    call: (webhook_url) => json('PUT', '/v1/stores?store_id=1', { webhook_url }),
  },
  {
    field: /^agent post \/v1\/custom-tokens .*rate_url/,
    isCalled: true,
    call: (rate_url) => json('POST', '/v1/custom-tokens', { ...TOKEN, rate_url }),
  },
  {
    field: /^agent post \/v1\/custom-tokens .*img/,
    isCalled: false,
    call: (img) => json('POST', '/v1/custom-tokens', { ...TOKEN, img }),
  },
  {
    field: /^agent post \/v1\/resources .*webhook_url/,
    isCalled: true,
    call: (webhook_url) => json('POST', '/v1/resources', { amount: 1, webhook_url }),
  },
  {
    field: /^agent post \/v1\/payment-requests .*redirect/,
    isCalled: false,
    call: (redirect) => json('POST', '/v1/payment-requests', { amount: 1, redirect }),
  },
  {
    field: /^pay post \/(payment\/)?api.php function=create-transaction .*redirect/,
    isCalled: false,
    call: (redirect) => inConsole('create-transaction', { amount: '1', currency_code: 'USD', redirect }),
  },
  {
    field: /^agent (put|post) \/v1\/site .*chrome\.hero\.image/,
    isCalled: false,
    call: (image) => site({ hero: { image } }),
  },
  {
    field: /^agent (put|post) \/v1\/site .*chrome\.links\[\]\.url/,
    isCalled: false,
    call: (url) => site({ links: [{ label: 'There', url }] }),
  },
  { field: /^agent (put|post) \/v1\/site .*chrome\.logo/, isCalled: false, call: (logo) => site({ logo }) },
  {
    field: /^agent (put|post) \/v1\/site .*sections\[\]\.src/,
    isCalled: false,
    call: (src) => site({}, { sections: [{ type: 'image', src }] }),
  },
  {
    field: /^agent put \/v1\/landers .*image/,
    isCalled: false,
    call: (image) => json('PUT', '/v1/landers?lander_id=1', { image }),
  },
  {
    field: /^agent post \/v1\/orders .*tracking_url/,
    isCalled: false,
    call: (tracking_url) =>
      json('POST', '/v1/orders?order_id=x', { type: 'shipped', line_items: [{ id: '1', quantity: 1 }], tracking_url }),
  },
  // What `values` of update-transaction may hold is checked behind its declaration.
  {
    field: /^pay post \/api.php function=update-transaction values\.redirect/,
    isCalled: false,
    call: (redirect) =>
      inConsole('update-transaction', { transaction_id: transactionId, values: JSON.stringify({ redirect }) }),
  },
  {
    field: /^pay post \/api.php function=update-transaction values\.webhook/,
    isCalled: true,
    call: (webhook) =>
      inConsole('update-transaction', { transaction_id: transactionId, values: JSON.stringify({ webhook }) }),
  },
]

/** Addresses of apps, people and members, which have tests of their own. */
const ELSEWHERE: readonly (readonly [field: RegExp, where: string])[] = [
  [/redirect_uri|request_uri|post_logout/, 'has to be one that the app registered: test/domain/redirect-uris.test.ts'],
  [/ \/account\/developer\/(app|new) .*(uris|url)$/, 'is registered: test/domain/redirect-uris.test.ts'],
  [/ \/account .*picture/, 'test/http/auth/people/account.test.ts'],
  [
    / \/dashboard\/(first-steps|settings|wallets\/tokens|developers\/webhooks|payment-requests)[ /]/,
    'test/http/dashboard/url-fields.test.ts',
  ],
  [/ act=picture-\w+ \.picture$/, 'names a picture that is there already'],
  [/link_id|logout_hint|authorizationUrl/, 'is no address'],
]

const NAMED =
  /(^|[._-])(url|uri|uris|redirect|img|image|logo|logo_url\w*|picture|website|link|href|src|callback)$|_(url|uri)(_\w+)?$/i

const inside = (schema: z.core.$ZodType): (readonly [at: string, inner: z.core.$ZodType])[] => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'array':
      return [['[]', def.element]]
    case 'object':
      return Object.entries(def.shape).map(([name, inner]) => [`.${name}`, inner] as const)
    case 'union':
      return def.options.map((option) => ['', option] as const)
    case 'pipe':
      return [
        ['', def.in],
        ['', def.out],
      ]
    default:
      return 'innerType' in def ? [['', def.innerType]] : []
  }
}

const pathsIn = (schema: z.core.$ZodType, at = ''): string[] =>
  inside(schema).flatMap(([name, inner]) => [...(name === '' ? [] : [at + name]), ...pathsIn(inner, at + name)])

const fieldsOf = (surface: string, { method, path, body, ...e }: Endpoint): string[] =>
  [...new Set(body ? pathsIn(body) : [])]
    .filter((field) => NAMED.test(field.split('.').at(-1) ?? ''))
    .map((field) => `${surface} ${method} ${path} ${picksOf(e).join(' ')} ${field}`.replace(/ +/g, ' '))

test('every field of a body that is named like an address is one of those below, or has a test elsewhere', (t) => {
  const found = surfaces().flatMap(({ name, endpoints }) => endpoints.flatMap((e) => fieldsOf(name, e)))
  t.true(found.length > 30)
  t.deepEqual(
    found.filter(
      (field) => !STORED.some((each) => each.field.test(field)) && !ELSEWHERE.some(([each]) => each.test(field)),
    ),
    [],
  )
})

test('no address is stored that runs a script, shows a file, or leads the service to a private host', async (t) => {
  const s = await shop(app, { webhook: false })
  key = s.key
  transactionId = (await consoleOk(app, key, 'create-transaction', { amount: '5', currency_code: 'USD' }))
    .transaction_id
  for (const { field, isCalled, call } of STORED)
    for (const url of [...NEVER, ...(isCalled ? PRIVATE : [])]) {
      const { status, json: said } = await call(url)
      t.is(status, 400, `${field.source} ${url}`)
      t.regex(
        said.error_code ?? '',
        /^svc_(invalid_request|bad_webhook_url|webhook_url_refused)$/,
        `${field.source} ${url}`,
      )
    }
})
