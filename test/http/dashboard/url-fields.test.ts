import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { signedInMember } from '../../support/dashboard.ts'
import { freshAddress, ok } from '../../support/seller.ts'

/** The addresses that a member types at the dashboard are held to the rules of the API's. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const NEVER = ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'https://user:secret@shop.test/']
const PRIVATE = ['https://10.0.0.1/', 'https://169.254.169.254/latest']

const token = (rate_url: string) => ({
  act: 'add',
  type: 'erc20',
  code: 'tea',
  name: 'Tea',
  contract_address: freshAddress(),
  decimals: '18',
  rate: '',
  rate_url,
})

const request = (redirect: string) => ({ act: 'create', amount: '5', currency: 'USD', title: 'Tea', redirect })

test('N-82 no form of the dashboard keeps an address that runs a script, shows a file or leads to a private host', async (t) => {
  const { who, key } = await signedInMember(app)
  const kept = async () => [
    (await ok(app.call('GET', '/v1/settings', { key }))).json,
    (await ok(app.call('GET', '/v1/webhook', { key }))).json,
    (await ok(app.call('GET', '/v1/custom-tokens', { key }))).json,
    (await ok(app.call('GET', '/v1/payment-requests', { key }))).json,
  ]
  const before = await kept()
  const payment = { act: 'payment', default: '', accept_underpayments: '' }
  const branding = { act: 'branding', brand_name: 'Tea', color_1: '', color_2: '', color_3: '' }
  const forms: readonly (readonly [
    path: string,
    fields: (url: string) => Record<string, string>,
    isCalled: boolean,
  ])[] = [
    ['/dashboard/first-steps', (url) => ({ act: 'webhook', url }), true],
    ['/dashboard/wallets/tokens', token, true],
    ['/dashboard/developers/webhooks', (url) => ({ act: 'url', url }), true],
    ['/dashboard/payment-requests', request, false],
    ['/dashboard/settings', (redirect) => ({ ...payment, redirect }), false],
    ['/dashboard/settings', (logo_url) => ({ ...branding, logo_url, logo_url_dark: '' }), false],
    ['/dashboard/settings', (logo_url_dark) => ({ ...branding, logo_url: '', logo_url_dark }), false],
  ]
  for (const [path, fields, isCalled] of forms)
    for (const url of [...NEVER, ...(isCalled ? PRIVATE : [])])
      t.is((await who.send(path, fields(url))).status, 422, `${path} ${JSON.stringify(fields(url))}`)
  t.deepEqual(await kept(), before)
})
