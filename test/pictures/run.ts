import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import sharp from 'sharp'
import { paySandbox } from '../../adapters/chains/sandbox/sandbox.ts'
import { type Client, createClient } from '../../src/demo/client.ts'
import { freePort } from '../../src/demo/port.ts'
import { startService, stopService } from '../../src/demo/service.ts'
import { eventually, WAIT_MS } from '../../src/demo/stage.ts'
import { inheritedEnvironment } from '../../src/settings/config.ts'
import type { ServiceNotice } from '../../src/settings/data-dir.ts'
import type { SandboxUrls } from '../../src/settings/sandbox.ts'
import { startBrowser } from '../support/browser.ts'
import { chromiumPath, provideChromium } from '../support/chromium.ts'
import { PICTURE_BYTES_MAX, PICTURES } from './pictures.ts'

/** `npm run pictures`: the pictures of docs/pictures, of real sales on the sandbox chains, in a real browser. */

const PAY_TO = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
const EMAIL = 'ada@teaandco.example'
const PASSWORD = 'a difference engine'
const DESK = { width: 1200, height: 760 }

const main = async () => {
  provideChromium()
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-pictures-'))
  const env = {
    ...inheritedEnvironment(),
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    METRICS_PORT: '0',
    LOG_LEVEL: 'error',
  }
  const service = await startService(env)
  const browser = await startBrowser(chromiumPath() ?? '')
  try {
    const origin = `http://localhost:${env.PORT}`
    const { sandbox } = JSON.parse(readFileSync(join(dataDir, 'running.json'), 'utf8')) as ServiceNotice
    const sold = await sell(
      createClient(() => origin),
      sandbox as SandboxUrls,
    )
    const options = { viewport: DESK, locale: 'en-US', colorScheme: 'light', reducedMotion: 'reduce' } as const
    await take(await browser.newContext(options), origin, sold)
  } finally {
    await browser.close()
    await stopService(service)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

type Sold = { readonly transactionId: string; readonly openId: string }

/** A seller with two coins sells tea three times. @returns one of the sales, and a resource that nobody bought */
const sell = async (client: Client, sandbox: SandboxUrls): Promise<Sold> => {
  const { api_key: key } = await client.json('POST', '/v1/signup', { body: { email: EMAIL, password: PASSWORD } })
  const letter = await eventually(
    'the letter',
    async () => ((await client.json('GET', '/dev/inbox.json')) as { links: string[] }[])[0]?.links[0],
    WAIT_MS,
  )
  await client.follow(letter)
  await client.json('PUT', '/v1/settings', { key, body: { branding: { brand_name: 'Tea & Co.' } } })
  for (const asset of ['eth', 'usdc_base'])
    await client.json('POST', '/v1/wallets', { key, body: { asset, address: PAY_TO } })
  for (const [title, amount] of [
    ['White tea, 50 g', 18],
    ['Oolong, 100 g', 24.5],
    ['Green tea, 50 g', 12.5],
  ] as const) {
    const resId = await priced(client, key, title, amount)
    const { accepts } = await client.json('POST', '/v1/challenge', { key, body: { res_id: resId } })
    const offer = (accepts as Offer[]).find(({ asset }) => asset === 'eth')
    if (!offer) throw new Error('nobody is asked for ether')
    const hash = await paySandbox({ url: sandbox.eth, to: PAY_TO, amount: BigInt(offer.amountAtomic) })
    const body = { challengeId: offer.challengeId, hash }
    await eventually(
      'the settlement',
      async () => (await client.call('POST', '/v1/verify', { body })).json.settled || undefined,
      WAIT_MS,
    )
  }
  const transactionId = await eventually(
    'the transaction',
    async () => {
      const { transactions } = await client.json('GET', '/v1/transactions?status=C', { key })
      return (transactions as { id: string }[]).length === 3 ? (transactions as { id: string }[])[0]?.id : undefined
    },
    WAIT_MS,
  )
  return { transactionId, openId: await priced(client, key, 'Green tea, 50 g', 12.5) }
}

type Offer = { readonly asset: string; readonly challengeId: string; readonly amountAtomic: string }

const priced = async (client: Client, key: string, title: string, amount: number): Promise<string> =>
  (await client.json('POST', '/v1/resources', { key, body: { title, amount, currency: 'USD' } })).res_id

const take = async (context: BrowserContext, origin: string, { transactionId, openId }: Sold) => {
  const page = await context.newPage()
  await page.goto(`${origin}/dashboard/sign-in`)
  await page.getByLabel('Email address').fill(EMAIL)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/dashboard')
  await shoot(page, 'home')
  await page.goto(`${origin}/dashboard/payments/${transactionId}`)
  await shoot(page, 'payment')
  await page.goto(`${origin}/dashboard/wallets`)
  await shoot(page, 'wallets')
  await page.goto(`${origin}/r/${openId}`)
  await page.getByRole('link', { name: /Ether/ }).click()
  await page.locator('svg.qr').waitFor()
  await shoot(page, 'buyer')
}

/** A picture of what fits on the screen, with as few colours as it needs. */
const shoot = async (page: Page, name: string) => {
  mkdirSync(PICTURES, { recursive: true })
  const png = await sharp(await page.screenshot())
    .png({ palette: true, compressionLevel: 9 })
    .toBuffer()
  if (png.byteLength > PICTURE_BYTES_MAX) throw new Error(`${name}.png has ${png.byteLength} bytes`)
  writeFileSync(join(PICTURES, `${name}.png`), png)
  process.stdout.write(`docs/pictures/${name}.png: ${png.byteLength} bytes\n`)
}

await main()
